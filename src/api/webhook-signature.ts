import { createHmac, timingSafeEqual } from 'node:crypto';

/*
 * How a webhook delivery is signed. The interface document shows the three header names and no more; what is signed
 * and how is the local service's own choice, shared by its sender and by `clipctl webhook verify`.
 *
 * X-Service-Signature   lower-case hex HMAC-SHA256, key: the API key, over the raw body followed by the salt's text
 * X-Service-Salt        8 random bytes in hex, new at every try
 * X-Service-Timestamp   Unix seconds of this try; not signed, a receiver refuses what is older than five minutes
 */

export const WEBHOOK_HEADERS = {
  signature: 'x-service-signature',
  salt: 'x-service-salt',
  timestamp: 'x-service-timestamp',
} as const;

/** A delivery this far from the receiver's clock, either way, is refused. */
export const WEBHOOK_TOLERANCE_SEC = 300;

export interface DeliveryToSign {
  apiKey: string;
  /** The body's bytes as sent, never re-formatted. */
  rawBody: string | Uint8Array;
  saltHex: string;
}

/** The signature of one delivery, 64 hex digits. */
export function signDelivery({ apiKey, rawBody, saltHex }: DeliveryToSign): string {
  return createHmac('sha256', apiKey).update(rawBody).update(saltHex).digest('hex');
}

export const VERDICTS = ['valid', 'header-missing', 'wrong-signature', 'too-old'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface DeliveryToVerify {
  apiKey: string;
  rawBody: string | Uint8Array;
  /** Values of the three headers; undefined when one did not come. */
  signature: string | undefined;
  salt: string | undefined;
  timestamp: string | undefined;
  nowSec: number;
  toleranceSec?: number;
}

/** Whether a delivery is from the service that holds the key, and recent. Compares in constant time. */
export function verifyDelivery(delivery: DeliveryToVerify): Verdict {
  const { apiKey, rawBody, signature, salt, timestamp, nowSec } = delivery;
  if (!signature || !salt || !timestamp || !/^\d{1,12}$/.test(timestamp)) return 'header-missing';
  const wanted = Buffer.from(signDelivery({ apiKey, rawBody, saltHex: salt }));
  const given = Buffer.from(signature.toLowerCase());
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return 'wrong-signature';
  const ageSec = Math.abs(nowSec - Number(timestamp));
  return ageSec > (delivery.toleranceSec ?? WEBHOOK_TOLERANCE_SEC) ? 'too-old' : 'valid';
}
