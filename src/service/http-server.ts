import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ClipctlError, errorCode } from '../errors.js';
import type { RequestListener } from './app.js';
import { applyFault, dropAnswer, sendAnswer } from './fault-answers.js';
import type { FaultPoint, Faults } from './faults.js';
import { errorBody } from './service-error.js';

/** The header that names a request, in answers and in the log. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** A request to the API has so long to arrive whole; an upload has no such limit (see storage). */
const API_REQUEST_LIMIT_MS = 30_000;

/** A part of the service below a path, answered on the raw request. */
export interface RawPart {
  prefix: string;
  handle(call: {
    request: IncomingMessage;
    response: ServerResponse;
    path: string;
    baseUrl: string;
  }): Promise<void>;
}

export interface HttpOptions {
  host: string;
  port: number;
  faults: Faults;
  log: (line: string) => void;
  /** Told by GET /healthz. */
  health: Record<string, unknown>;
  parts: readonly RawPart[];
  app: RequestListener;
}

export interface HttpServer {
  port: number;
  url: string;
  close(): Promise<void>;
}

/** Listens. Throws `usage` when the port is in use or may not be used. */
export async function listen(options: HttpOptions): Promise<HttpServer> {
  const server = createServer(
    { maxHeaderSize: 16 * 1024, connectionsCheckingInterval: 5000 },
    (request, response) => {
      answer(request, response, options).catch((error: unknown) => {
        options.log(`${request.method} failed: ${error instanceof Error ? error.stack : String(error)}`);
        if (response.headersSent) request.socket.destroy();
        else sendError(response, 500, 'InternalError', 'the service failed; its log says more');
      });
    },
  );
  server.headersTimeout = 30_000;
  server.requestTimeout = 0; // an upload takes as long as it takes; other requests are timed in answer()
  server.keepAliveTimeout = 15_000;
  server.on('clientError', (error, socket) => {
    const status =
      errorCode(error) === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    if (!socket.writable) return;
    const body = errorBody('InvalidRequest', 'the request cannot be read');
    socket.end(
      `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
  await bind(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${urlHost(options.host)}:${port}`,
    close: () => closeServer(server),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
): Promise<void> {
  response.setHeader(REQUEST_ID_HEADER, randomUUID());
  if (!isOwnHost(request.headers.host, options.host)) {
    request.resume();
    return sendError(response, 421, 'MisdirectedRequest', 'this service does not answer for that host name');
  }
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  if (path === '/healthz') {
    sendAnswer(response, 200, { 'content-type': 'application/json' }, JSON.stringify(options.health));
    return;
  }
  const part = options.parts.find((candidate) => path.startsWith(candidate.prefix));
  if (part) return part.handle({ request, response, path, baseUrl: `http://${request.headers.host}` });
  limitTime(request, response);
  if (path.startsWith('/api/')) {
    const points = faultPoints(request.method, path);
    const fault = options.faults.take({ points, method: request.method ?? '', path });
    if (fault?.type === 'drop-answer') dropAnswer(request, response);
    else if (fault && (await applyFault(fault, request, response))) return;
  }
  await options.app(request, response);
}

/** Ends a request that does not arrive whole in time; one without a body is whole when it comes here. */
function limitTime(request: IncomingMessage, response: ServerResponse): void {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    sendError(response, 408, 'InvalidRequest', 'the request did not arrive in time');
    request.socket.destroySoon();
  }, API_REQUEST_LIMIT_MS);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
}

function faultPoints(method: string | undefined, path: string): FaultPoint[] {
  if (method === 'POST' && path === '/api/upload-links') return ['link', 'api'];
  if (method === 'POST' && path === '/api/clip-projects') return ['create', 'api'];
  return ['api'];
}

/**
 * Whether a Host header names us. A web page of another site can be made to resolve its own name to 127.0.0.1
 * (DNS rebinding); it cannot make the browser send another Host.
 */
function isOwnHost(header: string | undefined, host: string): boolean {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:@/\s]+)(?::\d{1,5})?$/.exec(header ?? '');
  const name = match?.[1]?.toLowerCase();
  if (!name) return false;
  if (name === 'localhost' || name === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)) return true;
  if (name === urlHost(host).toLowerCase()) return true;
  // Told to listen on every address: any address written as numbers is ours, a name is not.
  return isAnyAddress(host) && (/^\d+\.\d+\.\d+\.\d+$/.test(name) || name.startsWith('['));
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function sendError(response: ServerResponse, status: number, errorName: string, message: string): void {
  sendAnswer(response, status, { 'content-type': 'application/json' }, errorBody(errorName, message));
}

function bind(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(bindError(error, host, port)));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function bindError(error: Error, host: string, port: number): ClipctlError {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new ClipctlError('usage', `port ${port} is in use`, {
        hint: 'choose another with --port, or --port 0 for a free one',
        cause: error,
      });
    case 'EACCES':
      return new ClipctlError('usage', `port ${port} may not be used`, {
        hint: 'choose one above 1023 with --port, or --port 0 for a free one',
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ClipctlError('usage', `${host} is not an address of this machine`, {
        hint: 'choose another with --host',
        cause: error,
      });
    default:
      return new ClipctlError('service', `the service cannot listen on ${host}:${port}`, {
        reason: error.message,
        cause: error,
      });
  }
}

/** Stops listening, lets answers under way end for a moment, then closes what is left. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), 1000);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
