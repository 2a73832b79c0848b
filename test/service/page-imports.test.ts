import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findOnPath } from '../../src/service/media/find-tools.js';
import { downloadPage } from '../../src/service/pipeline/download-page.js';
import { startPublicProxy } from '../../src/service/pipeline/public-proxy.js';
import { startTestService } from '../helpers/local-service.js';
import { tools } from './media/media-files.js';
import { createProject, getProject, listClips, TALK } from './project-client.js';

/** Videos of web pages: with the real yt-dlp where there is one, and the proxy it is given. */

const hasYtDlp = findOnPath('yt-dlp', process.env) !== undefined;
if (!hasYtDlp) {
  console.log('Imports of web pages are not tested: no yt-dlp was found (Debian: apt-get install yt-dlp).');
}

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'clipctl-pages-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A site of pages and videos by path; what was asked for is kept. */
async function openSite(answers: Record<string, Answer>) {
  const asked: string[] = [];
  const server: Server = createServer((incoming, response) => {
    asked.push(String(incoming.url));
    const answer = answers[String(incoming.url)];
    if (answer) answer(incoming, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, asked };
}

const page =
  (body: string): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<html><head><title>../../../A talk %(id)s</title></head><body>${body}</body></html>`);
  };
const talk: Answer = (_request, response) => {
  response.setHeader('content-type', 'video/mp4');
  void readFile(TALK).then((bytes) => response.end(bytes));
};
/** A video that never ends and says nothing of its size. */
const endless: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'video/mp4' });
  const more = setInterval(() => response.write(Buffer.alloc(100_000)), 50);
  response.once('close', () => clearInterval(more));
};

describe.skipIf(!hasYtDlp)('with yt-dlp', () => {
  test('a page with a video becomes clips, and neither page nor configuration says what else happens', async () => {
    const site = await openSite({
      '/page': page('<video src="/talk.mp4"></video><video src="/second.mp4"></video>'),
      '/talk.mp4': talk,
    });
    await mkdir(join(root, 'yt-dlp'));
    await writeFile(
      join(root, 'yt-dlp/config'),
      `--exec "touch ${join(root, 'executed')}"\n--write-info-json\n`,
    );
    const service = await startTestService({
      dataDir: join(root, 'data $HOME %(title)s'),
      allowPrivateImports: true,
      env: { ...process.env, XDG_CONFIG_HOME: root },
    });
    try {
      const { id } = await createProject(service, {
        videoUrl: `${site.url}/page`,
        curationPref: { clipDurations: [[0, 8]], range: { startSec: 0, endSec: 10 } },
      });
      await service.idle();
      expect(await getProject(service, id)).toMatchObject({ stage: 'COMPLETE', error: null });
      expect(await listClips(service, id)).not.toHaveLength(0);
      expect(site.asked).not.toContain('/second.mp4');
      expect(await readdir(join(service.dataDir, 'imports'))).toEqual([id]);
      expect((await stat(join(service.dataDir, 'imports', id))).size).toBe((await stat(TALK)).size);
      expect((await readdir(root)).sort()).toEqual(['data $HOME %(title)s', 'yt-dlp']);
    } finally {
      await service.stop();
    }
  });

  test('a page without a video stalls the project at once, in the words of yt-dlp', async () => {
    const site = await openSite({ '/page': page('Nothing to see.') });
    const service = await startTestService({ allowPrivateImports: true });
    try {
      const { id } = await createProject(service, { videoUrl: `${site.url}/page` });
      await service.idle();
      const project = await getProject(service, id);
      expect(project).toMatchObject({ stage: 'STALLED', stallCount: 1 });
      expect(project.error).toMatch(/^yt-dlp failed; exit code 1: ERROR: .*Unsupported URL/);
      expect(await readdir(join(service.dataDir, 'imports'))).toEqual([]);
    } finally {
      await service.stop();
    }
  });

  const limits = { allowPrivate: true, maxBytes: 10_000_000, maxMs: 60_000, env: process.env };
  const fetchPage = (address: string, more: Partial<typeof limits> = {}, signal?: AbortSignal) =>
    downloadPage(
      address,
      join(root, 'P1'),
      { ...limits, ...more },
      {
        tools,
        signal: signal ?? new AbortController().signal,
        report: () => undefined,
      },
    );

  test('a video that is too large is given up, whether its server says so or not', async () => {
    const site = await openSite({
      '/talk': page('<video src="/talk.mp4"></video>'),
      '/talk.mp4': talk,
      '/endless': page('<video src="/endless.mp4"></video>'),
      '/endless.mp4': endless,
    });
    const run = (path: string) => fetchPage(site.url + path, { maxBytes: 1_000_000 });
    await expect(run('/talk')).rejects.toMatchObject({
      kind: 'rejected',
      details: { reason: expect.stringContaining('larger than the limit') },
    });
    await expect(run('/endless')).rejects.toMatchObject({
      kind: 'rejected',
      message: 'the video is too large',
    });
    expect(await readdir(root)).toEqual([]);
  });

  test('a download that takes too long is given up', async () => {
    const site = await openSite({ '/': page('<video src="/endless.mp4"></video>'), '/endless.mp4': endless });
    await expect(fetchPage(site.url, { maxBytes: 10 ** 10, maxMs: 6000 })).rejects.toMatchObject({
      kind: 'rejected',
      details: { reason: 'it was stopped after 6 s' },
    });
    expect(await readdir(root)).toEqual([]);
  });

  test('a stop leaves what is there for the next start', async () => {
    const stop = new AbortController();
    const site = await openSite({
      '/': page('<video src="/endless.mp4"></video>'),
      '/endless.mp4': (incoming, response) => {
        endless(incoming, response);
        setTimeout(() => stop.abort(new Error('the service stops')), 500);
      },
    });
    await expect(fetchPage(site.url, {}, stop.signal)).rejects.toThrow('the service stops');
    expect(await readdir(root)).toEqual(['P1.page']);
  });

  test('it reaches nothing on this machine unless allowed, whatever the environment says of proxies', async () => {
    const site = await openSite({ '/': page('<video src="/talk.mp4"></video>'), '/talk.mp4': talk });
    for (const host of ['127.0.0.1', 'localhost']) {
      const address = `http://${host}:${site.port}/`;
      const run = fetchPage(address, { allowPrivate: false, env: { ...process.env, NO_PROXY: '*' } });
      await expect(run).rejects.toMatchObject({
        kind: 'rejected',
        details: { reason: expect.stringContaining(`${host} is an address of this machine`) },
      });
    }
    expect(site.asked).toEqual([]);
    await expect(access(join(root, 'P1'))).rejects.toThrow();
  });
});

