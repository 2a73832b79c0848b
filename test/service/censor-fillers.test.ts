import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clip } from '../../src/api/clips.js';
import type { Transcript } from '../../src/service/media/media-types.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { samplesOf, TALK } from './media/media-files.js';
import { createProject, getProject, listClips, uploadVideo } from './project-client.js';

/** A clip without its filler words, then censored: the beep must lie where the word is heard in the shorter clip. */

const RATE = 16_000;
/** "Um, so, … uh, really hard, you know. … and, um, I was, you know, always late." */
const RANGE = { startSec: 55.4, endSec: 66.6 };
let service: TestService;
let uploadId: string;

beforeAll(async () => {
  service = await startTestService();
  uploadId = await uploadVideo(service);
});
afterAll(() => service.stop());

async function makeClip(enableCaption: boolean): Promise<Clip> {
  const { id } = await createProject(service, {
    videoUrl: uploadId,
    curationPref: { clipDurations: [[7, 15]], range: RANGE },
    renderPref: { enableCaption, quickstartConfig: { enableRemoveFillerWords: true } },
  });
  await service.idle();
  expect(await getProject(service, id)).toMatchObject({ stage: 'COMPLETE', error: null });
  const [clip, ...more] = await listClips(service, id);
  expect(more).toEqual([]);
  return clip as Clip;
}

async function censor(clip: Clip, words: string): Promise<Record<string, unknown>> {
  await writeFile(join(service.dataDir, 'censor-words.txt'), words);
  const ids = { projectId: clip.projectId, clipId: clip.curationId };
  const { body } = await service.call('POST', '/api/censor-jobs', ids);
  await service.idle();
  const { jobId } = body as { jobId: string };
  return (await service.call('GET', `/api/censor-jobs/${jobId}`)).body as Record<string, unknown>;
}

/** Sound of the newest version of a clip. */
async function soundOf(clip: Clip): Promise<Float32Array> {
  const names = await readdir(join(service.dataDir, 'clips'));
  const name = names.find((candidate) => candidate.startsWith(`${clip.id}.`));
  return samplesOf(join(service.dataDir, 'clips', String(name)));
}

/** When a piece of the video's own sound is heard in a clip, in seconds, by the sound alone. */
function locate(piece: Float32Array, sound: Float32Array): number {
  let best = { at: 0, score: Number.NEGATIVE_INFINITY };
  for (let at = 0; at + piece.length <= sound.length; at += 8) {
    let [product, energy] = [0, 1e-9];
    for (let index = 0; index < piece.length; index += 4) {
      const sample = sound[at + index] ?? 0;
      product += sample * (piece[index] ?? 0);
      energy += sample * sample;
    }
    const score = product / Math.sqrt(energy);
    if (score > best.score) best = { at, score };
  }
  return best.at / RATE;
}

/** Share of a part's energy at 1 kHz: a beep has nearly all of it there. */
function beepShare(sound: Float32Array, startSec: number, endSec: number): number {
  const part = sound.subarray(Math.round(startSec * RATE), Math.round(endSec * RATE));
  let [energy, real, imaginary] = [1e-9, 0, 0];
  part.forEach((sample, index) => {
    energy += sample * sample;
    real += sample * Math.cos((2 * Math.PI * 1000 * index) / RATE);
    imaginary += sample * Math.sin((2 * Math.PI * 1000 * index) / RATE);
  });
  return (2 * (real ** 2 + imaginary ** 2)) / part.length / energy;
}

test.each([
  ['with captions, so that the clip is rendered again', true],
  ['without captions, so that only its sound is changed', false],
])('%s', { timeout: 300_000 }, async (_how, enableCaption) => {
  const clip = await makeClip(enableCaption);
  const before = await soundOf(clip);
  const uncutLengthSec = Number(clip.endSec) - Number(clip.startSec);
  expect(uncutLengthSec - before.length / RATE).toBeGreaterThan(1);
  const transcriptPath = join(service.dataDir, 'work', String(clip.projectId), 'transcript.json');
  const { words } = JSON.parse(await readFile(transcriptPath, 'utf8')) as Transcript;
  const word = words.find(({ text }) => text === 'always');
  if (!word) throw new Error('the talk has changed');
  const source = await samplesOf(TALK);
  const heardSec = locate(source.subarray(word.startSec * RATE, word.endSec * RATE), before);
  const endSec = heardSec + word.endSec - word.startSec;
  expect(word.startSec - Number(clip.startSec) - heardSec).toBeGreaterThan(1);
  expect(beepShare(before, heardSec, endSec)).toBeLessThan(0.3);

  // Fillers on the list are gone already, and must not come back because they are masked.
  for (const list of ['always\n', 'always\num\nuh\n']) {
    expect(await censor(clip, list)).toMatchObject({ error: null, censoredWords: 1 });
    const after = await soundOf(clip);
    expect(Math.abs(after.length - before.length) / RATE).toBeLessThan(0.15);
    expect(beepShare(after, heardSec, endSec)).toBeGreaterThan(0.8);
    expect(beepShare(after, heardSec - 0.5, heardSec - 0.15)).toBeLessThan(0.3);
    expect(beepShare(after, endSec + 0.15, endSec + 0.4)).toBeLessThan(0.3);
  }
});
