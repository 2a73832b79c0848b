import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type * as z from 'zod/mini';
import { findProblems } from '../api/describe-issue.js';
import type { Route } from '../api/route.js';
import { ROUTES, type RouteName } from '../api/routes.js';
import { DISK_FULL, isDiskFull } from './disk-full.js';
import { readJson } from './read-json.js';
import type { RouteHandlers } from './routes/route-types.js';
import { errorBody, ServiceError } from './service-error.js';
import { sameText } from './signed-address.js';

type Bindings = { Bindings: HttpBindings };
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
  render(call: {
    query: Record<string, string>;
    params: Record<string, string>;
    baseUrl: string;
  }): string | Promise<string>;
}

export interface AppOptions {
  handlers: RouteHandlers;
  pages: readonly PlainPage[];
  apiKey: string;
  log: (line: string) => void;
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/**
 * The interface as one listener, made from the routes table: a handler never sees a request that its schemas
 * refuse, and never decides a status or an envelope. The only importer of hono.
 */
export function createApp({ handlers, pages, apiKey, log }: AppOptions): RequestListener {
  const app = new Hono<Bindings>();
  app.use('/api/*', async (context, next) => {
    const given = context.req.header('authorization') ?? '';
    if (!sameText(given, `Bearer ${apiKey}`)) {
      throw new ServiceError('Unauthorized', given ? 'the API key is not valid' : 'no API key was sent', {
        'www-authenticate': 'Bearer',
      });
    }
    await next();
  });
  for (const route of Object.values(ROUTES) as Route[]) {
    const handler = handlers[route.name as RouteName] as AnyHandler;
    app.on(route.method, toPattern(route.path), (context) => answerRoute(context, route, handler));
  }
  for (const page of pages) app.get(toPattern(page.path), (context) => answerPage(context, page));
  refuseOtherMethods(app, pages);
  app.notFound(() => toAnswer(new ServiceError('NotFound', 'no such address')));
  app.onError((error, context) => answerError(error, context, log));
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}

async function answerRoute(context: Context<Bindings>, route: Route, handler: AnyHandler): Promise<Response> {
  const body = route.request ? check(route.request, await readJson(context.env.incoming), 'body') : undefined;
  const query = route.query ? check(route.query, context.req.query(), 'query') : undefined;
  const answer = await handler({
    params: context.req.param(),
    query,
    body,
    header: (name) => context.req.header(name),
    baseUrl: baseUrlOf(context),
  });
  return jsonAnswer(context, route.status, route.envelope ? { data: answer } : answer);
}

async function answerPage(context: Context<Bindings>, page: PlainPage): Promise<Response> {
  const text = await page.render({
    query: context.req.query(),
    params: context.req.param(),
    baseUrl: baseUrlOf(context),
  });
  return new Response(text, { headers: { 'content-type': page.contentType, ...page.headers } });
}

/** A known path with another method: 405 with the methods it takes. */
function refuseOtherMethods(app: Hono<Bindings>, pages: readonly PlainPage[]): void {
  const methods = new Map<string, string[]>();
  const known = [
    ...(Object.values(ROUTES) as Route[]),
    ...pages.map(({ path }) => ({ path, method: 'GET' })),
  ];
  for (const { path, method } of known) methods.set(path, [...(methods.get(path) ?? []), method]);
  for (const [path, allowed] of methods) {
    app.all(toPattern(path), () => {
      throw new ServiceError('MethodNotAllowed', `this address takes ${allowed.join(', ')}`, {
        allow: allowed.join(', '),
      });
    });
  }
}

/** Checks a part of a request; every issue is named by its path. */
function check(schema: z.ZodMiniType, value: unknown, part: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = findProblems(schema, value).slice(0, 10);
  const issues = problems.map(({ path, message }) => `${path || part}: ${message}`);
  throw new ServiceError('InvalidRequest', issues.join('; '));
}

function answerError(error: Error, context: Context<Bindings>, log: (line: string) => void): Response {
  if (!context.env.incoming.complete) context.env.incoming.resume(); // let the client finish and read the answer
  if (error instanceof ServiceError) return toAnswer(error);
  log(`${context.req.method} ${context.req.path} failed: ${error.stack ?? error.message}`);
  if (isDiskFull(error)) return toAnswer(new ServiceError('Unavailable', DISK_FULL));
  return toAnswer(new ServiceError('InternalError', 'the service failed; its log says more'));
}

function toAnswer(error: ServiceError): Response {
  return new Response(errorBody(error.errorName, error.message), {
    status: error.status,
    headers: { 'content-type': 'application/json', ...error.headers },
  });
}

/** Written straight to node's response: a web Response and its stream cost more than all the rest of a short request. */
function jsonAnswer(context: Context<Bindings>, status: number, value: unknown): Response {
  const body = Buffer.from(JSON.stringify(value));
  const { outgoing } = context.env;
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': body.length,
  });
  outgoing.end(body);
  return RESPONSE_ALREADY_SENT;
}

function baseUrlOf(context: Context<Bindings>): string {
  return `http://${context.req.header('host')}`;
}

function toPattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
