import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alignWords } from '../../../src/service/media/align-words.js';
import { analyseMedia } from '../../../src/service/media/analyse.js';
import { chooseMoments, wholeVideo } from '../../../src/service/media/choose-moments.js';
import { fillerCuts, findFillers } from '../../../src/service/media/fillers.js';
import { keepListOf, wordsInClip } from '../../../src/service/media/keep-list.js';
import type {
  Analysis,
  MediaInfo,
  RenderOptions,
  Transcript,
} from '../../../src/service/media/media-types.js';
import { probeMedia } from '../../../src/service/media/probe.js';
import { type RenderRequest, renderClip } from '../../../src/service/media/render-clip.js';
import { readTranscript } from '../../../src/service/media/words.js';
import {
  changedPixels,
  frameAt,
  makeFile,
  NO_WORDS,
  samplesOf,
  streamLengths,
  TALK,
  temporaryFolder,
  tools,
} from './media-files.js';

let dir: string;
let remove: () => Promise<void>;
let talk: { info: MediaInfo; transcript: Transcript; analysis: Analysis };

beforeAll(async () => {
  ({ dir, remove } = await temporaryFolder());
  const info = await probeMedia(tools, TALK);
  const transcript = await readTranscript(tools, TALK, info, { workDir: dir });
  talk = { info, transcript, analysis: await analyseMedia(tools, TALK, info, { workDir: dir }) };
});
afterAll(() => remove());

const SPAN = { score: 1, features: {}, reason: '', title: 'Why stop watching?', text: '' };
const SILENT: Analysis = { silences: [], dips: [], speechRuns: [], loudness: [], sceneCutsSec: [] };

async function render(name: string, render: RenderOptions, changes: Partial<RenderRequest> = {}) {
  // Names with marks that filter arguments would take as theirs.
  const workDir = join(dir, `work of: ${name}, it's`);
  await mkdir(workDir, { recursive: true });
  const moment = { ...SPAN, startSec: 0.6, endSec: 4.6 };
  return renderClip(tools, {
    sourcePath: TALK,
    ...talk,
    moment,
    render,
    outPath: join(dir, `${name}.mp4`),
    workDir,
    ...changes,
  });
}

async function made(name: string, args: string[]) {
  const path = await makeFile(dir, name, args);
  const info = await probeMedia(tools, path);
  const moment = { ...SPAN, startSec: 0, endSec: info.durationSec };
  return { sourcePath: path, info, transcript: NO_WORDS, analysis: SILENT, moment };
}

