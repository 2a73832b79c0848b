import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isPublicAddress } from '../../src/service/pipeline/safe-address.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { tools } from './media/media-files.js';
import { createProject, getProject, TALK } from './project-client.js';

let site: Server;
let siteUrl: string;
const asked: { path: string; range: string | undefined }[] = [];

/** Serves the talk: whole, in two halves because the first connection breaks, behind redirects, as a page. */
beforeAll(async () => {
  const bytes = await readFile(TALK);
  const half = Math.floor(bytes.length / 2);
  site = createServer((request, response) => {
    const { range } = request.headers;
    asked.push({ path: String(request.url), range });
    const headers = { 'content-type': 'video/mp4', etag: '"talk"' };
    if (request.url === '/page')
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    if (request.url === '/missing.mp4') return response.writeHead(404).end();
    if (request.url === '/away') return response.writeHead(302, { location: '/talk.mp4' }).end();
    if (request.url === '/loop') return response.writeHead(302, { location: '/loop' }).end();
    const isFirst = asked.filter(({ path }) => path === request.url).length === 1;
    if (isFirst && (request.url === '/broken.mp4' || request.url === '/shifted.mp4')) {
      response.writeHead(200, { ...headers, 'content-length': bytes.length });
      response.write(bytes.subarray(0, half), () => response.destroy());
      return;
    }
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const part = { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
    if (start > 0 && request.url === '/shifted.mp4') {
      const whole = { 'content-range': `bytes 0-${bytes.length - 1}/${bytes.length}` };
      return response.writeHead(206, { ...headers, ...whole }).end(bytes);
    }
    response.writeHead(start > 0 ? 206 : 200, {
      ...headers,
      ...(start > 0 && part),
      'content-length': bytes.length - start,
    });
    response.end(bytes.subarray(start));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(() => {
  site.closeAllConnections();
  site.close();
});

/** No moment fits, so that only the import takes time: how the project ended tells how far it came. */
async function importFrom(service: TestService, videoUrl: string) {
  const { id } = await createProject(service, { videoUrl, curationPref: { clipDurations: [[600, 900]] } });
  await service.idle();
  return getProject(service, id);
}

test('a direct link is fetched, through redirects and after a break, and pages are refused in words', async () => {
  const service = await startTestService({
    allowPrivateImports: true,
    env: { CLIPCTL_FFMPEG: tools.ffmpegPath, CLIPCTL_FFPROBE: tools.ffprobePath, PATH: '' },
  });
  try {
    const fetched = /^no clips: /;
    expect((await importFrom(service, `${siteUrl}/talk.mp4`)).error).toMatch(fetched);
    expect((await importFrom(service, `${siteUrl}/away`)).error).toMatch(fetched);
    expect((await importFrom(service, `${siteUrl}/broken.mp4`)).error).toMatch(fetched);
    const resumed = asked.filter(({ path }) => path === '/broken.mp4').map(({ range }) => range);
    expect(resumed).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
    expect((await importFrom(service, `${siteUrl}/shifted.mp4`)).error).toMatch(fetched);
    expect((await importFrom(service, `${siteUrl}/missing.mp4`)).error).toContain('the address answered 404');
    expect((await importFrom(service, `${siteUrl}/loop`)).error).toContain('redirects');
    const page = await importFrom(service, `${siteUrl}/page`);
    expect([page.stage, page.error]).toEqual([
      'STALLED',
      expect.stringContaining('yt-dlp, which is not on the PATH'),
    ]);
  } finally {
    await service.stop();
  }
}, 30_000);

test('addresses of this machine and of private networks are refused unless allowed', async () => {
  const service = await startTestService();
  try {
    const before = asked.length;
    for (const videoUrl of [
      `${siteUrl}/talk.mp4`,
      siteUrl.replace('127.0.0.1', 'localhost'),
      siteUrl.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      siteUrl.replace('127.0.0.1', '2130706433'),
      'http://169.254.169.254/latest/meta-data',
      'http://[::1]/x.mp4',
      'http://10.1.2.3/x.mp4',
    ]) {
      const { stage, error } = await importFrom(service, videoUrl);
      expect([stage, error]).toEqual(['STALLED', expect.stringContaining('private')]);
    }
    expect(asked.length).toBe(before);
  } finally {
    await service.stop();
  }
});

test.each([
  ['8.8.8.8', true],
  ['1.1.1.1', true],
  ['2606:4700:4700::1111', true],
  ['127.0.0.1', false],
  ['0.0.0.0', false],
  ['100.64.0.1', false],
  ['172.31.255.255', false],
  ['192.168.1.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::ffff:10.0.0.1', false],
  ['::ffff:7f00:1', false],
  ['64:ff9b::7f00:1', false],
  ['fd00::1', false],
  ['fe80::1', false],
  ['localhost', false],
])('%s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});
