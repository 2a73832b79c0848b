import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Clip } from '../../src/api/clips.js';
import type { Project } from '../../src/api/projects.js';
import { attachClient, findRunningService } from '../../src/service/running-service.js';
import { startService } from '../../src/service/start-service.js';
import { makeFile, tools } from './media/media-files.js';
import { createProject, uploadVideo } from './project-client.js';
import { bundleService, runService, type ServiceProcess } from './service-process.js';

let bundle: Awaited<ReturnType<typeof bundleService>>;
let dataDir: string;
beforeAll(async () => {
  bundle = await bundleService();
  dataDir = await mkdtemp(join(tmpdir(), 'clipctl-recovery-'));
});
afterAll(async () => {
  await bundle.remove();
  await rm(dataDir, { recursive: true, force: true });
});

const project = async (service: ServiceProcess, id: string) =>
  (await service.call('GET', `/api/clip-projects/${id}`)).body as Project;
const clipsOf = async (service: ServiceProcess, id: string) =>
  (
    (await service.call('GET', `/api/exportable-clips?q=findByProjectId&projectId=${id}`)).body as {
      data: Clip[];
    }
  ).data;

test('a service killed in RENDER finishes the project after its start, and renders no clip twice', {
  timeout: 120_000,
}, async () => {
  const first = await runService(bundle.script, { dataDir });
  const videoUrl = await uploadVideo(first);
  const { id } = await createProject(first, {
    videoUrl,
    curationPref: { clipDurations: [[0, 12]], range: { startSec: 0, endSec: 40 } },
  });
  await vi.waitFor(async () => expect((await clipsOf(first, id)).length).toBeGreaterThan(0), {
    timeout: 60_000,
    interval: 30,
  });
  expect((await project(first, id)).stage).toBe('RENDER');
  const [early] = await clipsOf(first, id);
  const earlyPath = join(dataDir, 'clips', `${early?.id}.mp4`);
  const { mtimeMs, ino } = await stat(earlyPath);
  await first.kill();
  expect(await findRunningService(dataDir)).toBeNull();

  const second = await runService(bundle.script, { dataDir });
  expect(await findRunningService(dataDir)).toMatchObject({
    url: second.url,
    apiKey: first.apiKey,
    pid: second.child.pid,
  });
  await vi.waitFor(async () => expect((await project(second, id)).stage).toBe('COMPLETE'), {
    timeout: 60_000,
    interval: 100,
  });
  const clips = await clipsOf(second, id);
  expect(clips.length).toBeGreaterThan(1);
  expect(clips.every((clip) => clip.version === 1)).toBe(true);
  const after = await stat(earlyPath);
  expect([after.mtimeMs, after.ino]).toEqual([mtimeMs, ino]);
  expect((await readdir(join(dataDir, 'clips'))).length).toBe(clips.length);
  expect(await second.end()).toBe(0);
  expect(await findRunningService(dataDir)).toBeNull();
});

/** A project whose one clip takes some seconds to render. */
async function createLongProject(service: ServiceProcess): Promise<string> {
  const input = ['-f', 'lavfi', '-i', 'testsrc2=s=1280x720:r=30:d=20', '-f', 'lavfi', '-i', 'sine=d=20'];
  const path = await makeFile(dataDir, 'long.mp4', [...input, '-c:v', 'libx264', '-preset', 'ultrafast']);
  const videoUrl = await uploadVideo(service, await readFile(path));
  return (await createProject(service, { videoUrl, curationPref: { skipCurate: true } })).id;
}

/** Until a render has begun for the `count`th time: each has a folder of its own. */
async function untilRendering(folder: string, count: number): Promise<void> {
  const parts = async () =>
    (await readdir(join(folder, 'work'), { recursive: true })).filter((name) => name.endsWith('.part'));
  await vi.waitFor(async () => expect(await parts()).toHaveLength(count), { timeout: 60_000, interval: 20 });
}

test('a project that the service died of ten times is STALLED', {
  timeout: 240_000,
}, async () => {
  const folder = join(dataDir, 'deadly');
  const first = await runService(bundle.script, { dataDir: folder });
  const deadly = await createLongProject(first);
  await untilRendering(folder, 1);
  await first.kill();
  for (let kill = 2; kill <= 10; kill++) {
    const service = await runService(bundle.script, { dataDir: folder });
    await untilRendering(folder, kill);
    await service.kill();
  }
  const last = await runService(bundle.script, { dataDir: folder });
  await vi.waitFor(async () => expect((await project(last, deadly)).stage).toBe('STALLED'), {
    timeout: 60_000,
    interval: 50,
  });
  expect((await project(last, deadly)).error).toContain('the service died 10 times');
  await last.end();
});

test('the clip of a service that was killed while it rendered is whole: nobody else writes into it', {
  timeout: 120_000,
}, async () => {
  const folder = join(dataDir, 'killed');
  const first = await runService(bundle.script, { dataDir: folder });
  const id = await createLongProject(first);
  await untilRendering(folder, 1);
  await sleep(500);
  await first.kill();

  const second = await runService(bundle.script, { dataDir: folder });
  await vi.waitFor(async () => expect((await project(second, id)).stage).toBe('COMPLETE'), {
    timeout: 90_000,
    interval: 100,
  });
  const [clip] = await clipsOf(second, id);
  const { stderr } = await promisify(execFile)(tools.ffmpegPath, [
    ...['-v', 'error', '-i', join(folder, 'clips', `${clip?.id}.mp4`), '-f', 'null', '-'],
  ]);
  expect(stderr).toBe('');
  await second.end();
});

test('SIGTERM parks a job, and a later start goes on with it', { timeout: 60_000 }, async () => {
  const first = await runService(bundle.script, { dataDir });
  const { id } = await createProject(first, {
    videoUrl: await uploadVideo(first),
    curationPref: { clipDurations: [[0, 8]], range: { startSec: 0, endSec: 10 } },
  });
  await vi.waitFor(async () => expect((await project(first, id)).stage).toBe('RENDER'), {
    timeout: 30_000,
    interval: 20,
  });
  expect(await first.end()).toBe(0);
  const second = await runService(bundle.script, { dataDir });
  await vi.waitFor(async () => expect((await project(second, id)).stage).toBe('COMPLETE'), {
    timeout: 30_000,
    interval: 50,
  });
  expect((await project(second, id)).stallCount).toBe(0);
  await second.end();
});

test('one data directory has one service, and an embedded one waits for who is attached', async () => {
  const logged: string[] = [];
  const options = { dataDir, env: process.env, embedded: true, log: (line: string) => logged.push(line) };
  const service = await startService(options);
  await expect(startService(options)).rejects.toMatchObject({ kind: 'usage' });
  await expect(
    startService({ ...options, dataDir: `${dataDir}2`, port: service.port }),
  ).rejects.toMatchObject({
    kind: 'usage',
    message: `port ${service.port} is in use`,
  });
  await rm(`${dataDir}2`, { recursive: true, force: true });
  const own = await attachClient(dataDir); // this process' own lease does not hold it up
  const other = await runService(bundle.script, { dataDir: `${dataDir}3` });
  const lease = join(dataDir, 'clients', String(other.child.pid));
  await writeFile(lease, '');
  const stopped = service.stop();
  await vi.waitFor(() => expect(logged.join('\n')).toContain(`process ${other.child.pid}`));
  expect(await findRunningService(dataDir)).toMatchObject({ embedded: true });
  await other.kill(); // a dead client's lease counts no more
  await stopped;
  await own.detach();
  expect(await findRunningService(dataDir)).toBeNull();
  await rm(`${dataDir}3`, { recursive: true, force: true });
});
