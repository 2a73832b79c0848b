import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DISK_FULL } from '../../src/service/disk-full.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { createProject, getProject, listClips, uploadVideo } from './project-client.js';
import { askStorage, keptOf, makeFile, openSession, sendRest, sendStorage } from './storage-client.js';

/** The service on a file system that is really full: a small one in memory. */

const SIZE_BYTES = 24 * 1024 * 1024;
const PREFERENCES = { curationPref: { clipDurations: [[0, 8]], range: { startSec: 0, endSec: 10 } } };

/** Mounts a small file system. Answers why it could not. */
function mount(folder: string): string | undefined {
  if (process.platform !== 'linux') return 'this is not Linux';
  const { status, stderr, error } = spawnSync(
    'mount',
    ['-t', 'tmpfs', '-o', `size=${SIZE_BYTES},mode=0700`, 'clipctl-test', folder],
    { encoding: 'utf8' },
  );
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder]);
}

async function tryMount(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'clipctl-mount-'));
  const reason = mount(folder);
  if (reason === undefined) unmount(folder);
  await rm(folder, { recursive: true });
  return reason;
}

const whyNot = await tryMount();
if (whyNot !== undefined) {
  console.log(`The service on a full disk is not tested: no file system could be mounted (${whyNot}).`);
}

describe.skipIf(whyNot !== undefined)('on a full disk', () => {
  let root: string;
  let dataDir: string;
  let service: TestService;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'clipctl-full-'));
    mount(root);
    dataDir = join(root, 'data');
    await mkdir(dataDir);
    service = await startTestService({ dataDir });
  });
  afterEach(async () => {
    await empty();
    await service.stop();
    unmount(root);
    await rm(root, { recursive: true, force: true });
  });

  const filler = () => join(root, 'filler');

  /** Takes all room but `leftBytes`. */
  async function fill(leftBytes = 0): Promise<void> {
    const handle = await open(filler(), 'a');
    const block = Buffer.alloc(64 * 1024);
    try {
      for (;;) await handle.write(block);
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
      const { size } = await handle.stat();
      await handle.truncate(Math.max(0, size - leftBytes));
    } finally {
      await handle.close();
    }
  }

  const empty = () => rm(filler(), { force: true });

  const createCollection = (name: string) =>
    service.call('POST', '/api/collections', { collectionName: name });

  /** The store has room of its own that it fills first. Answers what was still created, and the refusal. */
  async function fillStore() {
    const kept: string[] = [];
    for (;;) {
      const answer = await createCollection(`C${kept.length}`);
      if (answer.status !== 201) return { kept, refused: answer };
      kept.push((answer.body as { data: { collectionId: string } }).data.collectionId);
    }
  }

  test('the interface answers 503, and what it answered before is kept', async () => {
    await fill();
    const { kept, refused } = await fillStore();
    expect(refused).toMatchObject({
      status: 503,
      body: { errorName: 'Unavailable', errorMessage: DISK_FULL },
    });
    expect((await service.call('GET', '/api/social-accounts?q=mine')).status).toBe(200);
    await empty();
    expect((await createCollection('after')).status).toBe(201);
    await service.restart();
    for (const id of kept) {
      expect((await service.call('POST', `/api/collections/${id}/export`, {})).status).toBe(200);
    }
  });

  test('the storage answers 507, keeps what it has, and goes on from there', async () => {
    const file = makeFile(8_000_000);
    const { location } = await openSession(service);
    await fill(3_000_000);
    const refused = await sendStorage(location, { body: file.bytes });
    expect([refused.status, JSON.parse(refused.text).errorName]).toEqual([507, 'Unavailable']);
    await empty();
    const keptBytes = keptOf(await askStorage(location, file.bytes.length));
    expect(keptBytes).toBeGreaterThan(1_000_000);
    const done = await sendRest(location, file.bytes, keptBytes);
    expect([done.status, done.headers['x-storage-hash']]).toEqual([200, file.hashHeader]);
  });

  test('a project stalls and says why, and the next one is made once there is room', async () => {
    const videoUrl = await uploadVideo(service);
    await fill(300_000);
    const { id } = await createProject(service, { videoUrl, ...PREFERENCES });
    await service.idle();
    expect(await getProject(service, id)).toMatchObject({
      stage: 'STALLED',
      stallCount: 3,
      error: DISK_FULL,
    });
    await empty();
    const next = await createProject(service, { videoUrl, ...PREFERENCES });
    await service.idle();
    expect(await getProject(service, next.id)).toMatchObject({ stage: 'COMPLETE' });
    expect(await listClips(service, next.id)).not.toHaveLength(0);
  });

  test('a project whose failure cannot even be written goes on once there is room', async () => {
    const videoUrl = await uploadVideo(service);
    const { id } = await createProject(service, { videoUrl, ...PREFERENCES });
    await fill();
    await fillStore();
    const failures = () =>
      service.logged.filter((line) => /^(?:a job failed|the store cannot be used): .*full/.test(line)).length;
    await vi.waitFor(() => expect(failures()).toBeGreaterThan(1), { timeout: 60_000 });
    expect((await getProject(service, id)).stage).not.toBe('COMPLETE');
    await empty();
    await service.idle();
    expect(await getProject(service, id)).toMatchObject({ stage: 'COMPLETE', error: null });
  });
});
