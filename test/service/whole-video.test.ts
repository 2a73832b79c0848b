import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { changedPixels, frameAt, temporaryFolder } from './media/media-files.js';
import { makeSmallVideo } from './media/small-video.js';
import { createProject, getProject, listClips, uploadVideo } from './project-client.js';

let service: TestService;
let videoUrl: string;

beforeAll(async () => {
  service = await startTestService();
  const { dir, remove } = await temporaryFolder();
  const path = await makeSmallVideo(dir, 'whole.mp4', { lengthSec: 2 });
  videoUrl = await uploadVideo(service, await readFile(path));
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
    expect(clip).toMatchObject({ startSec: 0, endSec: expect.closeTo(2, 1) });
    frames.push(await frameAt(join(service.dataDir, 'clips', `${clip?.id}.mp4`), 1));
    const { notes } = (await getProject(service, id)) as { notes?: string[] };
    const told = 'range' in curationPref ? Object.keys(asked) : [];
    for (const name of told) expect(notes).toContainEqual(expect.stringMatching(`^${name} has no effect`));
  }
  const [plain, hooked] = frames as [Buffer, Buffer];
  expect(changedPixels(plain, hooked, { width: 720, height: 1280 }, 0, 1)).toBe(0);
});
