import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Bytes of one upload that may wait for the disk before its client is made to wait; hundreds come at once. */
const BUFFER_BYTES = 256 * 1024;

/** SHA-256 of a file's beginning, carried from one PUT to the next of a session. */
export interface RunningHash {
  hash: Hash;
  /** How many bytes of the file it has seen. */
  atBytes: number;
}

export function startHash(): RunningHash {
  return { hash: createHash('sha256'), atBytes: 0 };
}

/** Feeds the hash with what it has not seen of the file, after a restart or when bytes were forgotten. */
export async function catchUpHash(path: string, running: RunningHash, toBytes: number): Promise<RunningHash> {
  const state = running.atBytes > toBytes ? startHash() : running;
  if (state.atBytes === toBytes) return state;
  const stream = createReadStream(path, {
    start: state.atBytes,
    end: toBytes - 1,
    highWaterMark: BUFFER_BYTES,
  });
  for await (const chunk of stream) state.hash.update(chunk as Buffer);
  state.atBytes = toBytes;
  return state;
}

/** What the client did with its body: sent all of it, left in between, or was stopped by a planned fault. */
export type BodyEnd = 'whole' | 'broken' | 'stopped' | 'too-long';

export interface ReceiveOptions {
  /** Where in the file the body's first byte goes. */
  position: number;
  /** More than this is refused. */
  limitBytes: number;
  running: RunningHash;
  /** Called once when this many bytes of the body were taken; 'stop' ends the reading. */
  pause?: { afterBytes: number; act: () => Promise<'go-on' | 'stop'> };
  bytesPerSec?: number;
}

/**
 * Streams a request's body into a file, in little memory whatever its size. The file is synced to the disk
 * before this returns, also when the client broke off: what came is kept. Throws only when the disk fails.
 */
export async function receiveBody(
  request: IncomingMessage,
  handle: FileHandle,
  options: ReceiveOptions,
): Promise<{ receivedBytes: number; end: BodyEnd }> {
  // By the bare descriptor: a stream made by the handle keeps `handle.close()` waiting for ever.
  const sink = createWriteStream('', {
    fd: handle.fd,
    start: options.position,
    autoClose: false,
    highWaterMark: BUFFER_BYTES,
  });
  let diskError: Error | undefined;
  sink.once('error', (error) => {
    diskError = error;
  });
  let receivedBytes = 0;
  let end: BodyEnd = 'whole';
  const take = async (bytes: Buffer) => {
    if (bytes.length === 0) return;
    receivedBytes += bytes.length;
    options.running.hash.update(bytes);
    options.running.atBytes += bytes.length;
    if (!sink.write(bytes) && !diskError) await once(sink, 'drain');
    if (diskError) throw diskError;
    if (options.bytesPerSec) await sleep((bytes.length / options.bytesPerSec) * 1000);
  };
  try {
    end = await readChunks(request, options, take, () => receivedBytes);
  } catch (error) {
    if (diskError) throw diskError;
    if (!isConnectionError(error)) throw error;
    end = 'broken';
  }
  if (!diskError) {
    sink.end();
    await once(sink, 'finish');
    await handle.datasync();
  }
  return { receivedBytes, end };
}

async function readChunks(
  request: IncomingMessage,
  { limitBytes, pause }: ReceiveOptions,
  take: (bytes: Buffer) => Promise<void>,
  received: () => number,
): Promise<BodyEnd> {
  let due = pause;
  if (due?.afterBytes === 0) {
    if ((await due.act()) === 'stop') return 'stopped';
    due = undefined;
  }
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    let chunk = piece as Buffer;
    if (received() + chunk.length > limitBytes) return 'too-long';
    if (due && received() + chunk.length >= due.afterBytes) {
      const before = due.afterBytes - received();
      await take(chunk.subarray(0, before));
      chunk = chunk.subarray(before);
      if ((await due.act()) === 'stop') return 'stopped';
      due = undefined;
    }
    await take(chunk);
  }
  if (due && (await due.act()) === 'stop') return 'stopped'; // the body was shorter than planned
  return request.complete ? 'whole' : 'broken';
}

function isConnectionError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE';
}
