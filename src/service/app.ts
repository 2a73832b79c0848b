import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as z from 'zod/mini';
import { findProblems } from '../api/describe-issue.js';
import type { Route } from '../api/route.js';
import { ROUTES, type RouteName } from '../api/routes.js';
import { DISK_FULL, isDiskFull } from './disk-full.js';
import { sendAnswer, sendRefusal } from './fault-answers.js';
import { readJson } from './read-json.js';
import type { RouteHandlers } from './routes/route-types.js';
import { ServiceError } from './service-error.js';
import { sameText } from './signed-address.js';

type AnyHandler = (call: {
  params: Record<string, string>;
  query: unknown;
  body: unknown;
  header(name: string): string | undefined;
  baseUrl: string;
}) => unknown;

/** A page or document outside /api, answered without a key. */
export interface PlainPage {
  path: string;
  contentType: string;
  headers?: Record<string, string>;
  render(call: { baseUrl: string }): string;
}

export interface AppOptions {
  handlers: RouteHandlers;
  pages: readonly PlainPage[];
  apiKey: string;
  log: (line: string) => void;
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** One method of one address. */
interface Endpoint {
  method: string;
  answer(request: IncomingMessage, params: Record<string, string>): Answer | Promise<Answer>;
}

/** All that one address takes; the pattern has a named group for each parameter. */
interface Address {
  pattern: RegExp;
  endpoints: Endpoint[];
}

/**
 * The interface as one listener, made from the routes table: a handler never sees a request that its schemas
 * refuse, and never decides a status or an envelope. On node's own request and response: through the web's, a
 * framework took a third of the time of a short request.
 */
export function createApp({ handlers, pages, apiKey, log }: AppOptions): RequestListener {
  const addresses = new Map<string, Address>();
  const add = (path: string, endpoint: Endpoint) => {
    const address = addresses.get(path) ?? { pattern: toPattern(path), endpoints: [] };
    addresses.set(path, address);
    address.endpoints.push(endpoint);
  };
  for (const route of Object.values(ROUTES) as Route[]) {
    const handler = handlers[route.name as RouteName] as AnyHandler;
    add(route.path, {
      method: route.method,
      answer: (request, params) => answerRoute(request, params, route, handler),
    });
  }
  for (const page of pages) {
    add(page.path, { method: 'GET', answer: (request) => answerPage(request, page) });
  }
  const table = [...addresses.values()];
  return async (request, response) => {
    try {
      const path = pathOf(request);
      if (path.startsWith('/api/')) checkKey(request, apiKey);
      const { endpoint, params } = findEndpoint(table, request.method, path);
      const { status, headers, text } = await endpoint.answer(request, params);
      sendAnswer(response, status, headers, text);
    } catch (error) {
      if (!request.complete) request.resume(); // let the client finish and read the answer
      const refusal = error instanceof ServiceError ? error : toRefusal(error, request, log);
      sendRefusal(response, refusal.status, refusal.errorName, refusal.message, refusal.headers);
    }
  };
}

function checkKey({ headers }: IncomingMessage, apiKey: string): void {
  const given = /^bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  if (sameText(given, apiKey)) return;
  throw new ServiceError('Unauthorized', given ? 'the API key is not valid' : 'no API key was sent', {
    'www-authenticate': 'Bearer',
  });
}

/** Throws NotFound for an unknown address, MethodNotAllowed for a method it does not take. */
function findEndpoint(
  table: readonly Address[],
  method: string | undefined,
  path: string,
): { endpoint: Endpoint; params: Record<string, string> } {
  for (const { pattern, endpoints } of table) {
    const match = pattern.exec(path);
    if (!match) continue;
    const wanted = method === 'HEAD' ? 'GET' : method; // node leaves the body of its answer out
    const endpoint = endpoints.find((candidate) => candidate.method === wanted);
    if (endpoint) return { endpoint, params: decodeParams(match.groups) };
    const allowed = endpoints.map((candidate) => candidate.method).join(', ');
    throw new ServiceError('MethodNotAllowed', `this address takes ${allowed}`, { allow: allowed });
  }
  throw new ServiceError('NotFound', 'no such address');
}

function decodeParams(groups: Record<string, string> = {}): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    throw new ServiceError('NotFound', 'no such address');
  }
}

async function answerRoute(
  request: IncomingMessage,
  params: Record<string, string>,
  route: Route,
  handler: AnyHandler,
): Promise<Answer> {
  const answer = await handler({
    params,
    body: route.request ? check(route.request, await readJson(request), 'body') : undefined,
    query: route.query ? check(route.query, queryOf(request), 'query') : undefined,
    header: (name) => request.headers[name]?.toString(),
    baseUrl: baseUrlOf(request),
  });
  return {
    status: route.status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    text: JSON.stringify(route.envelope ? { data: answer } : answer),
  };
}

function answerPage(request: IncomingMessage, page: PlainPage): Answer {
  const headers = { 'content-type': page.contentType, ...page.headers };
  return { status: 200, headers, text: page.render({ baseUrl: baseUrlOf(request) }) };
}

/** Checks a part of a request; every issue is named by its path. */
function check(schema: z.ZodMiniType, value: unknown, part: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = findProblems(schema, value).slice(0, 10);
  const issues = problems.map(({ path, message }) => `${path || part}: ${message}`);
  throw new ServiceError('InvalidRequest', issues.join('; '));
}

/** What is no refusal of ours is told in the log; the caller learns no more than that. */
function toRefusal(error: unknown, request: IncomingMessage, log: (line: string) => void): ServiceError {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log(`${request.method} ${pathOf(request)} failed: ${words}`);
  if (isDiskFull(error)) return new ServiceError('Unavailable', DISK_FULL);
  return new ServiceError('InternalError', 'the service failed; its log says more');
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? url;
}

function queryOf({ url = '' }: IncomingMessage): Record<string, string> {
  const from = url.indexOf('?');
  return from < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(from)));
}

function baseUrlOf({ headers }: IncomingMessage): string {
  return `http://${headers.host}`;
}

/** `/api/x/{id}` as an expression with the group `id`. Addresses of the table have no other special characters. */
function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}