describe('renderClip', () => {
  it('makes portrait, square and landscape clips with sound, of the planned length', async () => {
    const sizes = { portrait: [720, 1280], square: [720, 720], landscape: [1280, 720] };
    for (const [layoutAspectRatio, [width, height]] of Object.entries(sizes)) {
      const fractions: number[] = [];
      const clip = await render(
        layoutAspectRatio,
        { layoutAspectRatio },
        { onProgress: (fraction) => fractions.push(fraction) },
      );
      expect(clip).toMatchObject({ width, height, notes: [] });
      expect(Math.abs(clip.durationSec - 4)).toBeLessThan(0.1);
      const lengths = await streamLengths(clip.path);
      expect(Math.abs((lengths.video ?? 0) - (lengths.audio ?? 0))).toBeLessThan(0.06);
      expect([...fractions].sort((a, b) => a - b)).toEqual(fractions);
      expect(fractions.at(-1)).toBe(1);
    }
    expect((await readdir(dir)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('keeps each chosen moment of the sample inside the asked length, as a file too', async () => {
    const { moments } = chooseMoments({ ...talk, curation: { clipDurations: [[0, 30]] } });
    expect(moments.length).toBeGreaterThanOrEqual(2);
    expect(chooseMoments({ ...talk, curation: {} }).moments.length).toBeGreaterThanOrEqual(2);
    const moment = moments[0];
    if (moment === undefined) throw new Error('no moment');
    const clip = await render('chosen', {}, { moment });
    expect(clip.durationSec).toBeLessThanOrEqual(30);
    expect(clip.durationSec).toBeGreaterThanOrEqual(5);
  });

  it('draws captions, headline and watermark where they belong', async () => {
    const plain = await render('plain', {});
    const captioned = await render(
      'captioned',
      { enableCaption: true, enableWatermark: true, enableHighlight: true },
      { autoHook: true },
    );
    expect(captioned.notes).toEqual([]);
    const size = { width: 720, height: 1280 };
    const [a, b] = [await frameAt(plain.path, 1), await frameAt(captioned.path, 1)];
    expect(changedPixels(a, b, size, 0.7, 0.85)).toBeGreaterThan(5000);
    expect(changedPixels(a, b, size, 0.1, 0.3)).toBeGreaterThan(20000);
    expect(changedPixels(a, b, size, 0.93, 0.99)).toBeGreaterThan(200);
    expect(changedPixels(a, b, size, 0.4, 0.6)).toBeLessThan(200);
    // The headline leaves after three seconds.
    const [c, d] = [await frameAt(plain.path, 3.5), await frameAt(captioned.path, 3.5)];
    expect(changedPixels(c, d, size, 0.1, 0.3)).toBeLessThan(200);
  });

  it('says what it cannot do, and does the rest', async () => {
    const font = {
      color: '#FFFFFF',
      style: [],
      family: 'No Such Family',
      stroke: { enabled: false, color: '#000000', width: 0 },
      shadow: { enabled: false, color: '#000000', x: 0, y: 0, blur: 0 },
    };
    const { notes } = await render('notes', {
      enableCaption: true,
      enableEmoji: true,
      enableBroll: true,
      enableSplitLayout: true,
      captionStyle: 'x',
      font,
    });
    for (const word of ['emoji', 'B-roll', 'split layout', 'captionStyle', 'No Such Family']) {
      expect(
        notes.filter((note) => note.includes(word)),
        word,
      ).toHaveLength(1);
    }
  });

  it('cuts filler words out of picture, sound and captions alike', async () => {
    const moment = { ...SPAN, startSec: 55.6, endSec: 66.6 };
    const clip = await render(
      'fillers',
      { quickstartConfig: { enableRemoveFillerWords: true }, enableCaption: true },
      { moment },
    );
    expect(clip.notes).toEqual(['5 of 5 filler words removed']);
    const { words } = alignWords(talk.transcript, talk.analysis.dips);
    const { cuts } = fillerCuts(findFillers(words), talk.analysis.dips);
    const keep = keepListOf(moment, cuts, 25);
    expect(keep.spans).toHaveLength(5);
    const lengths = await streamLengths(clip.path);
    expect(Math.abs((lengths.video ?? 0) - keep.totalSec)).toBeLessThan(0.05);
    expect(Math.abs((lengths.audio ?? 0) - keep.totalSec)).toBeLessThan(0.05);
    const shown = wordsInClip(words, keep).map((word) => word.text);
    expect(shown.join(' ')).toBe(
      'so, saying no at work is, really hard, I used to say yes to every meeting, and, I was, always late.',
    );
    // The last words sound in the clip exactly where the keep-list puts them.
    const [source, cut] = [await samplesOf(TALK), await samplesOf(clip.path)];
    const always = words.find((word) => word.text === 'always');
    expect(
      Math.abs(bestShift(source, cut, always?.startSec ?? 0, keep.toClipSec(always?.startSec ?? 0))),
    ).toBeLessThan(0.03);
  });

  it('follows the motion, and shows everything when nobody knows', async () => {
    const box =
      "color=c=navy:s=640x360:r=25:d=3[b];color=c=white:s=60x60:r=25:d=3[w];[b][w]overlay=x='520+30*sin(6*t)':y=150";
    const right = await made('right.mp4', [
      '-filter_complex',
      box,
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
    ]);
    const followed = await render('followed', {}, right);
    expect(followed.notes).toEqual(['the video has no sound, so the clip has none']);
    expect(whitePixels(await frameAt(followed.path, 1))).toBeGreaterThan(20_000);
    const still = await made('still.mp4', [
      '-f',
      'lavfi',
      '-i',
      'smptebars=s=640x360:r=25:d=2',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
    ]);
    const fitted = await render('fitted', {}, still);
    expect(fitted.notes).toContain(
      'it is not clear where the speaker is: the whole picture is shown on a blurred background',
    );
    expect((await streamLengths(fitted.path)).audio).toBeUndefined();
    const filled = await render('filled', { enableFillLayout: true }, still);
    expect(filled.notes.some((note) => note.startsWith('fill layout'))).toBe(true);
  });

  it('makes clips of stripes, asked for or given', async () => {
    const picture = (size: string) => [
      ...['-f', 'lavfi', '-i', `testsrc=s=${size}:r=25:d=1`],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
    ];
    const wide = await made('wide.mp4', picture('320x180'));
    for (const [ratio, used] of [
      ['1:1000000', '1:4'],
      ['1000000:1', '4:1'],
    ] as const) {
      const asked = { enableFitLayout: true, fitLayoutCropRatio: ratio };
      const clip = await render(`stripe ${used}`, asked, wide);
      expect(clip.notes).toContain(
        `fitLayoutCropRatio "${ratio}" leaves a stripe of the picture: ${used} is used`,
      );
    }
    for (const size of ['1000x4', '4x1000']) {
      const thin = await made(`${size}.mp4`, picture(size));
      expect(await render(size, { enableFillLayout: true }, thin)).toMatchObject({
        width: 720,
        height: 1280,
      });
    }
  });

  it('takes odd sizes, 4:2:2, slow and turned pictures', async () => {
    const odd = await made('odd.mkv', [
      '-f',
      'lavfi',
      '-i',
      'testsrc=s=322x179:r=8:d=2',
      '-pix_fmt',
      'yuv422p',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
    ]);
    for (const layout of ['portrait', 'landscape', 'square']) {
      const clip = await render(
        `odd-${layout}`,
        { layoutAspectRatio: layout, enableFitLayout: true, fitLayoutCropRatio: '4:3' },
        odd,
      );
      expect(Math.abs(clip.durationSec - 2)).toBeLessThan(0.1);
    }
    const flat = await makeFile(dir, 'flat.mp4', [
      '-f',
      'lavfi',
      '-i',
      'testsrc=s=640x360:r=25:d=1',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
    ]);
    const turned = await made('turned.mp4', ['-i', flat, '-c', 'copy', '-metadata:s:v:0', 'rotate=90']);
    // Newer builds write the turn another way; whatever is in the file, probe and picture must agree.
    if (turned.info.rotationDeg === 90) expect(turned.info).toMatchObject({ width: 360, height: 640 });
    expect(await render('turned', {}, turned)).toMatchObject({ width: 720, height: 1280 });
  });

  it('renders the whole video for skipCurate, and says why there are no captions', async () => {
    const short = await made('short.mp4', [
      ...['-f', 'lavfi', '-i', 'testsrc=s=320x180:r=25:d=2', '-f', 'lavfi', '-i', 'sine=d=2'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'],
    ]);
    const moment = wholeVideo(short.info, NO_WORDS);
    const asked = { enableCaption: true, quickstartConfig: { enableRemoveFillerWords: true } };
    const clip = await render('whole', asked, { ...short, moment });
    expect(Math.abs(clip.durationSec - short.info.durationSec)).toBeLessThan(0.1);
    expect(clip.notes.filter((note) => note.includes('there are no words'))).toHaveLength(2);
  });

  it('leaves nothing behind when it is stopped or fails', async () => {
    const control = new AbortController();
    const stop = (fraction: number) => fraction > 0.2 && control.abort(new Error('enough'));
    await expect(render('stopped', {}, { signal: control.signal, onProgress: stop })).rejects.toThrow(
      'enough',
    );
    const moment = { ...SPAN, startSec: 90, endSec: 120 };
    await expect(render('beyond', { enableFitLayout: true }, { moment })).rejects.toMatchObject({
      kind: 'rejected',
    });
    for (const name of ['stopped', 'beyond']) {
      expect(existsSync(join(dir, `${name}.mp4`)) || existsSync(join(dir, `${name}.mp4.part`)), name).toBe(
        false,
      );
    }
  });
});

function whitePixels(frame: Buffer): number {
  let count = 0;
  for (let at = 0; at + 2 < frame.length; at += 3)
    if ((frame[at] ?? 0) > 200 && (frame[at + 1] ?? 0) > 200) count += 1;
  return count;
}

/** By how many seconds the sound at `cutSec` of `cut` must be moved to match `sourceSec` of `source` best. */
function bestShift(source: Float32Array, cut: Float32Array, sourceSec: number, cutSec: number): number {
  const rate = 16_000;
  const length = rate * 0.3;
  let best = 0;
  let bestSum = Number.NEGATIVE_INFINITY;
  for (let shift = -0.1 * rate; shift <= 0.1 * rate; shift += 8) {
    let sum = 0;
    for (let i = 0; i < length; i += 1) {
      sum +=
        (source[Math.round(sourceSec * rate) + i] ?? 0) * (cut[Math.round(cutSec * rate + shift) + i] ?? 0);
    }
    if (sum > bestSum) {
      bestSum = sum;
      best = shift / rate;
    }
  }
  return best;
}
