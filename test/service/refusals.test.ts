import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillPath, type Route } from '../../src/api/route.js';
import { ROUTES } from '../../src/api/routes.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { type StorageSend, sendStorage } from './storage-client.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const LONG = 'x'.repeat(100_000);
/** Values that no member of any request takes. */
const WRONG_VALUES = [
  null,
  0,
  -1,
  true,
  [],
  {},
  '',
  ' ',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  LONG,
  { a: { b: 1 } },
  [[[]]],
];
const IDS = [
  'unknown',
  '..',
  '../x',
  '%00',
  '%2e%2e%2f',
  'a'.repeat(5000),
  'P\u0000',
  '.',
  'P.C',
  '%',
  '%ff',
  "P'--",
];

const VALID: Record<string, Record<string, unknown>> = {
  createProject: { videoUrl: 'Unone' },
  updateVisibility: { visibility: 'PUBLIC' },
  createUploadLink: { video: { usecase: 'LocalUpload' } },
  createCollection: { collectionName: 'x' },
  addToCollection: { collectionId: 'Lnone', contentId: 'Pnone.Cnone' },
  removeFromCollection: {
    q: 'findByCollectionIdAndContentId',
    collectionId: 'Lnone',
    contentId: 'Pnone.Cnone',
  },
  exportCollection: {},
  createSchedule: {
    projectId: 'P',
    clipId: 'C',
    postAccountId: 'local-page',
    publishAt: '2090-01-01T00:00:00Z',
  },
  createCensorJob: { projectId: 'P', clipId: 'C', options: { beepSound: true } },
  createCopyJob: { projectId: 'P', clipId: 'C', postAccountId: 'local-page' },
};

interface Attempt extends StorageSend {
  name: string;
  path: string;
}

const routes = Object.values(ROUTES) as Route[];
const idPath = (route: Route, id: string) => route.path.replace(/\{\w+\}/g, id);

