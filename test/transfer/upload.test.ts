import { appendFile, open, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CancelledError, type ClipctlError } from '../../src/errors.js';
import { exitCodeOf } from '../../src/exit-codes.js';
import type { PlannedFault } from '../../src/service/faults.js';
import { createRateLimiter } from '../../src/transfer/rate-limit.js';
import type { UploadOutcome } from '../../src/transfer/upload-many.js';
import { findUploads, forgetUpload, listUploads } from '../../src/transfer/uploads-kept.js';
import { errorOf, MIB, randomFile } from './helpers.js';
import { digestOf, ScenarioWorld } from './upload-scenario.js';

async function start(faults: PlannedFault[] = [], sizeBytes = 5 * MIB): Promise<ScenarioWorld> {
  const world = await ScenarioWorld.start(faults, sizeBytes);
  onTestFinished(async () => {
    expect(world.service.faultsLeft()).toEqual([]);
    await world.stop();
  });
  return world;
}

const slow: PlannedFault = { on: 'put', action: { type: 'slow', bytesPerSec: 20 * MIB } };

function failure(outcome: UploadOutcome | undefined): unknown {
  if (outcome?.ok !== false) throw new Error('it did not fail');
  return outcome.error;
}

/** Resolves when the upload has told of progress. */
async function progressOf(world: ScenarioWorld): Promise<void> {
  await vi.waitFor(() => expect(world.events.some(({ type }) => type === 'progress')).toBe(true), {
    timeout: 60_000,
    interval: 5,
  });
}

async function overwriteAByte(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.write(Buffer.from('x'), 0, 1, 2 * MIB);
  await handle.close();
}

test('many files: each its own outcome in the order given, one failure harms no other', async () => {
  const world = await start([{ on: 'put', nth: 3, action: { type: 'status', status: 403 } }], 10);
  const paths: string[] = [];
  for (const [at, sizeBytes] of [3 * MIB, 1, MIB, 2 * MIB, 70_000, 5].entries()) {
    paths.push((await randomFile(join(world.folder, `${at}.mp4`), sizeBytes)).path);
  }
  const outcomes = await world.upload({ concurrency: 3 }, null, paths);
  expect(outcomes.map(({ path }) => path)).toEqual(paths);
  const failed = outcomes.filter(({ ok }) => !ok);
  expect(failed).toHaveLength(1);
  expect(exitCodeOf(failure(failed[0]))).toBe(7);
  for (const outcome of outcomes) {
    if (outcome.ok) expect(await world.storedDigest(outcome.uploadId)).toBe(await digestOf(outcome.path));
  }
});

test('the same file named twice, also by a link, is one upload', async () => {
  const world = await start();
  const link = join(world.folder, 'link.mp4');
  await symlink(world.path, link);
  const outcomes = await world.upload({}, null, [world.path, link, world.path]);
  expect(outcomes).toHaveLength(1);
  expect(world.requests).toEqual(['link', 'start', 'put']);
});

test('a bad file among good ones is found before anything is sent', async () => {
  const world = await start();
  const missing = join(world.folder, 'missing.mp4');
  expect(await errorOf(world.upload({}, null, [world.path, missing]))).toMatchObject({ kind: 'usage' });
  expect(world.requests).toEqual([]);
});

test('a refused key is refused once, not once a file', async () => {
  const world = await start([{ on: 'link', action: { type: 'status', status: 401 } }]);
  const other = await randomFile(join(world.folder, 'other.mp4'), 10);
  const outcomes = await world.upload({ concurrency: 1 }, null, [world.path, other.path]);
  expect(outcomes.map(failure)).toEqual([
    expect.objectContaining({ kind: 'auth' }),
    expect.objectContaining({ kind: 'auth' }),
  ]);
  expect(world.requests).toEqual(['link']);
});

test('of two uploads of one file at once the second names the first', async () => {
  const world = await start([slow]);
  const first = world.upload({}, null);
  await progressOf(world);
  const [second] = await world.upload({}, null);
  expect(failure(second)).toMatchObject({
    kind: 'unfinished',
    details: { reason: expect.stringContaining(String(process.pid)) },
  });
  expect((await first)[0]).toMatchObject({ ok: true });
});

