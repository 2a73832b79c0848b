import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Project } from '../../src/api/projects.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { changedPixels, frameAt, temporaryFolder } from './media/media-files.js';
import { makeSmallVideo } from './media/small-video.js';
import { createProject, getProject, listClips, uploadVideo } from './project-client.js';

let service: TestService;
let video: Buffer;
let videoUrl: string;

beforeAll(async () => {
  service = await startTestService();
  const { dir, remove } = await temporaryFolder();
  const path = await makeSmallVideo(dir, 'whole.mp4', { lengthSec: 4 });
  video = await readFile(path);
  videoUrl = await uploadVideo(service, video);
  await remove();
});
afterAll(() => service.stop());

test('skipCurate takes the whole video without a headline, and says what has no effect', async () => {
  const asked = { range: { startSec: 0, endSec: 1 }, enableAutoHook: true, topicKeywords: ['talk'] };
  const frames: Buffer[] = [];
  for (const curationPref of [{ skipCurate: true }, { skipCurate: true, ...asked }]) {
    const { id } = await createProject(service, { videoUrl, curationPref });
    await service.idle();
    const [clip] = await listClips(service, id);
    expect(clip).toMatchObject({ startSec: 0, endSec: expect.closeTo(4, 1) });
    frames.push(await frameAt(join(service.dataDir, 'clips', `${clip?.id}.mp4`), 1));
    const { notes } = (await getProject(service, id)) as { notes?: string[] };
    const told = 'range' in curationPref ? Object.keys(asked) : [];
    for (const name of told) expect(notes).toContainEqual(expect.stringMatching(`^${name} has no effect`));
  }
  const [plain, hooked] = frames as [Buffer, Buffer];
  expect(changedPixels(plain, hooked, { width: 720, height: 1280 }, 0, 1)).toBe(0);
});

test('a video that was cut off is used as far as it goes, and that is said', async () => {
  const half = await uploadVideo(service, video.subarray(0, video.length / 2));
  const { id } = await createProject(service, { videoUrl: half, curationPref: { skipCurate: true } });
  await service.idle();
  const { notes, ...project } = (await getProject(service, id)) as Project & { notes: string[] };
  expect(project).toMatchObject({ stage: 'COMPLETE', error: null, stallCount: 0 });
  expect(notes[0]).toMatch(
    /may be damaged or cut off: it says 4\.0 s, but picture and sound end after [12]\.\d s$/,
  );
  const [clip] = await listClips(service, id);
  expect(Number(clip?.durationMs)).toBeGreaterThan(1000);
  expect(Number(clip?.durationMs)).toBeLessThan(3000);
});

test('a video of which only the header is left is refused at once', async () => {
  const head = await uploadVideo(service, video.subarray(0, video.indexOf('mdat') + 8));
  const { id } = await createProject(service, { videoUrl: head });
  await service.idle();
  expect(await getProject(service, id)).toMatchObject({
    stage: 'STALLED',
    stallCount: 1,
    error: 'not a video: nothing of it can be read',
  });
});
