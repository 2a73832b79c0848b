/**
 * Waiting between tries. The decision is pure; the loops that use it (the API transport here, the upload loop in
 * transfer/) own what is safe to repeat.
 */

/** The longest wait a `Retry-After` is honoured for. */
export const RETRY_AFTER_CAP_MS = 120_000;

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** Exponential back-off with full jitter over its upper half. `attempt` counts from 0; `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

/** Milliseconds of a `Retry-After` header (seconds or an HTTP date), capped; undefined when it says nothing. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_CAP_MS);
}

/** Waits, or rejects with the signal's reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
