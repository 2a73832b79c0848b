import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Verdict, verifyDelivery, WEBHOOK_HEADERS } from '../api/webhook-signature.js';
import { errorCode, messageOf, usageError } from '../errors.js';

/** A small receiver of conclusion actions, for this machine. */

export interface Delivery {
  rawBody: Buffer;
  headers: IncomingHttpHeaders;
  verdict: Verdict | 'replayed' | 'unverified';
}

export interface ReceiverOptions {
  host: string;
  port: number;
  /** undefined: every delivery is `unverified`, and taken. */
  apiKey: string | undefined;
  now: () => Date;
  /** The HTTP status to answer a taken delivery with; the sender repeats it unless it is 2xx. */
  onDelivery(delivery: Delivery): Promise<number>;
  /** A line about what was refused. */
  warn(text: string): void;
}

export interface Receiver {
  url: string;
  close(): Promise<void>;
}

const LARGEST_BODY_BYTES = 1024 * 1024;
const SLOWEST_REQUEST_MS = 30_000;

const REFUSALS: Record<string, { status: number; words: string }> = {
  'header-missing': { status: 400, words: 'it is not signed: a header is missing' },
  'wrong-signature': {
    status: 401,
    words: 'its signature is not of this key, or its body was changed',
  },
  'too-old': { status: 403, words: 'its timestamp is more than 5 minutes from now' },
  replayed: { status: 403, words: 'it came before: the same signature and salt' },
};

/** Listens until `close`. Throws a usage error when the port is taken. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const judge = createJudge(options);
  const server = createServer((request, response) => {
    receive(request, response, judge, options).catch((error: unknown) => {
      options.warn(`a request broke: ${messageOf(error)}`);
      response.destroy();
    });
  });
  server.requestTimeout = SLOWEST_REQUEST_MS;
  server.headersTimeout = SLOWEST_REQUEST_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error) => reject(cannotListen(options, error)));
    server.listen(options.port, options.host);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

function cannotListen({ host, port }: ReceiverOptions, error: unknown) {
  const isTaken = errorCode(error) === 'EADDRINUSE';
  return usageError(`cannot listen on ${host} port ${port}`, {
    reason: isTaken ? 'another program listens there' : messageOf(error),
    hint: 'choose another with --port, or --port 0 for a free one',
    cause: error,
  });
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  judge: (rawBody: Buffer, headers: IncomingHttpHeaders) => Delivery['verdict'],
  { onDelivery, warn }: ReceiverOptions,
): Promise<void> {
  const answer = (status: number) => {
    response.writeHead(status, { 'Content-Length': 0 }).end();
  };
  if (request.method !== 'POST') return answer(405);
  const rawBody = await readBody(request);
  if (rawBody === undefined) {
    warn('a delivery was refused: its body is larger than 1 MiB');
    response.writeHead(413, { 'Content-Length': 0, Connection: 'close' }).end();
    return;
  }
  const verdict = judge(rawBody, request.headers);
  const refusal = REFUSALS[verdict];
  if (refusal) {
    warn(`a delivery was refused: ${refusal.words} (${verdict})`);
    return answer(refusal.status);
  }
  answer(await onDelivery({ rawBody, headers: request.headers, verdict }));
}

/** The body, or undefined when it is too large; then the rest is not read. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > LARGEST_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The timestamp is not signed, so it alone does not keep an old delivery from being sent again: signatures are
 * remembered too. A retry of the service has a new salt, and so another signature.
 */
function createJudge({ apiKey, now }: ReceiverOptions) {
  const seen = new Set<string>();
  return (rawBody: Buffer, headers: IncomingHttpHeaders): Delivery['verdict'] => {
    if (apiKey === undefined) return 'unverified';
    const { signature, salt, timestamp } = signatureHeaders(headers);
    const nowSec = now().getTime() / 1000;
    const verdict = verifyDelivery({ apiKey, rawBody, signature, salt, timestamp, nowSec });
    if (verdict !== 'valid') return verdict;
    const mark = String(signature).toLowerCase();
    if (seen.has(mark)) return 'replayed';
    seen.add(mark);
    return 'valid';
  };
}

function signatureHeaders(headers: IncomingHttpHeaders) {
  const one = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return {
    signature: one(WEBHOOK_HEADERS.signature),
    salt: one(WEBHOOK_HEADERS.salt),
    timestamp: one(WEBHOOK_HEADERS.timestamp),
  };
}
