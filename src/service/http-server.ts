import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ClipctlError, errorCode } from '../errors.js';
import type { RequestListener } from './app.js';
import { applyFault, dropAnswer, sendAnswer, sendRefusal } from './fault-answers.js';
import type { FaultPoint, Faults } from './faults.js';
import { errorBody } from './service-error.js';
import { limitTime } from './slow-client.js';

/** The header that names a request, in answers and in the log. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** A part of the service below a path, answered on the raw request. */
export interface RawPart {
  prefix: string;
  /** Requests here take as long as they take; the part limits those it refuses. */
  takesUploads?: boolean;
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
  /** For this machine. */
  url: string;
  /** For those who are told of it elsewhere: the same unless it listens on every address. */
  outerUrl: string;
  close(): Promise<void>;
}

/** What node's parser says of requests that never become one: status line and words. */
const CLIENT_ERRORS: Record<string, readonly [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are larger than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time'],
};
const UNREADABLE = ['400 Bad Request', 'the request cannot be read'] as const;

/** Listens. Throws `usage` when the port is in use or may not be used. */
export async function listen(options: HttpOptions): Promise<HttpServer> {
  const server = createServer(
    { maxHeaderSize: 16 * 1024, connectionsCheckingInterval: 5000 },
    (request, response) => {
      answer(request, response, options).catch((error: unknown) => {
        options.log(`${request.method} failed: ${error instanceof Error ? error.stack : String(error)}`);
        if (response.headersSent) request.socket.destroy();
        else sendRefusal(response, 500, 'InternalError', 'the service failed; its log says more');
      });
    },
  );
  server.headersTimeout = 30_000;
  server.requestTimeout = 0; // an upload takes as long as it takes; other requests are timed in answer()
  server.keepAliveTimeout = 15_000;
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    limitTime(request, response);
    sendRefusal(response, 417, 'InvalidRequest', 'only 100-continue can be expected');
  });
  server.on('clientError', (error, socket) => {
    const [status, message] = CLIENT_ERRORS[errorCode(error) ?? ''] ?? UNREADABLE;
    if (!socket.writable) return;
    const body = errorBody('InvalidRequest', message);
    socket.end(
      `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
  await bind(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${urlHost(visitedHost(options.host))}:${port}`,
    outerUrl: `http://${urlHost(outerHost(options.host))}:${port}`,
    close: () => closeServer(server),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
): Promise<void> {
  response.setHeader(REQUEST_ID_HEADER, randomUUID());
  dropOrigin(request);
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const part = options.parts.find((candidate) => path.startsWith(candidate.prefix));
  const isOurs = isOwnHost(request.headers.host, options.host);
  if (!isOurs || !part?.takesUploads) limitTime(request, response);
  if (!isOurs) {
    request.resume();
    return sendRefusal(
      response,
      421,
      'MisdirectedRequest',
      'this service does not answer for that host name',
    );
  }
  if (path === '/healthz') {
    sendAnswer(response, 200, { 'content-type': 'application/json' }, JSON.stringify(options.health));
    return;
  }
  if (part) return part.handle({ request, response, path, baseUrl: `http://${request.headers.host}` });
  if (path.startsWith('/api/')) {
    const points = faultPoints(request.method, path);
    const fault = options.faults.take({ points, method: request.method ?? '', path });
    if (fault?.type === 'drop-answer') dropAnswer(request, response);
    else if (fault && (await applyFault(fault, request, response))) return;
  }
  await options.app(request, response);
}

/** A client that takes us for a proxy names the whole address. */
function dropOrigin(request: IncomingMessage): void {
  if (request.url?.startsWith('/')) return;
  const [, rest] = /^https?:\/\/[^/]*(\/.*)?$/i.exec(request.url ?? '') ?? [];
  if (rest !== undefined) request.url = rest;
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

/** Listening on every address is no address to visit: this machine's own is. */
function visitedHost(host: string): string {
  if (!isAnyAddress(host)) return host;
  return host === '::' ? '::1' : '127.0.0.1';
}

function outerHost(host: string): string {
  if (!isAnyAddress(host)) return host;
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return (
    addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? visitedHost(host)
  );
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
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