function attempts(): Attempt[] {
  const json = (route: Route, body: unknown, what: string): Attempt => ({
    name: `${route.name}: ${what}`,
    method: route.method,
    path: fillPath(route.path, { projectId: 'P', collectionId: 'L', scheduleId: 'S', jobId: 'X' }),
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  return routes.flatMap((route) => {
    const ids = route.path.includes('{') ? IDS : [];
    const byId: Attempt[] = ids.map((id) => ({
      ...json(route, VALID[route.name] ?? {}, `id ${id.slice(0, 20)}`),
      path: idPath(route, encodeURI(id).replace(/%25/g, '%')),
      ...(route.request ? {} : { body: undefined }),
    }));
    if (!route.request) return byId;
    const valid = VALID[route.name] ?? {};
    const wrong = Object.keys(valid).flatMap((member) => [
      json(
        route,
        Object.fromEntries(Object.entries(valid).filter(([key]) => key !== member)),
        `without ${member}`,
      ),
      ...WRONG_VALUES.map((value) => json(route, { ...valid, [member]: value }, `${member} wrong`)),
    ]);
    const broken = [
      '',
      '{',
      'null',
      '[]',
      '"text"',
      '1',
      '{"a":1',
      '{"__proto__":{"a":1}}',
      '['.repeat(50_000),
    ];
    return [
      ...byId,
      ...wrong,
      ...broken.map((text) => json(route, text, `body ${text.slice(0, 10)}`)),
      json(route, { ...valid, unknownMember: 1 }, 'an unknown member'),
      json(route, { ...valid, filler: 'y'.repeat(2 * 1024 * 1024) }, 'two megabytes'),
    ];
  });
}

const PREFERENCES = [
  { curationPref: { clipDurations: [[90, 0]] } },
  { curationPref: { clipDurations: [[-1, 5]] } },
  { curationPref: { clipDurations: [0, 90] } },
  { curationPref: { range: {} } },
  { curationPref: { range: { startSec: 5 } } },
  { curationPref: { range: { startSec: 9, endSec: 3 } } },
  { curationPref: { genre: 'Unheard of' } },
  { curationPref: { model: 'ClipEverything' } },
  { renderPref: { enableVisualHook: true } },
  { renderPref: { layoutAspectRatio: 'round' } },
  { renderPref: { font: { color: '#fff' } } },
  { renderPref: { enableCaption: 'yes' } },
  { renderPref: { screenOverlay: '\u0000' } },
  { importPref: { sourceLang: 5 } },
  { importPreference: { sourceLang: 'en' } },
  { conclusionActions: [{ type: 'PIGEON' }] },
  { conclusionActions: [{ type: 'EMAIL' }] },
  { conclusionActions: [{ type: 'EMAIL', email: 'nobody' }] },
  { conclusionActions: [{ type: 'WEBHOOK', url: 'ftp://example.com' }] },
  { uploadedVideoAttr: { title: LONG } },
];

async function expectRefused({ name, path, ...send }: Attempt): Promise<void> {
  const headers = {
    authorization: `Bearer ${service.apiKey}`,
    ...(send.body && { 'content-type': 'application/json', 'content-length': send.body.length }),
    ...send.headers,
  };
  const answer = await sendStorage(service.url + path, { ...send, headers });
  const shown = `${name} answered ${answer.status} ${answer.text.slice(0, 200)}`;
  expect(answer.status, shown).toBeGreaterThanOrEqual(400);
  expect(answer.status, shown).toBeLessThan(500);
  expect(answer.headers['x-request-id'], shown).toBeTruthy();
  const body = JSON.parse(answer.text) as { errorName: string; errorMessage: string };
  expect(body, shown).toEqual({ errorName: expect.any(String), errorMessage: expect.any(String) });
  expect(answer.text, shown).not.toMatch(/node:|\.ts:|at Object|SqliteError/);
}

/** The only wrong value that a member takes: a collection may be named anything. */
const acceptable = (attempt: Attempt) =>
  !(
    attempt.name.startsWith('createCollection: collectionName') && String(attempt.body).includes('etc/passwd')
  );

test('wrong requests are refused with the error body, whatever is wrong with them', async () => {
  const list = attempts().filter(acceptable);
  expect(list.length).toBeGreaterThan(300);
  for (const attempt of list) await expectRefused(attempt);
  for (const more of PREFERENCES) {
    const body = Buffer.from(JSON.stringify({ videoUrl: 'https://example.com/a.mp4', ...more }));
    await expectRefused({
      name: JSON.stringify(more).slice(0, 60),
      method: 'POST',
      path: '/api/clip-projects',
      body,
    });
  }
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  const body = Buffer.from(`{"videoUrl":"https://example.com/a.mp4","renderPref":{"screenOverlay":${deep}}}`);
  await expectRefused({ name: 'deep nesting', method: 'POST', path: '/api/clip-projects', body });
  expect((await service.call('GET', '/api/social-accounts?q=mine')).status).toBe(200);
  expect(service.logged.filter((line) => line.includes('failed'))).toEqual([]);
}, 60_000);

test('the key is needed on every route, in its exact form', async () => {
  for (const route of routes) {
    for (const authorization of [
      '',
      'Bearer',
      'Bearer x',
      `Basic ${service.apiKey}`,
      `Bearer ${service.apiKey}x`,
    ]) {
      const answer = await sendStorage(service.url + idPath(route, 'x'), {
        method: route.method,
        headers: { authorization },
      });
      expect([route.name, answer.status]).toEqual([route.name, 401]);
    }
  }
});

test('other methods, media types, hosts and paths are refused by their own status', async () => {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const status = async (path: string, send: StorageSend) =>
    (await sendStorage(service.url + path, { ...send, headers: { ...headers, ...send.headers } })).status;
  expect(await status('/api/collections', { method: 'GET' })).toBe(405);
  expect(await status('/api/clip-projects/P', { method: 'PATCH' })).toBe(405);
  const body = Buffer.from('{"collectionName":"x"}');
  expect(
    await status('/api/collections', { method: 'POST', body, headers: { 'content-type': 'text/plain' } }),
  ).toBe(415);
  expect(await status('/api/collections', { method: 'POST', body })).toBe(415);
  expect(await status('/api/nothing', { method: 'GET' })).toBe(404);
  expect(await status('/nothing', { method: 'GET' })).toBe(404);
  expect(await status('/media/../store.db', { method: 'GET' })).toBe(404);
  expect(await status('/storage/sessions/../../store.db', { method: 'PUT' })).toBe(404);
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:80', '192.168.0.1']) {
    expect([host, await status('/healthz', { method: 'GET', headers: { host } })]).toEqual([host, 421]);
  }
  expect(await status('/healthz', { method: 'GET', headers: { host: `localhost:${service.port}` } })).toBe(
    200,
  );
});

/** What a server answers to bytes that are no request of any client. */
function sendBytes(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(service.port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
      socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

test('bytes that are no HTTP, or too many headers, are refused and nothing breaks', async () => {
  expect(await sendBytes('hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  expect(await sendBytes(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 /,
  );
  expect(await sendBytes('GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(await sendBytes('GET //evil HTTP/1.1\r\nhost: localhost\r\n\r\n')).toMatch(/^HTTP\/1\.1 404 /);
  expect(await sendBytes('GET http://evil/api/x HTTP/1.1\r\nhost: localhost\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 4\d\d /,
  );
  expect(await sendBytes('POST / HTTP/1.1\r\nhost: localhost\r\nexpect: tea\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 417 [\s\S]*errorName/,
  );
  expect((await service.call('GET', '/api/social-accounts?q=mine')).status).toBe(200);
});

test('the whole address, and the scheme of the key in any case, are taken', async () => {
  const { port, apiKey } = service;
  const target = `http://127.0.0.1:${port}/api/social-accounts?q=mine`;
  const head = `host: 127.0.0.1:${port}\r\nauthorization: bEARER ${apiKey}\r\n`;
  expect(await sendBytes(`GET ${target} HTTP/1.1\r\n${head}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
});

test('the store, whose tokens are permissions, is for its owner only', async () => {
  for (const name of ['store.db', 'store.db-wal', 'store.db-shm', 'api-key', 'signing-key']) {
    expect([name, (await stat(join(service.dataDir, name))).mode & 0o777]).toEqual([name, 0o600]);
  }
});