test.each([
  ['grows', (path: string) => appendFile(path, 'more')],
  ['is written to', overwriteAByte],
  ['shrinks', (path: string) => truncate(path, MIB)],
] as const)('a file that %s while it is uploaded is not called done', async (_name, change) => {
  const world = await start([{ on: 'put', action: { type: 'slow', bytesPerSec: 16 * MIB } }], 12 * MIB);
  const running = world.upload({});
  await progressOf(world);
  await change(world.path);
  const error = failure((await running)[0]);
  expect(error).toMatchObject({ kind: 'unfinished', message: expect.stringContaining('changed') });
  expect(world.requests).not.toContain('create');
  const { uploads } = await listUploads(world.stateDir, Date.now());
  expect(uploads).toEqual([]);
  expect(await world.storedDigests()).toEqual([]);
  const [again] = await world.upload({}, null);
  if (!again?.ok) throw failure(again);
  expect(await world.storedDigest(again.uploadId)).toBe(await digestOf(world.path));
});

test('a cancelled upload is kept, says how to go on, and goes on', async () => {
  const world = await start([{ on: 'put', action: { type: 'slow', bytesPerSec: 16 * MIB } }], 12 * MIB);
  const running = world.upload({}, null);
  await progressOf(world);
  world.controller.abort(new CancelledError('SIGTERM'));
  const error = failure((await running)[0]);
  expect(error).toBeInstanceOf(CancelledError);
  expect(exitCodeOf(error)).toBe(143);
  expect((error as ClipctlError).details.hint).toContain('clipctl uploads resume');
  const { uploads } = await listUploads(world.stateDir, Date.now());
  expect(uploads).toEqual([expect.objectContaining({ stage: 'started', isActive: false })]);
  const keptBytes = uploads[0]?.acceptedBytes ?? 0;
  expect(keptBytes).toBeGreaterThan(0);
  const later = world.again();
  const [outcome] = await later.upload({}, null);
  expect(outcome).toMatchObject({ ok: true, resumed: true });
  expect(later.events.find(({ type }) => type === 'resumed')).toMatchObject({ sameRun: false });
  expect(await world.storedDigests()).toEqual([await digestOf(world.path)]);
});

test('events tell sizes that can be: accepted grows with what was sent, and ends whole', async () => {
  const world = await start([slow, { on: 'put', action: { type: 'reset', afterBytes: 2 * MIB } }], 20 * MIB);
  await world.upload({}, null);
  const { events } = world;
  expect(events[0]).toMatchObject({ v: 1, type: 'start', path: world.path, totalBytes: 20 * MIB });
  expect(events.at(-1)).toMatchObject({ type: 'done', totalBytes: 20 * MIB });
  let sentBytes = 0;
  for (const event of events) {
    if (event.type !== 'progress') continue;
    expect(event.acceptedBytes).toBeLessThanOrEqual(event.totalBytes);
    expect(event.sentBytes).toBeGreaterThanOrEqual(sentBytes);
    expect(event.acceptedBytes).toBeLessThanOrEqual(event.sentBytes);
    sentBytes = event.sentBytes;
  }
  expect(events.findLast(({ type }) => type === 'progress')).toMatchObject({ acceptedBytes: 20 * MIB });
  // The second fault waits for a second PUT.
  await world.upload({}, null);
});

test('a rate limit is one for the whole process, and nobody starves', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const limiter = createRateLimiter(1000, Date.now);
  expect(limiter.sliceBytes).toBe(125);
  const { signal } = new AbortController();
  const startMs = Date.now();
  const done: { who: number; atMs: number }[] = [];
  const transfers = [1, 2].map(async (who) => {
    for (let slice = 0; slice < 20; slice++) {
      await limiter.take(limiter.sliceBytes, signal);
      done.push({ who, atMs: Date.now() - startMs });
    }
  });
  await vi.runAllTimersAsync();
  await Promise.all(transfers);
  expect(done.at(-1)?.atMs).toBe(39 * 125);
  expect(done.slice(0, 10).filter(({ who }) => who === 1)).toHaveLength(5);
});

test('a limited upload arrives whole', async () => {
  const world = await start([], 300_000);
  const [outcome] = await world.upload({ limitBytesPerSec: MIB }, null);
  expect(outcome).toMatchObject({ ok: true });
  expect(await world.storedDigests()).toEqual([await digestOf(world.path)]);
});

test('without a state folder an upload works, and says that it cannot be resumed', async () => {
  const world = await start([{ on: 'put', action: { type: 'reset', afterBytes: MIB } }]);
  await writeFile(world.stateDir, 'a file where a folder should be');
  const [outcome] = await world.upload({}, null);
  expect(outcome).toMatchObject({ ok: true });
  expect(world.warnings).toEqual([expect.stringContaining('cannot be resumed')]);
  expect(await world.storedDigests()).toEqual([await digestOf(world.path)]);
});

