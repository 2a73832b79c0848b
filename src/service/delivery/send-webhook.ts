import { randomBytes } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { signDelivery, WEBHOOK_HEADERS } from '../../api/webhook-signature.js';

export interface WebhookSend {
  url: string;
  apiKey: string;
  deliveryId: string;
  rawBody: string;
  nowMs: number;
  signal: AbortSignal;
}

/** A receiver that has not answered after this has failed, and is tried again. */
const TIMEOUT_MS = 15_000;

/** Sends one signed delivery. Answers the HTTP status; rejects when there was no answer. Redirects are not followed. */
export function sendWebhook({
  url,
  apiKey,
  deliveryId,
  rawBody,
  nowMs,
  signal,
}: WebhookSend): Promise<number> {
  const saltHex = randomBytes(8).toString('hex');
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(rawBody),
    'user-agent': 'clipctl',
    'x-service-delivery': deliveryId,
    [WEBHOOK_HEADERS.signature]: signDelivery({ apiKey, rawBody, saltHex }),
    [WEBHOOK_HEADERS.salt]: saltHex,
    [WEBHOOK_HEADERS.timestamp]: String(Math.floor(nowMs / 1000)),
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return new Promise((resolve, reject) => {
    const open = url.startsWith('https:') ? requestHttps : requestHttp;
    const outgoing = open(url, { method: 'POST', headers, agent: false, signal: limit }, (answer) => {
      answer.resume();
      answer.once('error', () => undefined); // the status is known; the body is of no interest
      resolve(answer.statusCode ?? 0);
    });
    outgoing.once('error', reject);
    outgoing.end(rawBody);
  });
}
