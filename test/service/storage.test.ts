import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { FaultAction, FaultPoint } from '../../src/service/faults.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { askStorage, keptOf, makeFile, openSession, sendRest, sendStorage } from './storage-client.js';

const MIB = 1024 * 1024;
let service: TestService | undefined;

async function start(...faults: { on: FaultPoint; action: FaultAction; nth?: number; repeat?: number }[]) {
  service = await startTestService({ faults: { faults } });
  return service;
}

afterEach(async () => {
  const left = service?.faultsLeft();
  await service?.stop();
  service = undefined;
  expect(left ?? []).toEqual([]);
});

test('a whole file arrives as it was sent', async () => {
  const running = await start();
  const file = makeFile(9 * MIB + 17);
  const session = await openSession(running);
  const done = await sendStorage(session.location, { body: file.bytes });
  expect(done.status).toBe(200);
  expect(done.headers['x-storage-hash']).toBe(file.hashHeader);
  expect(done.headers['x-storage-stored-content-length']).toBe(String(file.bytes.length));
  const stored = join(running.dataDir, 'uploads', session.sessionId);
  expect((await readFile(stored)).equals(file.bytes)).toBe(true);
  const asked = await askStorage(session.location, file.bytes.length);
  expect(asked.status).toBe(200);
  expect(asked.headers['x-storage-hash']).toBe(file.hashHeader);
});

test('what came before a break is kept, and the rest completes the same file', async () => {
  const running = await start(
    { on: 'put', action: { type: 'reset', afterBytes: 3 * MIB + 5 } },
    { on: 'put', action: { type: 'fin', afterBytes: MIB } },
  );
  const file = makeFile(8 * MIB);
  const { location } = await openSession(running);
  await expect(sendStorage(location, { body: file.bytes })).rejects.toThrow();
  const asked = await askStorage(location, file.bytes.length);
  expect(asked.status).toBe(308);
  expect(keptOf(asked)).toBe(3 * MIB + 5);
  await expect(sendRest(location, file.bytes, keptOf(asked))).rejects.toThrow();
  const again = await askStorage(location, file.bytes.length);
  expect(keptOf(again)).toBe(4 * MIB + 5);
  const done = await sendRest(location, file.bytes, keptOf(again));
  expect(done.status).toBe(200);
  expect(done.headers['x-storage-hash']).toBe(file.hashHeader);
});

test('bytes survive the end of the service, and the hash is right after it', async () => {
  const running = await start({ on: 'put', action: { type: 'reset', afterBytes: 2 * MIB } });
  const file = makeFile(3 * MIB);
  const { location } = await openSession(running);
  await expect(sendStorage(location, { body: file.bytes })).rejects.toThrow();
  await running.restart();
  const moved = new URL(new URL(location).pathname, running.url).href;
  const asked = await askStorage(moved, file.bytes.length);
  expect(keptOf(asked)).toBe(2 * MIB);
  const done = await sendRest(moved, file.bytes, 2 * MIB);
  expect(done.headers['x-storage-hash']).toBe(file.hashHeader);
});

test('a gap is refused with words that name content-range, and nothing is padded', async () => {
  const running = await start();
  const file = makeFile(1000);
  const session = await openSession(running);
  const gap = await sendRest(session.location, file.bytes, 10);
  expect(gap.status).toBe(503);
  expect(gap.text).toContain('content-range');
  const asked = await askStorage(session.location, 1000);
  expect(asked.status).toBe(308);
  expect(asked.headers.range).toBeUndefined();
});

test('an overlap replaces what lay behind its beginning', async () => {
  const running = await start();
  const old = makeFile(3000);
  const file = makeFile(4000);
  const { location } = await openSession(running);
  const part = await sendStorage(location, {
    headers: { 'content-range': 'bytes 0-2999/4000', 'content-length': 3000 },
    body: old.bytes,
  });
  expect(part.status).toBe(308);
  expect(keptOf(part)).toBe(3000);
  const done = await sendRest(location, file.bytes, 0);
  expect(done.status).toBe(200);
  expect(done.headers['x-storage-hash']).toBe(file.hashHeader);
});

test('a second writer takes over from the first, whose bytes are kept', async () => {
  const running = await start({ on: 'put', action: { type: 'stall', afterBytes: MIB } });
  const file = makeFile(2 * MIB);
  const { location, sessionId } = await openSession(running);
  const first = sendStorage(location, { body: file.bytes });
  first.catch(() => undefined);
  const stored = join(running.dataDir, 'uploads', sessionId);
  await vi.waitFor(async () => expect((await stat(stored)).size).toBe(MIB));
  expect(keptOf(await askStorage(location, file.bytes.length))).toBe(MIB);
  await expect(first).rejects.toThrow();
  const done = await sendRest(location, file.bytes, MIB);
  expect(done.headers['x-storage-hash']).toBe(file.hashHeader);
});

test('cancelled sessions are gone with their bytes', async () => {
  const running = await start();
  const { location, sessionId } = await openSession(running);
  const file = makeFile(100);
  await sendStorage(location, { headers: { 'content-range': 'bytes 0-99/200' }, body: file.bytes });
  const stored = join(running.dataDir, 'uploads', sessionId);
  expect((await stat(stored)).size).toBe(100);
  expect((await sendStorage(location, { method: 'DELETE' })).status).toBe(499);
  await expect(stat(stored)).rejects.toThrow();
  expect((await askStorage(location, 200)).status).toBe(410);
  expect((await sendStorage(location, { method: 'DELETE' })).status).toBe(410);
});

