import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT_REQUIRED } from '../../src/api/projects.js';
import { findMediaTools } from '../../src/service/media/find-tools.js';
import { probeMedia } from '../../src/service/media/probe.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { createProject, getProject, listClips, uploadVideo } from './project-client.js';
import { makeFile, openSession } from './storage-client.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('an uploaded talk becomes clips that can be fetched, whole and in parts', {
  timeout: 60_000,
}, async () => {
  const videoUrl = await uploadVideo(service);
  const made = await createProject(service, {
    videoUrl,
    curationPref: { clipDurations: [[0, 15]], range: { startSec: 0, endSec: 30 } },
  });
  expect(made.stage).toBe('QUEUED');
  expect(PROJECT_REQUIRED.filter((name) => made[name] === undefined)).toEqual([]);
  await service.idle();
  const done = await getProject(service, made.id);
  expect([done.stage, done.error]).toEqual(['COMPLETE', null]);
  const clips = await listClips(service, made.id);
  expect(clips.length).toBeGreaterThan(0);
  const tools = await findMediaTools(process.env);
  for (const clip of clips) {
    expect(clip.id).toBe(`${made.id}.${clip.curationId}`);
    expect(clip.reason).toBeTruthy();
    expect(clip.endSec).toBeLessThanOrEqual(30.01);
    const info = await probeMedia(tools, join(service.dataDir, 'clips', `${clip.id}.mp4`));
    expect([info.width, info.height, info.hasAudio]).toEqual([720, 1280, true]);
    expect(info.durationSec * 1000).toBeCloseTo(clip.durationMs ?? 0, -2);
    expect(clip.durationMs).toBeLessThanOrEqual(15_100);
  }
  const left = await readdir(join(service.dataDir, 'work', made.id));
  expect(left.filter((name) => name.startsWith('C'))).toEqual([]);
  await checkRanges(String(clips[0]?.uriForExport));
});

async function checkRanges(address: string): Promise<void> {
  const whole = await fetch(address);
  expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'video/mp4']);
  const bytes = Buffer.from(await whole.arrayBuffer());
  const part = await fetch(address, { headers: { range: 'bytes=100-299' } });
  expect(part.status).toBe(206);
  expect(part.headers.get('content-range')).toBe(`bytes 100-299/${bytes.length}`);
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 300))).toBe(true);
  const last = await fetch(address, { headers: { range: 'bytes=-10' } });
  expect(Buffer.from(await last.arrayBuffer()).equals(bytes.subarray(-10))).toBe(true);
  expect((await fetch(address, { headers: { range: `bytes=${bytes.length}-` } })).status).toBe(416);
  expect((await fetch(address, { headers: { range: 'bytes=0-1', 'if-range': '"other"' } })).status).toBe(200);
  expect(
    (await fetch(address.replace(/(.)\/[^/]*$/, (_, sign) => `${sign === 'A' ? 'B' : 'A'}/x.mp4`))).status,
  ).toBe(404);
  expect((await fetch(address, { method: 'HEAD' })).headers.get('content-length')).toBe(String(bytes.length));
}

test('what is not a video stalls the project and says why', async () => {
  const videoUrl = await uploadVideo(service, makeFile(50_000).bytes);
  const { id } = await createProject(service, { videoUrl });
  await service.idle();
  const done = await getProject(service, id);
  expect(done.stage).toBe('STALLED');
  expect(done.error).toContain('not a video');
  expect(await listClips(service, id)).toEqual([]);
});

test('preferences that leave no moment stall the project and say why', async () => {
  const videoUrl = await uploadVideo(service);
  const { id } = await createProject(service, { videoUrl, curationPref: { clipDurations: [[600, 900]] } });
  await service.idle();
  const done = await getProject(service, id);
  expect(done.stage).toBe('STALLED');
  expect(done.error).toMatch(/^no clips: ./);
});

test('a project needs a source that is here and whole', async () => {
  const { uploadId } = await openSession(service);
  const create = async (body: object) => (await service.call('POST', '/api/clip-projects', body)).status;
  expect(await create({ videoUrl: uploadId })).toBe(409);
  expect(await create({ videoUrl: 'Unobody' })).toBe(404);
  expect(await create({ videoUrl: '../../etc/passwd' })).toBe(404);
  expect(await create({ videoUrl: 'file:///etc/passwd' })).toBe(400);
  expect(await create({ videoUrl: '' })).toBe(400);
});

test('visibility is what it was set to', async () => {
  const { id } = await createProject(service, { videoUrl: await uploadVideo(service, Buffer.from('x')) });
  const path = `/api/clip-projects/${id}/update-visibility`;
  expect((await service.call('POST', path, { visibility: 'PUBLIC' })).body).toMatchObject({
    id,
    visibility: 'PUBLIC',
  });
  expect((await service.call('POST', path, { visibility: 'PUBLIC_VIEW' })).status).toBe(400);
  expect((await getProject(service, id)).visibility).toBe('PUBLIC');
});