test('without a state folder an upload that gives up does not promise to go on', async () => {
  const world = await start([{ on: 'put', repeat: 2, action: { type: 'reset', afterBytes: 0 } }]);
  await writeFile(world.stateDir, 'a file where a folder should be');
  const error = failure((await world.upload({ retries: 1 }, null))[0]);
  expect(error).toMatchObject({
    kind: 'network',
    details: { hint: expect.stringContaining('starts afresh') },
  });
});

test('a record of a known project answers a repeated command once, without a request', async () => {
  const world = await start([
    { on: 'put', action: { type: 'reset', afterBytes: MIB } },
    { on: 'ask', action: { type: 'reset' } },
  ]);
  await world.upload({ retries: 0 });
  const folder = join(world.stateDir, 'uploads');
  const file = join(folder, (await readdir(folder)).find((name) => name.endsWith('.json')) ?? '');
  // As a kill between the record of the project and its removal leaves it.
  const entry = { ...JSON.parse(await readFile(file, 'utf8')), stage: 'created', project: { id: 'P1' } };
  await writeFile(file, JSON.stringify(entry));
  world.requests.length = 0;
  expect((await world.upload())[0]).toMatchObject({ ok: true, resumed: true, project: { id: 'P1' } });
  expect(world.requests).toEqual([]);
  expect(await listUploads(world.stateDir, Date.now())).toEqual({ uploads: [], damaged: [] });
});

test('a command of many files that did not finish does only what is not done when it is repeated', async () => {
  const world = await start([
    { on: 'put', nth: 2, action: { type: 'status', status: 403 } },
    { on: 'create', nth: 2, action: { type: 'status', status: 503 } },
  ]);
  const paths = [world.path];
  for (const name of ['b.mp4', 'c.mp4', 'd.mp4'])
    paths.push((await randomFile(join(world.folder, name), MIB)).path);
  const options = { concurrency: 1 };
  const body = { importPref: { sourceLang: 'en' } };
  const first = await world.upload(options, body, paths);
  expect(first.map(({ ok }) => ok)).toEqual([true, false, false, true]);
  expect((await listUploads(world.stateDir, Date.now())).uploads.map(({ stage }) => stage)).toEqual([
    'uploaded',
  ]);
  world.requests.length = 0;
  const second = await world.again().upload(options, body, paths);
  expect(second.map((outcome) => outcome.ok && outcome.resumed)).toEqual([true, false, true, true]);
  expect(second.map((outcome) => outcome.ok && outcome.project?.id)).toEqual([
    expect.stringMatching(/./),
    expect.stringMatching(/./),
    expect.stringMatching(/./),
    first[3]?.ok && first[3].project?.id,
  ]);
  expect(await world.projectCount()).toBe(4);
  expect(await readdir(join(world.stateDir, 'uploads'))).toEqual([]);
  await world.upload(options, body, paths);
  expect(await world.projectCount()).toBe(8);
});

test('kept uploads are listed without their secrets and forgotten at both ends', async () => {
  const world = await start([
    { on: 'put', action: { type: 'reset', afterBytes: MIB } },
    { on: 'ask', action: { type: 'reset' } },
  ]);
  await world.upload({ retries: 0 });
  const { uploads } = await listUploads(world.stateDir, Date.now());
  expect(uploads).toHaveLength(1);
  expect(uploads[0]).toMatchObject({
    body: { importPref: { sourceLang: 'en' } },
    file: { sizeBytes: 5 * MIB },
  });
  expect(JSON.stringify(uploads)).not.toContain('/storage/');
  const nowMs = Date.now();
  expect(await findUploads(world.stateDir, world.path, nowMs)).toEqual(uploads);
  expect(await errorOf(findUploads(world.stateDir, 'nothing', nowMs))).toMatchObject({ kind: 'usage' });
  const forgotten = await forgetUpload(world.stateDir, uploads[0]?.uploadId ?? '', {
    connector: world.connector,
    nowMs,
  });
  expect(forgotten).toEqual([{ upload: uploads[0], isCancelled: true }]);
  expect(world.requests.at(-1)).toBe('cancel');
  expect(await listUploads(world.stateDir, nowMs)).toEqual({ uploads: [], damaged: [] });
});

test('the title is the name of the file without its extension', async () => {
  const world = await start();
  const titles: string[] = [];
  const body = (title: string) => {
    titles.push(title);
    return null;
  };
  await world.uploadWith([{ path: world.path, body }]);
  expect(titles).toEqual(['talk']);
});