test('what is complete never changes: the other sessions of the upload have ended', async () => {
  const running = await start();
  const link = await running.call('POST', '/api/upload-links', { video: { usecase: 'LocalUpload' } });
  const { url } = link.body as { url: string };
  const begin = async () =>
    String(
      (
        await sendStorage(url, {
          method: 'POST',
          headers: { 'x-storage-resumable': 'start', 'content-length': 0 },
        })
      ).headers.location,
    );
  const locations = [await begin(), await begin(), await begin()];
  const files = locations.map(() => makeFile(MIB));
  const answers = await Promise.all(
    locations.map((location, at) => sendStorage(location, { body: files[at]?.bytes })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
  const winner = answers.findIndex(({ status }) => status === 200);
  for (const [at, location] of locations.entries()) {
    const again = await sendStorage(location, { body: Buffer.from('something else') });
    const isWinner = at === winner;
    expect([again.status, again.headers['x-storage-hash']]).toEqual([
      isWinner ? 200 : 410,
      isWinner ? files[at]?.hashHeader : undefined,
    ]);
  }
});

test('a cancel beside the last bytes: either it is cancelled or it is complete', async () => {
  const running = await start();
  const file = makeFile(2 * MIB);
  for (let round = 0; round < 12; round++) {
    const { location, sessionId } = await openSession(running);
    const sent = sendStorage(location, { body: file.bytes }).catch(() => undefined);
    await sleep(round);
    const cancelled = await sendStorage(location, { method: 'DELETE' });
    await sent;
    const asked = await askStorage(location, file.bytes.length);
    const stored = await stat(join(running.dataDir, 'uploads', sessionId)).catch(() => undefined);
    const seen = [cancelled.status, asked.status, stored?.size];
    expect([
      [499, 410, undefined],
      [409, 200, file.bytes.length],
    ]).toContainEqual(seen);
  }
});

test('lengths that contradict each other are refused for good', async () => {
  const running = await start();
  const { location } = await openSession(running);
  const body = makeFile(100).bytes;
  const put = (range: string) => sendStorage(location, { headers: { 'content-range': range }, body });
  expect((await put('bytes 0-98/200')).status).toBe(400);
  expect((await put('bytes 5-1/200')).status).toBe(400);
  expect((await put('lines 0-99/200')).status).toBe(400);
  expect((await put('bytes 0-99/50')).status).toBe(400);
  expect((await put('bytes 0-99/200')).status).toBe(308);
  expect((await put('bytes 100-199/300')).status).toBe(400);
  expect((await askStorage(location, 300)).status).toBe(400);
  expect((await put('bytes 100-199/200')).status).toBe(200);
});

test('a start needs its header, a living link and an incomplete upload', async () => {
  const running = await start();
  const session = await openSession(running);
  const begin = (url: string, headers = {}) => sendStorage(url, { method: 'POST', headers });
  expect((await begin(session.url)).status).toBe(400);
  expect((await begin(`${session.url}x`, { 'x-storage-resumable': 'start' })).status).toBe(404);
  expect((await sendStorage(session.url, { method: 'PUT' })).status).toBe(405);
  await sendStorage(session.location, { body: Buffer.from('x') });
  expect((await begin(session.url, { 'x-storage-resumable': 'start' })).status).toBe(409);
});

test('planned faults: statuses, lost answers, forgotten bytes, sessions gone', async () => {
  const running = await start(
    { on: 'put', action: { type: 'status', status: 503, headers: { 'retry-after': '1' }, afterBytes: 1000 } },
    { on: 'put', action: { type: 'keep-less', bytes: 600, afterBytes: 2000 } },
    { on: 'ask', nth: 3, action: { type: 'no-range' } },
    { on: 'put', action: { type: 'drop-answer' } },
    { on: 'ask', nth: 4, action: { type: 'wrong-hash' } },
    { on: 'ask', nth: 5, action: { type: 'expire', status: 404 } },
  );
  const file = makeFile(200_000);
  const { location } = await openSession(running);
  const ask = () => askStorage(location, file.bytes.length);
  const early = await sendStorage(location, { body: file.bytes });
  expect(early.status).toBe(503);
  expect(early.headers['retry-after']).toBe('1');
  expect(keptOf(await ask())).toBe(1000);
  await expect(sendRest(location, file.bytes, 1000)).rejects.toThrow();
  expect(keptOf(await ask())).toBe(2400);
  const nothing = await ask();
  expect(nothing.status).toBe(308);
  expect(nothing.headers.range).toBeUndefined();
  await expect(sendRest(location, file.bytes, 0)).rejects.toThrow();
  const complete = await ask();
  expect(complete.status).toBe(200);
  expect(complete.headers['x-storage-hash']).toBe(`sha256=${'0'.repeat(64)}`);
  expect((await ask()).status).toBe(404);
  expect((await ask()).status).toBe(404);
});

test('planned faults on the interface: redirect, body that is no JSON, a lost link', async () => {
  const running = await start(
    { on: 'link', action: { type: 'redirect', location: 'https://example.com/' } },
    { on: 'api', action: { type: 'body', text: '<html>', status: 502 } },
    { on: 'link', action: { type: 'drop-answer' } },
    { on: 'start', action: { type: 'status', status: 429 } },
  );
  const link = () =>
    sendStorage(`${running.url}/api/upload-links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${running.apiKey}`, 'content-type': 'application/json' },
      body: Buffer.from('{"video":{"usecase":"LocalUpload"}}'),
    });
  expect((await link()).headers.location).toBe('https://example.com/');
  const page = await link();
  expect([page.status, page.text]).toEqual([502, '<html>']);
  await expect(link()).rejects.toThrow();
  const made = JSON.parse((await link()).text) as { url: string };
  const headers = { 'x-storage-resumable': 'start' };
  expect((await sendStorage(made.url, { method: 'POST', headers })).status).toBe(429);
  expect((await sendStorage(made.url, { method: 'POST', headers })).status).toBe(201);
});
