import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestListener } from '../app.js';
import { isIdText } from '../ids.js';
import { VISIT_PATH } from '../running-service.js';
import type { ServiceContext } from '../service-context.js';
import { sameText } from '../signed-address.js';
import { collectionPage, collectionsPage } from './collections-page.js';
import { deliveriesPage } from './deliveries-page.js';
import { PAGE_FILES, type Page, renderAdmitted, renderLocked, renderMissing, renderPage } from './layout.js';
import { createMediaAddresses } from './media-addresses.js';
import { readCursor } from './older-link.js';
import { createPageAccess } from './page-access.js';
import { projectPage } from './project-page.js';
import { projectsPage } from './projects-page.js';
import { schedulesPage } from './schedules-page.js';

type PagesContext = Pick<ServiceContext, 'db' | 'paths' | 'now' | 'signer' | 'progress' | 'apiKey'>;

export interface WebPages {
  /** The address, below the service's, that opens the pages for whoever has it. */
  address(serviceUrl: string): string;
  /** The same, once, within a minute. */
  makeAddressOnce(serviceUrl: string): string;
  /** Answers what is a page; everything else is the interface's. */
  before(app: RequestListener): RequestListener;
}

/**
 * Nothing but our own files is loaded, nothing can be framed, embedded, submitted or redirected by a base address.
 * `script-src 'self'` without any inline: hostile text that got past the escaping would still not run.
 */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

interface Answer {
  status: number;
  text: string;
  headers?: Record<string, string>;
}

/** The pages at `/`: what the store knows, for people. They show and change nothing. */
export function createWebPages(context: PagesContext): WebPages {
  const access = createPageAccess(context.apiKey, context.now);
  const findPage = createFinder(context);
  const answer = (request: IncomingMessage, url: URL): Answer => {
    const given = url.searchParams.get('token');
    if (given !== null && url.pathname === '/') {
      const setCookie = access.admit(given, request);
      return setCookie
        ? { status: 200, text: renderAdmitted(), headers: { 'set-cookie': setCookie } }
        : { status: 401, text: renderLocked() };
    }
    const { isOpen, setCookie } = access.check(request);
    if (!isOpen) return { status: 401, text: renderLocked() };
    const page = findPage(url);
    return {
      status: page ? 200 : 404,
      text: page ? renderPage(page) : renderMissing(),
      ...(setCookie && { headers: { 'set-cookie': setCookie } }),
    };
  };
  const makeAddressOnce = (serviceUrl: string) => `${serviceUrl}/?token=${access.makeCode()}`;
  return {
    address: (serviceUrl) => `${serviceUrl}/?token=${access.token}`,
    makeAddressOnce,
    before: (app) => (request, response) => {
      if (request.url?.startsWith('/api/')) return app(request, response);
      if (request.url === VISIT_PATH) return sendVisit(request, response, context.apiKey, makeAddressOnce);
      const url = readUrl(request.url);
      const file = url && PAGE_FILES[url.pathname];
      if (!url || (!file && !isPagePath(url.pathname))) return app(request, response);
      request.resume();
      if (request.method !== 'GET' && request.method !== 'HEAD') refuseMethod(response);
      else if (file) sendFile(request, response, file);
      else send(request, response, answer(request, url));
    },
  };
}

function createFinder(context: PagesContext): (url: URL) => Page | undefined {
  const mediaAddress = createMediaAddresses(context);
  return ({ pathname, searchParams }) => {
    const before = readCursor(searchParams.get('before'));
    const [, section = '', id, ...rest] = pathname.split('/');
    if (rest.length > 0 || (id !== undefined && !isIdText(id))) return undefined;
    if (section === 'projects' && id !== undefined) return projectPage(id, context, mediaAddress);
    if (section === 'collections' && id !== undefined) return collectionPage(id, context, mediaAddress);
    if (id !== undefined) return undefined;
    if (section === '') return projectsPage(context, mediaAddress, before);
    if (section === 'collections') return collectionsPage(context);
    if (section === 'schedules') return schedulesPage(context, searchParams.get('month'));
    if (section === 'deliveries') return deliveriesPage(context, before);
    return undefined;
  };
}

function isPagePath(path: string): boolean {
  return path === '/' || /^\/(?:projects|collections|schedules|deliveries)(?:\/|$)/.test(path);
}

/** Undefined for what is no path, such as the `*` of OPTIONS. The host was checked before and is not used. */
function readUrl(target: string | undefined): URL | undefined {
  if (!target?.startsWith('/')) return undefined;
  const address = `http://service${target}`;
  return URL.canParse(address) ? new URL(address) : undefined;
}

function send(request: IncomingMessage, response: ServerResponse, { status, text, headers }: Answer): void {
  const body = Buffer.from(text);
  response.writeHead(status, {
    ...PAGE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    vary: 'cookie',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Looks and script: the same for everybody, so no cookie is asked for. */
function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { contentType, text }: { contentType: string; text: string },
): void {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 20)}"`;
  const isKnown = request.headers['if-none-match'] === etag;
  response.writeHead(isKnown ? 304 : 200, {
    ...PAGE_HEADERS,
    'content-type': contentType,
    'cache-control': 'no-cache',
    etag,
  });
  response.end(isKnown || request.method === 'HEAD' ? undefined : text);
}

/** An address that opens the pages once, for the commands of whoever has the key. */
function sendVisit(
  request: IncomingMessage,
  response: ServerResponse,
  apiKey: string,
  makeAddressOnce: (serviceUrl: string) => string,
): void {
  const { authorization = '', host } = request.headers;
  const mayVisit = request.method === 'POST' && sameText(authorization, `Bearer ${apiKey}`);
  request.resume();
  response.writeHead(mayVisit ? 200 : 401, { ...PAGE_HEADERS, 'cache-control': 'no-store' });
  response.end(mayVisit ? makeAddressOnce(`http://${host}`) : undefined);
}

function refuseMethod(response: ServerResponse): void {
  response.writeHead(405, { ...PAGE_HEADERS, allow: 'GET, HEAD', 'content-length': 0 });
  response.end();
}
