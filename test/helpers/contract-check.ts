import { findProblems } from '../../src/api/describe-issue.js';
import type { Route } from '../../src/api/route.js';
import { ROUTES } from '../../src/api/routes.js';
import type { WireRequest } from './wire-tap.js';

/** What a request has that does not fit the contract: its route, its schemas, the key, and who may see the key. */
export function findBreaches(request: WireRequest, apiKey: string): string[] {
  const { method, path, headers } = request;
  const what = `${method} ${path}`;
  if (!path.startsWith('/api/')) return headers.authorization ? [`${what} was told the key`] : [];
  const route = Object.values<Route>(ROUTES).find((each) => isOf(each, request));
  if (!route) return [`${what} is no route`];
  const problems = [...checkHeaders(headers, apiKey), ...checkBody(route, request)];
  if (route.query) {
    const query = Object.fromEntries(new URL(path, 'http://x').searchParams);
    problems.push(...say(route.query, query).map((problem) => `query ${problem}`));
  }
  return problems.map((problem) => `${what}: ${problem}`);
}

function isOf(route: Route, { method, path }: WireRequest): boolean {
  const pattern = new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`);
  return route.method === method && pattern.test(path.split('?')[0] ?? '');
}

function checkHeaders(headers: WireRequest['headers'], apiKey: string): string[] {
  return [
    ...(headers.authorization === `Bearer ${apiKey}` ? [] : ['no key']),
    ...(/^clipctl\/\d/.test(headers['user-agent'] ?? '') ? [] : ['no user agent']),
  ];
}

function checkBody(route: Route, { headers, body }: WireRequest): string[] {
  if (!route.request) return body === '' ? [] : ['a body where there is none'];
  const type = headers['content-type'] === 'application/json' ? [] : ['content type'];
  return [...type, ...say(route.request, JSON.parse(body))];
}

function say(schema: NonNullable<Route['request']>, value: unknown): string[] {
  return findProblems(schema, value).map(({ path, message }) => `${path} ${message}`);
}
