import {
  access,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DISK_FULL, isDiskFull } from '../../src/service/disk-full.js';
import { runFfmpeg } from '../../src/service/media/run-ffmpeg.js';
import { describeFailure } from '../../src/service/pipeline/project-worker.js';
import { openDatabase } from '../../src/service/store/database.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { tools } from './media/media-files.js';
import { makeSmallVideo } from './media/small-video.js';
import { createProject, getProject, listClips, uploadVideo } from './project-client.js';
import { askStorage, makeFile, openSession, sendStorage } from './storage-client.js';

const DAY_MS = 24 * 3600_000;
const FULL_DEVICE = '/dev/full';
const PREFERENCES = { curationPref: { clipDurations: [[0, 8]], range: { startSec: 0, endSec: 10 } } };
let root: string;
let service: TestService | undefined;
let offsetMs = 0;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'clipctl-upkeep-'));
  offsetMs = 0;
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  await rm(root, { recursive: true, force: true });
});

const open = async (dataDir = join(root, 'data')) => {
  service = await startTestService({ dataDir, now: () => new Date(Date.now() + offsetMs) });
  return service;
};

/** Makes a file or folder look as if it had been left a day ago. */
async function leave(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'left over', { flag: 'a' });
  await age(path);
}

async function age(path: string): Promise<void> {
  const at = new Date(Date.now() - DAY_MS);
  await utimes(path, at, at);
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

test('a start sweeps what nothing speaks of, and nothing else', async () => {
  const first = await open();
  const file = makeFile(10_000);
  const kept = await openSession(first);
  await sendStorage(kept.location, { body: file.bytes });
  const part = await openSession(first);
  const headers = { 'content-range': 'bytes 0-4999/10000', 'content-length': 5000 };
  await sendStorage(part.location, { headers, body: file.bytes.subarray(0, 5000) });
  const { id } = await createProject(first, { videoUrl: await uploadVideo(first), ...PREFERENCES });
  await first.idle();
  const [clip] = await listClips(first, id);
  await first.stop();
  const inData = (...names: string[]) => join(first.dataDir, ...names);
  const orphans = [
    inData('uploads', 'Rnobody'),
    inData('clips', `${clip?.id}.v9.mp4`),
    inData('clips', 'Pnone.Cnone.mp4'),
    inData('imports', 'Pnone'),
    inData('work', 'Pnone'),
    inData('outbox', 'posts', '.Snone.part'),
  ];
  for (const orphan of orphans) await leave(orphan);
  const used = [
    inData('uploads', kept.sessionId),
    inData('uploads', part.sessionId),
    inData('clips', `${clip?.id}.mp4`),
    inData('work', id),
  ];
  for (const path of used) await age(path);
  await writeFile(inData('clips', 'Pnone.Cfresh.mp4'), 'written just now');

  const second = await open();
  await vi.waitFor(() => expect(second.logged.join('\n')).toContain(`swept: ${orphans.length} `));
  for (const orphan of orphans) expect(await exists(orphan)).toBe(false);
  for (const path of used) expect(await exists(path)).toBe(true);
  await second.stop();

  offsetMs = 8 * DAY_MS; // sessions and work folders are over now, what was made of them is not
  const third = await open();
  await vi.waitFor(() => expect(third.logged.join('\n')).toContain('swept: '));
  expect(await exists(inData('uploads', part.sessionId))).toBe(false);
  expect(await exists(inData('work', id))).toBe(false);
  const address = (location: string) => third.url + new URL(location).pathname;
  expect((await askStorage(address(part.location), 10_000)).status).toBe(410);
  expect((await askStorage(address(kept.location), 10_000)).headers['x-storage-hash']).toBe(file.hashHeader);
  // Censoring needs the words again: they are read again, and aligned.
  const ids = { projectId: id, clipId: clip?.curationId };
  const { body } = await third.call('POST', '/api/censor-jobs', ids);
  await third.idle();
  const job = await third.call('GET', `/api/censor-jobs/${(body as { jobId: string }).jobId}`);
  expect(job.body).toMatchObject({ status: 'CONCLUDED', error: null });
});

test('a data directory that was moved works at its new place', async () => {
  const first = await open();
  const { id } = await createProject(first, { videoUrl: await uploadVideo(first), ...PREFERENCES });
  await first.idle();
  await first.stop();
  const moved = join(root, 'elsewhere', 'data 2');
  await mkdir(join(root, 'elsewhere'));
  await rename(first.dataDir, moved);
  const second = await open(moved);
  expect(await getProject(second, id)).toMatchObject({ stage: 'COMPLETE' });
  const [clip] = await listClips(second, id);
  const bytes = await (await fetch(String(clip?.uriForExport))).arrayBuffer();
  expect(bytes.byteLength).toBe(clip?.sizeBytes);
  const again = await createProject(second, {
    videoUrl: String((await getProject(second, id)).sourceId),
    ...PREFERENCES,
  });
  await second.idle();
  expect(await getProject(second, again.id)).toMatchObject({ stage: 'COMPLETE' });
  expect(await exists(first.dataDir)).toBe(false);
});

/** A project of a small video with one clip that is in a collection. */
async function makeClip(running: TestService, more: object = {}) {
  const cues = [[0.5, 2.5, 'Here we talk to people.']] as const;
  const video = await makeSmallVideo(root, 'small.mp4', { lengthSec: 3, tracks: { eng: cues } });
  const videoUrl = await uploadVideo(running, await readFile(video));
  const body = {
    videoUrl,
    curationPref: { skipCurate: true },
    renderPref: { layoutAspectRatio: 'landscape' },
  };
  const { id } = await createProject(running, { ...body, ...more });
  await running.idle();
  const [clip] = await listClips(running, id);
  if (!clip) throw new Error(`no clip: ${running.logged.join('\n')}`);
  const made = await running.call('POST', '/api/collections', { collectionName: 'best' });
  const { collectionId } = (made.body as { data: { collectionId: string } }).data;
  await running.call('POST', '/api/collection-contents', { collectionId, contentId: clip.id });
  return { id, videoUrl, clip, collectionId, ids: { projectId: id, clipId: clip.curationId } };
}

async function removeFiles(running: TestService, folder: string): Promise<void> {
  const path = join(running.dataDir, folder);
  for (const name of await readdir(path)) await rm(join(path, name));
}

/** A censor job of the word "talk", and its end. */
async function censor(running: TestService, ids: object): Promise<unknown> {
  await writeFile(join(running.dataDir, 'censor-words.txt'), 'talk');
  const { body } = await running.call('POST', '/api/censor-jobs', ids);
  await running.idle();
  return (await running.call('GET', `/api/censor-jobs/${(body as { jobId: string }).jobId}`)).body;
}

test('a lost clip is not offered, and made again at the next start as it was', async () => {
  const first = await open();
  const action = { type: 'EMAIL', email: 'me@example.com' };
  const { id, ids, collectionId } = await makeClip(first, { conclusionActions: [action] });
  expect(await censor(first, ids)).toMatchObject({ error: null, censoredWords: 1 });
  await removeFiles(first, 'clips');
  expect(await listClips(first, id)).toEqual([]);
  const post = { ...ids, postAccountId: 'local-tiktok', publishAt: '2090-01-01T00:00:00Z' };
  for (const [path, body] of [
    [`/api/collections/${collectionId}/export`, {}],
    ['/api/publish-schedules', post],
    ['/api/censor-jobs', ids],
  ] as const) {
    const answer = await first.call('POST', path, body);
    expect([path, answer.status]).toEqual([path, 409]);
    expect(answer.body).toMatchObject({
      errorMessage: expect.stringContaining(`gone from the data directory: ${id}.`),
    });
  }
  const { storageSize } = await getProject(first, id);
  await first.stop();

  const second = await open();
  await second.idle();
  const project = await getProject(second, id);
  expect(project).toMatchObject({ stage: 'COMPLETE', error: null });
  expect(project.notes).toContain('the file of 1 clip was lost: made again from the video');
  expect(Number(project.storageSize) / Number(storageSize)).toBeCloseTo(1, 1);
  const [clip] = await listClips(second, id);
  expect(clip?.notes).toContain('1 word beeped over');
  expect((await fetch(String(clip?.uriForExport))).status).toBe(200);
  expect(await readdir(join(second.dataDir, 'outbox', 'mail'))).toHaveLength(1);
});

test('media that was lost for good is told in words', async () => {
  const first = await open();
  const { id, ids, videoUrl } = await makeClip(first);
  await removeFiles(first, 'uploads');
  // The clip's own file and the saved words are enough for its sound.
  expect(await censor(first, ids)).toMatchObject({ error: null, censoredWords: 1 });
  const lost = await createProject(first, { videoUrl });
  await first.idle();
  expect(await getProject(first, lost.id)).toMatchObject({
    stage: 'STALLED',
    stallCount: 1,
    error: 'the uploaded video is gone from the data directory',
  });
  const publishAt = new Date(Date.now() + 1000).toISOString();
  const post = { ...ids, postAccountId: 'local-tiktok', publishAt };
  const scheduled = await first.call('POST', '/api/publish-schedules', post);
  const [clip] = await listClips(first, id);
  await removeFiles(first, 'clips');
  await first.idle();
  expect((await fetch(String(clip?.uriForExport))).status).toBe(404);
  await first.stop();
  const second = await open();
  await second.idle();
  expect(await getProject(second, id)).toMatchObject({ stage: 'COMPLETE', error: null });
  expect((await getProject(second, id)).notes).toContain(
    'the file of 1 clip was lost, and so is the video it was made of',
  );
  await second.stop();
  const db = await openDatabase(join(first.dataDir, 'store.db'));
  const { scheduleId } = (scheduled.body as { data: { scheduleId: string } }).data;
  expect(db.get('SELECT state, error FROM schedules WHERE schedule_id = ?', scheduleId)).toEqual({
    state: 'FAILED',
    error: 'the clip is not here any more',
  });
  db.close();
});

test('words in the picture cannot be censored without the video, and no path of this machine is told', async () => {
  const running = await open();
  const renderPref = { enableCaption: true, layoutAspectRatio: 'landscape' };
  const { ids } = await makeClip(running, { renderPref });
  await removeFiles(running, 'uploads');
  expect(await censor(running, ids)).toMatchObject({
    status: 'CONCLUDED',
    error: 'the source video is gone from the data directory',
  });
});

test('a full disk answers 507 to an upload, and the service goes on', async () => {
  const running = await open();
  const { location, sessionId } = await openSession(running);
  const path = join(running.dataDir, 'uploads', sessionId);
  await symlink(FULL_DEVICE, path);
  const file = makeFile(2_000_000);
  const refused = await sendStorage(location, { body: file.bytes });
  expect([refused.status, JSON.parse(refused.text).errorName]).toEqual([507, 'Unavailable']);
  await rm(path);
  const done = await sendStorage(location, { body: file.bytes });
  expect([done.status, done.headers['x-storage-hash']]).toEqual([200, file.hashHeader]);
});

test('a full disk is named as such, whoever said it', async () => {
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:duration=2', '-f', 'rawvideo', FULL_DEVICE];
  const failures = [
    await failure(runFfmpeg(tools.ffmpegPath, source, { timeoutMs: 30_000 })),
    await failure(writeFile(FULL_DEVICE, 'x')),
    await failure(fillStore(join(root, 'small.db'))),
  ];
  expect(failures.map(isDiskFull)).toEqual([true, true, true]);
  expect(failures.map(describeFailure)).toEqual([DISK_FULL, DISK_FULL, DISK_FULL]);
  expect([new Error('other'), undefined].map(isDiskFull)).toEqual([false, false]);
});

/** SQLite itself says "full" when a store reaches its largest size. */
async function fillStore(path: string): Promise<void> {
  const db = await openDatabase(path);
  try {
    db.exec('CREATE TABLE filled (text TEXT)');
    db.all('PRAGMA max_page_count = 8');
    db.run('INSERT INTO filled VALUES (?)', 'x'.repeat(1_000_000));
  } finally {
    db.close();
  }
}