describe('the proxy', () => {
  /** One request through it. */
  const ask = (proxyUrl: string, address: string) =>
    new Promise<{ status?: number | undefined; words?: string | undefined; body: string }>(
      (resolve, reject) => {
        const outgoing = request(proxyUrl, { path: address, agent: false }, (answer) =>
          text(answer).then(
            (body) => resolve({ status: answer.statusCode, words: answer.statusMessage, body }),
            reject,
          ),
        );
        outgoing.once('error', reject).end();
      },
    );
  /** The same as https goes: through a tunnel. Answers all that comes back. */
  const tunnel = (proxyUrl: string, target: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(proxyUrl).port), '127.0.0.1');
      socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`);
      socket.once('data', (first: Buffer) => {
        if (String(first).startsWith('HTTP/1.1 200'))
          socket.write('GET /a HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
        text(socket).then((rest) => resolve(String(first) + rest), reject);
      });
      socket.once('error', reject);
    });

  test('leads to what its look-up lets through', async () => {
    const site = await openSite({ '/a': (_request, response) => response.end('found') });
    const proxy = await startPublicProxy((_hostname, { all }, found) =>
      all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4),
    );
    onTestFinished(() => proxy.close());
    expect(await ask(proxy.url, `http://video.example:${site.port}/a`)).toMatchObject({
      status: 200,
      body: 'found',
    });
    expect(await ask(proxy.url, `http://video.example:${site.port}/b`)).toMatchObject({ status: 404 });
    expect(await tunnel(proxy.url, `video.example:${site.port}`)).toMatch(
      / 200 Connection established.*found$/s,
    );
  });

  test('refuses this machine and private networks by name and number', async () => {
    const site = await openSite({ '/a': (_request, response) => response.end('found') });
    const proxy = await startPublicProxy();
    onTestFinished(() => proxy.close());
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '10.0.0.1']) {
      const refused = await ask(proxy.url, `http://${host}:${site.port}/a`);
      expect(refused).toMatchObject({ status: 403, words: expect.stringContaining('private network') });
      expect(await tunnel(proxy.url, `${host}:${site.port}`)).toMatch(/^HTTP\/1\.1 403 .*private network/);
    }
    expect(await ask(proxy.url, '/etc/passwd')).toMatchObject({ status: 403 });
    expect(await ask(proxy.url, 'file:///etc/passwd')).toMatchObject({ status: 403 });
    expect(site.asked).toEqual([]);
  });
});
