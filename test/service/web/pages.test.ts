import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { html } from '../../../src/service/web/html.js';
import { createPageAccess } from '../../../src/service/web/page-access.js';
import { startTestService, type TestService } from '../../helpers/local-service.js';
import {
  seedClip,
  seedCollection,
  seedDelivery,
  seedJob,
  seedProject,
  seedSchedule,
  withStore,
} from './seed-store.js';

/** The pages as plain HTTP answers: what they show, to whom, and that nothing hostile gets through. */

const HOSTILE = `</title><script>alert(1)</script><img src=x onerror=alert(2)>"'\`&\u0000\u202e`;

let service: TestService;
let cookie: string;
beforeAll(async () => {
  service = await startTestService();
  cookie = await admit(service.pageUrl);
});
afterAll(() => service.stop());

/** Visits an address with a token; answers the cookie it gave, or nothing. */
async function admit(address: string): Promise<string> {
  const response = await fetch(address, { redirect: 'error' });
  await response.text();
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(service.url + path, { headers: { cookie, ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('access', () => {
  test('is refused without the printed address, for every page, and says where it is', async () => {
    for (const path of [
      '/',
      '/collections',
      '/schedules',
      '/deliveries',
      '/projects/Pnobody',
      '/?token=wrong',
    ]) {
      const response = await fetch(service.url + path);
      expect([path, response.status]).toEqual([path, 401]);
      expect(await response.text()).toContain('clipctl serve');
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });

  test('comes with the token, and stays in a cookie that no script and no other site can use', async () => {
    const response = await fetch(service.pageUrl);
    expect(response.headers.get('set-cookie')).toMatch(
      /^clipctl_page_\d+=\d+\.[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Strict$/,
    );
    expect(await response.text()).toContain('content="0;url=/"');
    expect((await get('/')).status).toBe(200);
    expect((await get('/', { cookie: `${cookie}x` })).status).toBe(401);
    expect((await get('/', { cookie: cookie.replace(/=\d+/, '=99999999999') })).status).toBe(401);
  });

  test('the token and the cookie do not open the interface, and the key is in neither', async () => {
    const token = new URL(service.pageUrl).searchParams.get('token') ?? '';
    for (const authorization of ['', `Bearer ${token}`]) {
      expect((await get('/api/social-accounts', { authorization })).status).toBe(401);
    }
    expect(service.pageUrl + cookie).not.toContain(service.apiKey);
    expect((await get('/')).text).not.toContain(service.apiKey);
  });

  test('a code works once', async () => {
    const address = service.makePageUrlOnce();
    expect(await admit(address)).toContain('clipctl_page_');
    expect(await admit(address)).toBe('');
  });

  test('an address for one visit is given to the key alone', async () => {
    const ask = async (method: string, authorization: string) => {
      const answer = await fetch(`${service.url}/web/visit`, { method, headers: { authorization, cookie } });
      return [answer.status, await answer.text()];
    };
    for (const method of ['GET', 'POST']) expect(await ask(method, 'Bearer wrong')).toEqual([401, '']);
    expect(await ask('GET', `Bearer ${service.apiKey}`)).toEqual([401, '']);
    const [status, address] = await ask('POST', `Bearer ${service.apiKey}`);
    expect(status).toBe(200);
    expect(await admit(String(address))).toContain('clipctl_page_');
  });

  test('a code ends after a minute, a cookie after a week', () => {
    let now = new Date('2026-01-01T00:00:00Z');
    const access = createPageAccess('key', () => now);
    const visit = (text = '') => ({ headers: { host: '127.0.0.1:1', cookie: text } }) as never;
    const code = access.makeCode();
    const given = access.admit(access.token, visit())?.split(';')[0] ?? '';
    now = new Date('2026-01-01T00:01:01Z');
    expect(access.admit(code, visit())).toBeUndefined();
    expect(access.check(visit(given))).toEqual({ isOpen: true });
    now = new Date('2026-01-06T00:00:00Z');
    expect(access.check(visit(given)).setCookie).toContain('clipctl_page_1=');
    now = new Date('2026-01-08T00:01:00Z');
    expect(access.check(visit(given)).isOpen).toBe(false);
  });

  test('is refused to pages of other origins, other ports of this machine among them', async () => {
    for (const site of ['same-site', 'cross-site']) {
      const embedded = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
      expect((await get('/', embedded)).status).toBe(401);
      expect((await get('/', { 'sec-fetch-site': site, 'sec-fetch-mode': 'cors' })).status).toBe(401);
    }
    const answer = await get('/', { origin: 'http://127.0.0.1:1' });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('is refused to other host names', async () => {
    const status = await new Promise((resolve, reject) => {
      const call = request(service.url, { headers: { host: 'rebound.example', cookie } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      call.on('error', reject);
      call.end();
    });
    expect(status).toBe(421);
  });
});

describe('answers', () => {
  test('carry a strict policy, are not kept, and have nothing inline', async () => {
    for (const path of ['/', '/collections', '/schedules', '/deliveries', '/projects/Pnobody']) {
      const { headers, text } = await get(path);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe|http|\*|data:/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(text).not.toMatch(
        /<style|\sstyle=|\son[a-z]+=|javascript:|<script(?! src="\/web\/page\.js" defer><\/script>)/,
      );
    }
  });

  test('know their methods and their addresses', async () => {
    const post = await fetch(`${service.url}/`, { method: 'POST', body: 'x', headers: { cookie } });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const head = await fetch(`${service.url}/`, { method: 'HEAD', headers: { cookie } });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const path of ['/projects', '/projects/', '/projects/P/x', '/collections/Lnone', '/schedules/x']) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    for (const path of [
      '/schedules?month=2026-13',
      '/schedules?month=9999-12',
      '/schedules?month=x',
      '/?before=x',
      '/deliveries?before=%00',
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    }
    const style = await get('/web/page.css');
    const again = await get('/web/page.css', { 'if-none-match': style.headers.get('etag') ?? '' });
    expect([style.status, again.status]).toEqual([200, 304]);
  });
});

test('the template escapes every value but its own', () => {
  expect(html`<a title="${HOSTILE}">${[html`<b>${1}</b>`, '<i>', null, false]}</a>`.text).toBe(
    '<a title="&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;&quot;&#39;&#96;&amp;\ufffd\u202e"><b>1</b>&lt;i&gt;</a>',
  );
});

test('hostile words are shown as words, everywhere', async () => {
  const month = '2031-03';
  const ids = await withStore(service, (db) => {
    const projectId = seedProject(db, {
      title: HOSTILE,
      stage: 'STALLED',
      error: HOSTILE,
      source: `javascript:alert("${HOSTILE}")`,
    });
    const clipId = seedClip(db, projectId, {
      title: HOSTILE,
      reason: HOSTILE,
      text: HOSTILE,
      notes: [HOSTILE],
    });
    seedSchedule(db, clipId, { publishAt: `${month}-05T10:00:00.000Z`, title: HOSTILE, state: HOSTILE });
    seedJob(db, clipId, { kind: 'censor', error: HOSTILE });
    const copy = { text: HOSTILE, madeBy: HOSTILE };
    seedJob(db, clipId, { kind: 'copy', platform: HOSTILE, result: copy });
    seedDelivery(db, { subject: HOSTILE, target: HOSTILE, body: HOSTILE, error: HOSTILE });
    return { projectId, collectionId: seedCollection(db, HOSTILE, [clipId]) };
  });
  const pages = [
    '/',
    `/projects/${ids.projectId}`,
    '/collections',
    `/collections/${ids.collectionId}`,
    `/schedules?month=${month}`,
    '/deliveries',
  ];
  for (const path of pages) {
    const { status, text } = await get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(text).toContain('alert(1)');
    expect(text).not.toMatch(/<script>|<img|href="javascript|\u0000/i);
    expect(text.match(/<\/title>/g)).toHaveLength(1);
  }
});

test('jobs of a clip are shown with what came of them, the newest few', async () => {
  const projectId = await withStore(service, (db) => {
    const id = seedProject(db, { title: 'With jobs' });
    const clipId = seedClip(db, id, { title: 'A clip' });
    for (let count = 0; count < 9; count += 1) seedJob(db, clipId, { kind: 'censor', error: `try ${count}` });
    const other = seedClip(db, id, { title: 'Another', position: 1 });
    seedJob(db, other, { kind: 'censor', result: { message: '2 words beeped over', version: 2 } });
    seedJob(db, other, { kind: 'censor', status: 'QUEUED' });
    const copy = { text: 'Read this!\n\n#now', madeBy: 'word statistics' };
    seedJob(db, other, { kind: 'copy', platform: 'TIKTOK_BUSINESS', result: copy });
    seedJob(db, other, { kind: 'copy', status: 'PROCESSING' });
    return id;
  });
  const { text } = await get(`/projects/${projectId}`);
  expect(text.match(/<p class="error" dir="auto">try \d<\/p>/g)).toHaveLength(5);
  expect(text).toContain('<span class="badge bad">Failed</span> Censoring');
  expect(text).toContain('<span class="badge good">Concluded</span> Censoring: 2 words beeped over');
  expect(text).toContain('<span class="badge wait">Queued</span> Censoring');
  expect(text).toContain(
    '<span class="badge good">Concluded</span> Social copy for <bdi>TIKTOK_BUSINESS</bdi>',
  );
  expect(text).toContain(
    '<blockquote dir="auto">Read this!\n\n#now</blockquote><p class="facts">made by word statistics</p>',
  );
  expect(text).toContain('data-busy="yes"');
});

test('10,000 projects are shown fifty at a time, each once', {
  timeout: 300_000,
}, async () => {
  const one = await startTestService();
  try {
    await withStore(one, (db) => {
      for (let index = 0; index < 10_000; index += 1) {
        // Several of the same millisecond: the order among them must be the same on every page.
        const at = new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 7)).toISOString();
        seedProject(db, { title: `Talk ${index}`, createdAt: at });
      }
    });
    const own = await admit(one.pageUrl);
    const seen = new Set<string>();
    let path: string | undefined = '/';
    let pageCount = 0;
    while (path !== undefined) {
      const text: string = await (await fetch(one.url + path, { headers: { cookie: own } })).text();
      const keys = [...text.matchAll(/class="row" data-key="(P\w+)"/g)].map((match) => String(match[1]));
      expect(keys.filter((key) => seen.has(key))).toEqual([]);
      for (const key of keys) seen.add(key);
      pageCount += 1;
      path = /rel="next" href="([^"]+)"/.exec(text)?.[1];
    }
    expect([seen.size, pageCount]).toEqual([10_000, 200]);
  } finally {
    await one.stop();
  }
});
