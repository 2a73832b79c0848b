import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clip } from '../../src/api/clips.js';
import type { Transcript } from '../../src/service/media/media-types.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { samplesOf, temporaryFolder } from './media/media-files.js';
import { makeSmallVideo } from './media/small-video.js';
import { createProject, getProject, listClips, uploadVideo } from './project-client.js';

/** One censor job after the other: what the first took out stays out. */

const RATE = 16_000;
let service: TestService;
let uploadId: string;

beforeAll(async () => {
  service = await startTestService();
  const { dir, remove } = await temporaryFolder();
  const path = await makeSmallVideo(dir, 'said.mp4', {
    lengthSec: 4,
    tracks: { eng: [[0.5, 3.5, 'Here we talk to people everywhere.']] },
  });
  uploadId = await uploadVideo(service, await readFile(path));
  await remove();
});
afterAll(() => service.stop());

async function censor(clip: Clip, words: string, beepSound: boolean): Promise<void> {
  await writeFile(join(service.dataDir, 'censor-words.txt'), words);
  const body = { projectId: clip.projectId, clipId: clip.curationId, options: { beepSound } };
  const { jobId } = (await service.call('POST', '/api/censor-jobs', body)).body as { jobId: string };
  await service.idle();
  const job = await service.call('GET', `/api/censor-jobs/${jobId}`);
  expect(job.body).toMatchObject({ error: null, censoredWords: 1 });
}

/** How loud a word is in the newest version of a clip, and how much of that a beep of 1 kHz. */
async function hear(clip: Clip, text: string): Promise<{ level: number; beepShare: number }> {
  const path = join(service.dataDir, 'work', String(clip.projectId), 'transcript.json');
  const { words } = JSON.parse(await readFile(path, 'utf8')) as Transcript;
  const word = words.find((candidate) => candidate.text === text);
  if (!word) throw new Error(`nobody says ${text}`);
  const [file] = await readdir(join(service.dataDir, 'clips')).then((names) =>
    names.filter((name) => name.startsWith(`${clip.id}.`)),
  );
  const sound = await samplesOf(join(service.dataDir, 'clips', String(file)));
  const part = sound.subarray(Math.round(word.startSec * RATE), Math.round(word.endSec * RATE));
  let [energy, real, imaginary] = [1e-12, 0, 0];
  part.forEach((sample, index) => {
    energy += sample * sample;
    real += sample * Math.cos((2 * Math.PI * 1000 * index) / RATE);
    imaginary += sample * Math.sin((2 * Math.PI * 1000 * index) / RATE);
  });
  return {
    level: Math.sqrt(energy / part.length),
    beepShare: (2 * (real ** 2 + imaginary ** 2)) / part.length / energy,
  };
}

test.each([
  ['with captions', true],
  ['without captions', false],
])('a second job keeps what the first one did, %s', { timeout: 120_000 }, async (_how, enableCaption) => {
  const { id } = await createProject(service, {
    videoUrl: uploadId,
    curationPref: { skipCurate: true },
    renderPref: { enableCaption, layoutAspectRatio: 'landscape' },
  });
  await service.idle();
  expect(await getProject(service, id)).toMatchObject({ stage: 'COMPLETE', error: null });
  const newest = async () => (await listClips(service, id))[0] as Clip & { notes: string[] };
  const before = await hear(await newest(), 'talk');
  await censor(await newest(), 'talk', false);
  expect((await hear(await newest(), 'talk')).level).toBeLessThan(before.level / 50);
  await censor(await newest(), 'people', true);
  const clip = await newest();
  expect((await hear(clip, 'talk')).level).toBeLessThan(before.level / 50);
  expect((await hear(clip, 'people')).beepShare).toBeGreaterThan(0.8);
  expect((await hear(clip, 'Here')).beepShare).toBeLessThan(0.2);
  expect(clip.text).toBe('Here we t*** to p***** everywhere.');
  expect(clip.notes.slice(-2)).toEqual(['1 word beeped over', '1 word silenced']);
  await censor(clip, 'talk', true); // of two ways the newer counts
  expect((await hear(clip, 'talk')).beepShare).toBeGreaterThan(0.8);
  expect((await newest()).notes.slice(-1)).toEqual(['2 words beeped over']);
});
