import { describeFault, isTlsFault } from '../client/exchange.js';
import { ClipctlError, errorCode, messageOf } from '../errors.js';

/**
 * Whether to go on after a break. Pure; the loops in upload-file.ts and download.ts do what it says. The count is of
 * tries without progress: it goes back to 0 whenever the storage has more than it ever had, so that a bad line with
 * thousands of cuts is only slow.
 */
export function decide(input: {
  /** Tries in a row that brought nothing, this one included; 0 after one that brought something. */
  triesWithoutProgress: number;
  retries: number;
  /** What the other side asked for, already capped (parseRetryAfterMs). */
  retryAfterMs?: number;
  /** In [0, 1). */
  random: number;
  firstWaitMs?: number;
}): { action: 'wait'; waitMs: number } | { action: 'stop' } {
  const { triesWithoutProgress, retries, retryAfterMs, random, firstWaitMs = FIRST_WAIT_MS } = input;
  if (triesWithoutProgress > retries) return { action: 'stop' };
  if (retryAfterMs !== undefined) return { action: 'wait', waitMs: retryAfterMs };
  const ceilingMs = Math.min(
    LONGEST_WAIT_MS,
    firstWaitMs * GROWTH ** Math.min(Math.max(0, triesWithoutProgress - 1), 16),
  );
  return { action: 'wait', waitMs: Math.round(ceilingMs / 2 + (ceilingMs / 2) * random) };
}

/** Quick at first (a cut is over at once), patient later (a cable is out): 0.3, 1.2, 4.8, 19 s, then a minute each. */
export const FIRST_WAIT_MS = 300;
const GROWTH = 4;
const LONGEST_WAIT_MS = 60_000;

/** Nothing moved on the connection for the time a stall is given. */
export class StallError extends Error {
  readonly idleMs: number;

  constructor(idleMs: number) {
    super(`nothing moved for ${idleMs / 1000} s`);
    this.name = 'StallError';
    this.idleMs = idleMs;
  }
}

/** System errors of a connection: the next try may go well. Codes of looking up names begin with EAI_. */
const BREAKS = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ENETUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'EPROTO',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/**
 * What a failed request was: a break of the connection, in words, or an error that ends the transfer.
 * Untrusted TLS ends it at once; what is no error of a connection is a bug and comes back as it was.
 */
export function breakOf(error: unknown): { reason: string } | { error: unknown } {
  if (error instanceof StallError) return { reason: error.message };
  if (error instanceof ClipctlError) return { error };
  const code = errorCode(error);
  if (code === undefined) return { error };
  // A server that drops the connection inside a TLS record looks like a protocol error, not like a bad certificate.
  if (BREAKS.has(code) || code.startsWith('EAI_') || code.startsWith('HPE_'))
    return { reason: describeFault(error) };
  if (isTlsFault(code)) {
    return {
      error: new ClipctlError('network', `the storage is not trusted: ${messageOf(error)}`, {
        reason: `TLS: ${code}`,
        hint: 'name the certificate of your authority in NODE_EXTRA_CA_CERTS',
        cause: error,
      }),
    };
  }
  return { error };
}
