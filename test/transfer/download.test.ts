import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createConnector } from '../../src/client/connector.js';
import { CancelledError } from '../../src/errors.js';
import { exitCodeOf } from '../../src/exit-codes.js';
import { type DownloadFilesOptions, type DownloadItem, downloadFiles } from '../../src/transfer/download.js';
import type { DownloadEvent } from '../../src/transfer/events.js';
import { distinctNames, safeFileName } from '../../src/transfer/safe-file-name.js';
import { MIB, randomBytes, temporaryFolder } from './helpers.js';

/** What the server does with the next request, in order; after that it serves the file. */
type Step =
  | { cutAfterBytes: number }
  | { status: number; headers?: Record<string, string> }
  | { stall: true }
  | { file: Buffer; etag: string };

interface World {
  url: string;
  dir: string;
  file: Buffer;
  seen: string[];
  steps: Step[];
  events: DownloadEvent[];
  download(items?: DownloadItem[], options?: Partial<DownloadFilesOptions>): ReturnType<typeof downloadFiles>;
  controller: AbortController;
}

async function start(steps: Step[], { etag = '"v1"', sizeBytes = 3 * MIB + 11 } = {}): Promise<World> {
  const current = { file: randomBytes(sizeBytes), etag };
  const seen: string[] = [];
  const server = createServer((request, response) => {
    expect(request.headers.authorization).toBeUndefined();
    seen.push(
      `${request.url} ${request.headers.range ?? 'whole'}${request.headers['if-range'] ? ' if-range' : ''}`,
    );
    const step = steps.shift();
    if (step && 'file' in step) Object.assign(current, step);
    if (step && 'status' in step)
      return void response.writeHead(step.status, step.headers).end('an error page');
    if (step && 'stall' in step) return;
    serve(request, response, current, step && 'cutAfterBytes' in step ? step.cutAfterBytes : undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connector = createConnector({});
  onTestFinished(async () => {
    connector.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    expect(steps).toEqual([]);
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/clip`;
  const dir = await temporaryFolder();
  const events: DownloadEvent[] = [];
  const controller = new AbortController();
  return {
    url,
    dir,
    seen,
    steps,
    events,
    controller,
    get file() {
      return current.file;
    },
    download: (items = [{ url, fileName: 'a.mp4' }], options = {}) =>
      downloadFiles(
        items,
        dir,
        { connector, signal: controller.signal, onEvent: (event) => events.push(event), now: Date.now },
        { overwrite: false, concurrency: 2, retries: 2, firstWaitMs: 2, stallTimeoutMs: 5000, ...options },
      ),
  };
}

/** Range and If-Range as servers of media do them; '' as etag stands for a server without validators. */
function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { file, etag }: { file: Buffer; etag: string },
  cutAfterBytes: number | undefined,
): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const condition = request.headers['if-range'];
  const isRest = from > 0 && (condition === undefined || condition === etag);
  if (isRest && from >= file.length) {
    response.writeHead(416, { 'Content-Range': `bytes */${file.length}` }).end();
    return;
  }
  const body = isRest ? file.subarray(from) : file;
  response.writeHead(isRest ? 206 : 200, {
    'Content-Length': body.length,
    ...(etag === '' ? {} : { ETag: etag }),
    ...(isRest ? { 'Content-Range': `bytes ${from}-${file.length - 1}/${file.length}` } : {}),
  });
  if (cutAfterBytes === undefined) response.end(body);
  else response.write(body.subarray(0, cutAfterBytes), () => setTimeout(() => response.destroy(), 30));
}

async function expectFile(world: World, name = 'a.mp4'): Promise<void> {
  expect((await readFile(join(world.dir, name))).equals(world.file)).toBe(true);
  expect(await readdir(world.dir)).toEqual([name]);
}

test('a file comes whole and nothing else is left', async () => {
  const world = await start([]);
  const [outcome] = await world.download();
  expect(outcome).toEqual({ ok: true, path: join(world.dir, 'a.mp4'), sizeBytes: world.file.length });
  await expectFile(world);
  expect(world.events.at(-1)).toMatchObject({ v: 1, type: 'done', totalBytes: world.file.length });
});

test('after cuts the rest is asked for, on the condition that it is the same file', async () => {
  const world = await start([
    { cutAfterBytes: MIB },
    { cutAfterBytes: MIB },
    { status: 503 },
    { stall: true },
  ]);
  const [outcome] = await world.download(undefined, { stallTimeoutMs: 400, retries: 5 });
  expect(outcome?.ok).toBe(true);
  await expectFile(world);
  // What had come but was not read when the connection broke is asked for again.
  const [whole, ...rests] = world.seen;
  const [first = 0, second = 0, ...others] = rests.map((seen) =>
    Number(/bytes=(\d+)- if-range$/.exec(seen)?.[1]),
  );
  expect([whole, first > 0, first <= MIB]).toEqual(['/clip whole', true, true]);
  expect([second > first, second <= first + MIB, others]).toEqual([true, true, [second, second]]);
});

test.each(['"v1"', ''])('a file that changed on the way is begun again (etag %s)', async (etag) => {
  const file = randomBytes(2 * MIB);
  const world = await start([{ cutAfterBytes: MIB }, { file, etag: etag && '"v2"' }], { etag });
  const [outcome] = await world.download();
  expect(outcome?.ok).toBe(true);
  await expectFile(world);
});

test('another run goes on where this one gave up', async () => {
  const world = await start([{ cutAfterBytes: MIB }, { status: 500 }]);
  const [first] = await world.download(undefined, { retries: 0 });
  expect(exitCodeOf(first?.ok === false ? first.error : undefined)).toBe(8);
  const { size } = await stat(join(world.dir, 'a.mp4.part'));
  expect(size).toBeGreaterThan(0);
  expect((await world.download())[0]?.ok).toBe(true);
  await expectFile(world);
  expect(world.seen.at(-1)).toBe(`/clip bytes=${size}- if-range`);
});

test('a part without a known version is not built upon by another run', async () => {
  const world = await start([{ cutAfterBytes: MIB }, { status: 500 }], { etag: '' });
  await world.download(undefined, { retries: 0 });
  expect((await world.download())[0]?.ok).toBe(true);
  await expectFile(world);
  expect(world.seen).toEqual([
    '/clip whole',
    expect.stringMatching(/^\/clip bytes=[1-9]\d*-$/),
    '/clip whole',
  ]);
});

test('redirects are followed, to http(s) only and not for ever', async () => {
  const world = await start([
    { status: 302, headers: { location: '/other?sig=1' } },
    { status: 307, headers: { location: 'second' } },
  ]);
  expect((await world.download())[0]?.ok).toBe(true);
  expect(world.seen).toEqual(['/clip whole', '/other?sig=1 whole', '/second whole']);
  world.steps.push({ status: 302, headers: { location: 'file:///etc/passwd' } });
  const [local] = await world.download([{ url: world.url, fileName: 'b.mp4' }]);
  expect(local).toMatchObject({ ok: false, error: { kind: 'service' } });
  for (let redirect = 0; redirect < 6; redirect++)
    world.steps.push({ status: 302, headers: { location: '/clip' } });
  const [endless] = await world.download([{ url: world.url, fileName: 'b.mp4' }]);
  expect(endless).toMatchObject({ ok: false, error: { kind: 'service' } });
});

test.each([
  [404, 'not-found'],
  [410, 'not-found'],
  [403, 'forbidden'],
  [400, 'rejected'],
])('%i is final and leaves nothing behind: %s', async (status, kind) => {
  const world = await start([{ status }]);
  expect((await world.download())[0]).toMatchObject({ ok: false, error: { kind } });
  expect(world.seen).toHaveLength(1);
  expect(await readdir(world.dir)).toEqual([]);
});

test('a file that exists is kept unless it may be replaced', async () => {
  const world = await start([]);
  await writeFile(join(world.dir, 'a.mp4'), 'mine');
  const [outcome] = await world.download();
  expect(exitCodeOf(outcome?.ok === false ? outcome.error : undefined)).toBe(2);
  expect(world.seen).toEqual([]);
  expect(await readFile(join(world.dir, 'a.mp4'), 'utf8')).toBe('mine');
  expect((await world.download(undefined, { overwrite: true }))[0]?.ok).toBe(true);
  await expectFile(world);
});

test('one failure harms no other, and outcomes come in order', async () => {
  const world = await start([]);
  await mkdir(join(world.dir, 'b.mp4'));
  const names = ['a.mp4', 'b.mp4', 'c.mp4', 'c.mp4', 'C.MP4'];
  const outcomes = await world.download(
    names.map((fileName) => ({ url: world.url, fileName })),
    { overwrite: true },
  );
  expect(outcomes.map(({ ok, path }) => [ok, path.slice(world.dir.length + 1)])).toEqual([
    [true, 'a.mp4'],
    [false, 'b.mp4'],
    [true, 'c.mp4'],
    [true, 'c (2).mp4'],
    [true, 'C (3).MP4'],
  ]);
  expect(exitCodeOf(outcomes[1]?.ok === false ? outcomes[1].error : undefined)).toBe(2);
});

test('a cancelled download ends at once and keeps its part', async () => {
  const world = await start([{ stall: true }]);
  const running = world.download();
  while (world.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const reason = new CancelledError();
  world.controller.abort(reason);
  expect((await running)[0]).toMatchObject({ ok: false, error: reason });
});

test('a folder that cannot be, an address that is none', async () => {
  const world = await start([]);
  const blocked = join(world.dir, 'file');
  await writeFile(blocked, '');
  const [outcome] = await world.download([{ url: 'ftp://x/y', fileName: 'x' }]);
  expect(outcome).toMatchObject({ ok: false, error: { kind: 'service' } });
});

test('names are one component on every system and keep their extension', () => {
  const names = [
    '../../etc/passwd',
    'a/b\\c:d.mp4',
    '..',
    '',
    '.hidden',
    'con.mp4',
    'x\u001b[31m\u202e.mp4',
    'end. ',
  ];
  expect(names.map(safeFileName)).toEqual([
    '_.._etc_passwd',
    'a_b_c_d.mp4',
    'file',
    'file',
    'hidden',
    '_con.mp4',
    'x_[31m_.mp4',
    'end',
  ]);
  const long = safeFileName(`${'ü'.repeat(300)}.mp4`);
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(200);
  expect(long).toMatch(/ü\.mp4$/);
  expect(distinctNames(['a.mp4', 'A.mp4', 'a (2).mp4', 'a.mp4'])).toEqual([
    'a.mp4',
    'A (2).mp4',
    'a (2) (2).mp4',
    'a (3).mp4',
  ]);
});
