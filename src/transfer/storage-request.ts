import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Connector } from '../client/connector.js';
import { USER_AGENT } from '../client/transport.js';
import { StallError } from './retry.js';
import type { StorageAnswer } from './storage-protocol.js';

/** Hands bytes to the network; resolves when they left the process: false when the request is over before that. */
export type WriteBytes = (bytes: Uint8Array) => Promise<boolean>;

export interface StorageCall {
  url: URL;
  method: 'POST' | 'PUT' | 'DELETE';
  headers: Record<string, string | number>;
  signal: AbortSignal;
  /** A connection on which nothing moves for this long is given up. A slow one is not. */
  stallTimeoutMs: number;
  /** The same for the time between the last byte of the body and the answer; `stallTimeoutMs` unless given. */
  answerTimeoutMs?: number;
  /** Writes the body. Its buffers may be used again after each write, and after the call. */
  writeBody?: (write: WriteBytes) => Promise<void>;
}

/** More of an answer's body than an error's words is not kept; one that never ends is cut. */
const KEPT_BODY_BYTES = 4096;
const READ_BODY_BYTES = 1024 * 1024;

/**
 * Sends one request to the storage, without a key, and reads its answer. An answer that comes before the body is
 * out ends the body. Nothing is followed or repeated. Throws StallError, the signal's reason, what `writeBody`
 * threw, or the system's error.
 */
export async function callStorage(connector: Connector, call: StorageCall): Promise<StorageAnswer> {
  const { signal } = call;
  signal.throwIfAborted();
  const headers = { 'User-Agent': USER_AGENT, ...call.headers };
  const request = await connector.open(call.url, { method: call.method, headers });
  const exchange = watch(request, call.stallTimeoutMs);
  const onAbort = () => exchange.fail(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await call.writeBody?.(exchange.write);
    if (!exchange.isOver()) {
      if (call.answerTimeoutMs !== undefined) exchange.waitFor(call.answerTimeoutMs);
      request.end();
    }
    return await exchange.answer;
  } finally {
    signal.removeEventListener('abort', onAbort);
    exchange.stopWatching();
    if (!exchange.isClean()) await close(request);
  }
}

interface Watched {
  answer: Promise<StorageAnswer>;
  write: WriteBytes;
  /** True as soon as the answer begins or the connection fails. */
  isOver(): boolean;
  /** Whether request and answer were complete. If not, the connection may not be used again, nor a buffer yet. */
  isClean(): boolean;
  fail(error: unknown): void;
  /** Sets what counts as a stall from now on. */
  waitFor(timeoutMs: number): void;
  stopWatching(): void;
}

function watch(request: ClientRequest, stallTimeoutMs: number): Watched {
  let over = false;
  let clean = false;
  let wakeWriter: (() => void) | undefined;
  let resolve: (answer: StorageAnswer) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const answer = new Promise<StorageAnswer>((onAnswer, onError) => {
    resolve = onAnswer;
    reject = onError;
  });
  answer.catch(() => {}); // the writer may fail first; then nobody asks for the answer
  const end = () => {
    over = true;
    wakeWriter?.();
  };
  const fail = (error: unknown) => {
    reject(error);
    end();
    request.destroy();
  };
  let timeoutMs = stallTimeoutMs;
  const onStall = () => fail(new StallError(timeoutMs));
  const stopWaitingForConnection = watchConnecting(request, stallTimeoutMs, onStall);
  request.setTimeout(stallTimeoutMs, onStall);
  request.on('error', fail);
  request.once('close', () => {
    if (!over) fail(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }));
  });
  request.once('response', (response: IncomingMessage) => {
    const wasSent = request.writableEnded;
    end();
    readAnswer(response, (answer) => {
      clean = wasSent && response.complete;
      resolve(answer);
    });
  });
  return {
    answer,
    isOver: () => over,
    isClean: () => clean,
    fail,
    waitFor(ms) {
      timeoutMs = ms;
      request.socket?.setTimeout(ms); // the request listens to it already
    },
    stopWatching: stopWaitingForConnection,
    // Not a race of promises: with one long-lived promise a race leaks a little at every write.
    write: (bytes) =>
      new Promise((done) => {
        if (over) return done(false);
        wakeWriter = () => done(false);
        request.write(bytes, (error) => done(!error && !over));
      }),
  };
}

/** The socket's own timer runs only once it is connected; looking up, connecting and the proxy's tunnel come before. */
function watchConnecting(request: ClientRequest, timeoutMs: number, onTimeout: () => void): () => void {
  const timer = setTimeout(onTimeout, timeoutMs);
  const stop = () => clearTimeout(timer);
  request.once('socket', (socket) => {
    if (!socket.connecting) return stop();
    socket.once('connect', stop);
  });
  return stop;
}

/** Reads an answer; its status counts even when the connection breaks inside the body. */
function readAnswer(response: IncomingMessage, resolve: (answer: StorageAnswer) => void): void {
  const chunks: Buffer[] = [];
  let keptBytes = 0;
  let readBytes = 0;
  const finish = () => {
    const text = Buffer.concat(chunks).subarray(0, KEPT_BODY_BYTES).toString('utf8');
    resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
  };
  response.on('data', (chunk: Buffer) => {
    readBytes += chunk.length;
    if (keptBytes < KEPT_BODY_BYTES) chunks.push(chunk);
    keptBytes += chunk.length;
    if (readBytes > READ_BODY_BYTES) response.destroy();
  });
  response.once('end', finish);
  response.once('error', finish);
  response.once('close', finish);
}

/** Ends a request for certain: after this nothing is sent from its buffers. */
async function close(request: ClientRequest): Promise<void> {
  request.destroy();
  const { socket } = request;
  // Without a socket (a tunnel that never opened) there is nothing that could still be sent.
  if (!socket || socket.closed) return;
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.destroy();
  });
}
