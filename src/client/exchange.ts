import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { CancelledError, ClipctlError, errorCode, messageOf } from '../errors.js';
import type { Connector } from './connector.js';

/** One request as it goes out. `body` is sent as it is. */
export interface OutgoingRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The connection failed. `sent` says whether the service may have seen the request. */
export class ExchangeError extends Error {
  readonly sent: boolean;
  readonly timedOut: boolean;

  constructor(message: string, options: { sent: boolean; timedOut?: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'ExchangeError';
    this.sent = options.sent;
    this.timedOut = options.timedOut ?? false;
  }
}

/** More than any JSON answer of the service has; a body beyond it is a fault, not something to hold in memory. */
const LARGEST_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Sends one request and reads its whole answer within `timeoutMs`. Redirects come back as they are.
 * Throws ExchangeError, or the signal's CancelledError.
 */
export async function exchange(
  connector: Connector,
  request: OutgoingRequest,
  options: { timeoutMs: number; signal?: AbortSignal; fresh: boolean },
): Promise<Answer> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  let connected = false;
  try {
    const outgoing = await connector.open(new URL(request.url), {
      method: request.method,
      headers: { ...request.headers, 'Content-Length': Buffer.byteLength(request.body ?? '') },
      signal,
      fresh: options.fresh,
    });
    watchConnection(outgoing, () => {
      connected = true;
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.once('error', reject);
      outgoing.end(request.body);
    });
    return { status: response.statusCode ?? 0, headers: response.headers, body: await readBody(response) };
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason ?? new CancelledError();
    if (error instanceof ClipctlError) throw error;
    const timedOut = timeout.aborted;
    const message = timedOut ? `no answer within ${options.timeoutMs / 1000} s` : describeFault(error);
    throw new ExchangeError(message, { sent: connected, timedOut, cause: error });
  }
}

/** Calls back once bytes of the request may have left: on a connected (and, with TLS, trusted) socket. */
function watchConnection(outgoing: ClientRequest, onConnected: () => void): void {
  outgoing.once('socket', (socket) => {
    if (outgoing.reusedSocket || !socket.connecting) return onConnected();
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', onConnected);
  });
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response) {
    sizeBytes += chunk.length;
    if (sizeBytes > LARGEST_BODY_BYTES) {
      response.destroy();
      throw new ClipctlError('service', 'the answer is larger than any answer of this service');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const FAULTS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
};

/** What happened on the connection, in words. */
export function describeFault(error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) return messageOf(error);
  return (
    FAULTS[code] ??
    (isTlsFault(code) ? `the certificate is not trusted (${code})` : `${messageOf(error)} (${code})`)
  );
}

/** Codes of OpenSSL's certificate checks: the other side is not who it should be, or nobody vouches for it. */
export function isTlsFault(code: string | undefined): boolean {
  return code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/.test(code);
}
