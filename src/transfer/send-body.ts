import { changedError, readFully, type SourceFile } from './local-file.js';
import type { RateLimiter } from './rate-limit.js';
import type { WriteBytes } from './storage-request.js';

/** Two buffers that one upload at a time reads into and sends from, in turn. */
export interface BufferPair {
  first: Uint8Array;
  second: Uint8Array;
}

const LARGEST_BUFFER_BYTES = 1024 * 1024;
const SMALLEST_BUFFER_BYTES = 64 * 1024;
/** All buffers of the process together, so that many uploads at once do not take more memory than a few. */
const ALL_BUFFERS_BYTES = 16 * 1024 * 1024;

/** Buffers for one of `concurrency` uploads. */
export function createBuffers(concurrency: number): BufferPair {
  const share = Math.floor(ALL_BUFFERS_BYTES / (2 * concurrency));
  const sizeBytes = Math.max(SMALLEST_BUFFER_BYTES, Math.min(LARGEST_BUFFER_BYTES, share));
  return { first: Buffer.allocUnsafeSlow(sizeBytes), second: Buffer.allocUnsafeSlow(sizeBytes) };
}

export interface BodySpan {
  source: SourceFile;
  /** First byte, and the one after the last. */
  from: number;
  until: number;
  buffers: BufferPair;
  limiter?: RateLimiter;
  signal: AbortSignal;
  now: () => number;
  /** Told before bytes are handed to the network: from then on some of them may arrive. */
  onOffered: (bytes: number) => void;
  /** Told of bytes that left the process. */
  onSent: (bytes: number) => void;
  /** Asked before the last bytes go out, the moment after which the storage would call the file complete. */
  beforeLast: () => void;
}

/**
 * Sends a span of a file. Speed and correctness hang on three things: each buffer is filled completely before it is
 * sent, the other one is read while this one is being sent, and a buffer is filled again only after the write of it
 * called back. Returns early when the request is over. Throws `unfinished` when the file has become shorter.
 */
export async function sendSpan(write: WriteBytes, span: BodySpan): Promise<void> {
  const { source, until, buffers } = span;
  const pace = { sliceBytes: span.limiter?.sliceBytes ?? buffers.first.length };
  let current = buffers.first;
  let spare = buffers.second;
  let position = span.from;
  let filled = await fill(source, current, position, until);
  while (position < until) {
    const next = position + filled;
    const isLast = next >= until;
    const ahead = isLast ? Promise.resolve(0) : fill(source, spare, next, until);
    ahead.catch(() => {}); // looked at below, whatever happens to the write
    let isAlive = false;
    try {
      if (isLast) span.beforeLast();
      isAlive = await sendSlices(write, current.subarray(0, filled), span, pace);
    } finally {
      await ahead.catch(() => 0); // no read may be under way in a buffer that others take over
    }
    filled = await ahead;
    if (!isAlive) return;
    position = next;
    [current, spare] = [spare, current];
  }
}

async function fill(
  source: SourceFile,
  buffer: Uint8Array,
  position: number,
  until: number,
): Promise<number> {
  const wanted = Math.min(buffer.length, until - position);
  const filled = await readFully(source.fd, buffer, wanted, position);
  if (filled < wanted) throw changedError(source.path, `it ends at byte ${position + filled} now`);
  return filled;
}

/** Writes longer than this are cut into smaller ones, so that progress shows on a slow line; shorter ones grow. */
const SLOW_WRITE_MS = 400;
const FAST_WRITE_MS = 50;

async function sendSlices(
  write: WriteBytes,
  bytes: Uint8Array,
  { limiter, signal, now, onOffered, onSent }: BodySpan,
  pace: { sliceBytes: number },
): Promise<boolean> {
  for (let at = 0; at < bytes.length; ) {
    const slice = bytes.subarray(at, at + pace.sliceBytes);
    await limiter?.take(slice.length, signal);
    const startedMs = now();
    onOffered(slice.length);
    if (!(await write(slice))) return false;
    const tookMs = now() - startedMs;
    if (!limiter) pace.sliceBytes = nextSlice(pace.sliceBytes, tookMs);
    onSent(slice.length);
    at += slice.length;
  }
  return true;
}

function nextSlice(sliceBytes: number, tookMs: number): number {
  if (tookMs > SLOW_WRITE_MS) return Math.max(SMALLEST_BUFFER_BYTES, sliceBytes / 2);
  return tookMs < FAST_WRITE_MS ? Math.min(LARGEST_BUFFER_BYTES, sliceBytes * 2) : sliceBytes;
}
