import { sleep } from '../client/retry.js';

/** Lends bytes at a limited rate; one for the whole process. */
export interface RateLimiter {
  /** How many bytes to take at once, so that every transfer gets its turn and no pause looks like a stall. */
  readonly sliceBytes: number;
  /** Waits until `bytes` may be sent. Callers are served in the order they came. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
}

const LARGEST_SLICE_BYTES = 1024 * 1024;
/** Unused time of at most this long may be caught up: timers are late, the average must not be. */
const CATCH_UP_MS = 250;

/** A limiter of `bytesPerSec`. `now` in milliseconds. */
export function createRateLimiter(bytesPerSec: number, now: () => number): RateLimiter {
  let freeAtMs = now();
  return {
    sliceBytes: Math.max(1, Math.min(LARGEST_SLICE_BYTES, Math.floor(bytesPerSec / 8))),
    async take(bytes, signal) {
      freeAtMs = Math.max(freeAtMs, now() - CATCH_UP_MS);
      const waitMs = freeAtMs - now();
      freeAtMs += (bytes / bytesPerSec) * 1000;
      if (waitMs > 0) await sleep(waitMs, signal);
    },
  };
}
