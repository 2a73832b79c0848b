import { chmod, copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyseMedia } from '../../../src/service/media/analyse.js';
import { describeTools, findMediaTools } from '../../../src/service/media/find-tools.js';
import { probeMedia } from '../../../src/service/media/probe.js';
import { runFfmpeg } from '../../../src/service/media/run-ffmpeg.js';
import { readTranscript } from '../../../src/service/media/words.js';
import { makeFile, TALK, temporaryFolder, tools, writeText } from './media-files.js';
import { makeSmallVideo } from './small-video.js';

let dir: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ dir, remove } = await temporaryFolder());
});
afterAll(() => remove());

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc=s=320x240:r=25:d=3'];
const TONE = ['-f', 'lavfi', '-i', 'sine=f=440:d=3'];

describe('findMediaTools', () => {
  it('takes named programs, then the PATH, then the installer packages', async () => {
    const named = await findMediaTools({
      CLIPCTL_FFMPEG: tools.ffmpegPath,
      CLIPCTL_FFPROBE: tools.ffprobePath,
      PATH: '/nowhere',
    });
    expect(named).toEqual(tools);
    const folder = join(dir, 'bin');
    await mkdir(folder);
    for (const [name, target] of [
      ['ffmpeg', tools.ffmpegPath],
      ['ffprobe', tools.ffprobePath],
    ] as const) {
      await symlink(target, join(folder, name));
    }
    expect(await findMediaTools({ PATH: folder })).toEqual({
      ffmpegPath: join(folder, 'ffmpeg'),
      ffprobePath: join(folder, 'ffprobe'),
    });
    const installed = await findMediaTools({ PATH: '/nowhere' });
    expect(installed.ffmpegPath).toContain('@ffmpeg-installer');
    expect((await describeTools(installed)).ffprobeVersion).not.toBe('unknown');
  });

  it('gives a file of ours its run bit back', async () => {
    const copy = join(dir, 'copied-ffprobe');
    await copyFile(tools.ffprobePath, copy);
    await chmod(copy, 0o644);
    expect(
      (await findMediaTools({ CLIPCTL_FFPROBE: copy, CLIPCTL_FFMPEG: tools.ffmpegPath })).ffprobePath,
    ).toBe(copy);
  });

  it('says which name is wrong', async () => {
    await expect(findMediaTools({ CLIPCTL_FFMPEG: '/no/such' })).rejects.toMatchObject({
      kind: 'service',
      message: 'CLIPCTL_FFMPEG names no program that can be run: /no/such',
    });
  });

  it('describes what doctor shows', async () => {
    expect(await describeTools(tools)).toMatchObject({
      hasLibass: true,
      missingEncoders: [],
      missingFilters: [],
    });
  });
});

describe('probeMedia', () => {
  it('reads the sample', async () => {
    const info = await probeMedia(tools, TALK);
    expect(info).toMatchObject({
      width: 1280,
      height: 720,
      fps: 25,
      hasAudio: true,
      videoCodec: 'h264',
      audioCodec: 'aac',
      rotationDeg: 0,
    });
    expect(info.durationSec).toBeGreaterThan(60);
    expect(info.durationSec).toBeLessThan(120);
    expect(info.sizeBytes).toBeLessThan(3_000_000);
    expect(info.subtitleStreams).toMatchObject([{ subtitleIndex: 0, isText: true, language: 'eng' }]);
  });

  it('shows a file without sound, and pixels that are not square, as they look', async () => {
    const path = await makeFile(dir, 'silent, "odd": name.mp4', [
      ...PICTURE,
      '-vf',
      'setsar=2/1',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
    ]);
    expect(await probeMedia(tools, path)).toMatchObject({
      hasAudio: false,
      audioCodec: null,
      width: 640,
      height: 240,
    });
  });

  it('takes the rate of the fastest part where the rate varies, and frames for fields', async () => {
    const input = (rate: number) => ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=${rate}:d=6`];
    const fast = ['-c:v', 'libx264', '-preset', 'ultrafast'];
    // 10, 30 and 4 pictures a second, two seconds each
    const choice = "select='if(lt(t,2),not(mod(n,6)),if(lt(t,4),not(mod(n,2)),not(mod(n,15))))'";
    const varied = await makeFile(dir, 'varied.mp4', [...input(60), '-vf', choice, '-vsync', 'vfr', ...fast]);
    expect((await probeMedia(tools, varied)).fps).toBeGreaterThanOrEqual(30);
    const fields = ['-vf', 'interlace', '-flags', '+ilme+ildct', ...fast];
    const interlaced = await makeFile(dir, 'fields.mp4', [...input(50), ...fields]);
    expect((await probeMedia(tools, interlaced)).fps).toBe(25);
  });

  it('finds the length of a file that does not say it', async () => {
    const path = await makeFile(dir, 'live.h264', [
      ...PICTURE,
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-f',
      'matroska',
      '-live',
      '1',
    ]);
    expect((await probeMedia(tools, path)).durationSec).toBeCloseTo(2.96, 1);
  });

  it('refuses pictures that are too large, however they come to be', async () => {
    const color = (size: string) => ['-f', 'lavfi', '-i', `color=s=${size}:r=1:d=1`];
    const fast = ['-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    const files = [
      await makeFile(dir, 'picture.mov', [...color('9000x9000'), '-c:v', 'png']),
      await makeFile(dir, 'square.mp4', [...color('6400x6400'), '-c:v', 'libx264', ...fast]),
      await makeFile(dir, 'stretched.mp4', [
        ...color('1600x1600'),
        '-vf',
        'setsar=64/1',
        '-c:v',
        'libx264',
        ...fast,
      ]),
    ];
    const sizes = ['9000 × 9000', '6400 × 6400', '102400 × 1600'];
    for (const [index, path] of files.entries()) {
      await expect(probeMedia(tools, path)).rejects.toMatchObject({
        kind: 'rejected',
        message: `the picture is too large: ${sizes[index]}`,
      });
    }
  });

  it('refuses what is no video, and says why', async () => {
    const sound = await makeFile(dir, 'sound.wav', TONE);
    await expect(probeMedia(tools, sound)).rejects.toMatchObject({
      kind: 'rejected',
      message: 'not a video: it has sound, but no moving picture',
    });
    for (const [name, text] of [
      ['text.mp4', 'hello'],
      ['empty.mp4', ''],
      ['list.m3u8', `#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\n${TALK}\n#EXT-X-ENDLIST\n`],
      ['list.mp4', `ffconcat version 1.0\nfile '${TALK}'\n`],
    ] as const) {
      const path = await writeText(dir, name, text);
      await expect(probeMedia(tools, path), name).rejects.toMatchObject({
        kind: 'rejected',
        message: expect.stringContaining('not a video: '),
      });
    }
    const image = await makeFile(dir, 'one.png', [...PICTURE, '-frames:v', '1']);
    await expect(probeMedia(tools, image)).rejects.toMatchObject({ kind: 'rejected' });
    await expect(probeMedia(tools, join(dir, 'absent.mp4'))).rejects.toMatchObject({ kind: 'rejected' });
  });
});

describe('runFfmpeg', () => {
  it('is stopped by the signal, and throws its reason', async () => {
    const control = new AbortController();
    const running = runFfmpeg(
      tools.ffmpegPath,
      ['-f', 'lavfi', '-re', '-i', 'testsrc=d=600', '-f', 'null', '-'],
      {
        signal: control.signal,
        timeoutMs: 600_000,
        onProgress: () => control.abort(new Error('enough')),
        expectedSec: 600,
      },
    );
    await expect(running).rejects.toThrow('enough');
  });

  it('keeps the words of a failure, and has a time limit', async () => {
    await expect(
      runFfmpeg(tools.ffmpegPath, ['-i', 'file:/no/such', '-f', 'null', '-'], { timeoutMs: 10_000 }),
    ).rejects.toMatchObject({
      kind: 'service',
      details: { reason: expect.stringContaining('No such file') },
    });
    const slow = runFfmpeg(
      tools.ffmpegPath,
      ['-f', 'lavfi', '-re', '-i', 'testsrc=d=600', '-f', 'null', '-'],
      { timeoutMs: 300 },
    );
    await expect(slow).rejects.toMatchObject({
      kind: 'service',
      details: { reason: expect.stringContaining('time limit') },
    });
    await expect(runFfmpeg('/no/such/ffmpeg', [], { timeoutMs: 1000 })).rejects.toMatchObject({
      kind: 'service',
    });
  });
});

describe('readTranscript', () => {
  it('reads the track inside the sample, sentence by sentence', async () => {
    const info = await probeMedia(tools, TALK);
    const { source, sentences, words } = await readTranscript(tools, TALK, info, { workDir: dir });
    expect(source).toBe('embedded');
    expect(sentences).toHaveLength(20);
    expect(sentences.every((sentence) => /[.?]$/.test(sentence.text))).toBe(true);
    expect(words.every((word) => word.endSec > word.startSec)).toBe(true);
  });

  it('prefers the sidecar, and refuses one without subtitles', async () => {
    const info = await probeMedia(tools, TALK);
    const sidecarPath = await writeText(dir, 'talk.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nFrom beside.\n');
    expect(await readTranscript(tools, TALK, info, { sidecarPath, workDir: dir })).toMatchObject({
      source: 'sidecar',
      sentences: [{ text: 'From beside.' }],
    });
    const wrong = await writeText(dir, 'wrong.srt', 'no times here');
    await expect(
      readTranscript(tools, TALK, info, { sidecarPath: wrong, workDir: dir }),
    ).rejects.toMatchObject({ kind: 'rejected' });
  });

  it('reads the subtitle track of the spoken language, and says when there is none', async () => {
    const cue = (text: string) => [[0.5, 1.5, text]] as const;
    const tracks = { fra: cue('Bonjour'), eng: cue('Hello'), deu: cue('Guten Tag') };
    const path = await makeSmallVideo(dir, 'tracks.mp4', { lengthSec: 2, tracks });
    const info = await probeMedia(tools, path);
    const read = async (language?: string) => {
      const { words, notes } = await readTranscript(tools, path, info, { language, workDir: dir });
      return [words.map(({ text }) => text).join(' '), ...notes];
    };
    for (const german of ['de', 'de-AT', 'deu', 'GER']) expect(await read(german)).toEqual(['Guten Tag']);
    for (const unnamed of [undefined, '', 'auto']) expect(await read(unnamed)).toEqual(['Hello']);
    expect(await read('fre')).toEqual(['Bonjour']);
    expect(await read('pl')).toEqual(['Hello', 'no subtitle track is in "pl": the one in "en" is used']);
  });

  it('says why there are no words', async () => {
    const path = await makeFile(dir, 'plain.mp4', [...PICTURE, '-c:v', 'libx264', '-preset', 'ultrafast']);
    const { source, notes } = await readTranscript(tools, path, await probeMedia(tools, path), {
      workDir: dir,
    });
    expect(source).toBe('none');
    expect(notes[0]).toContain('no subtitle track');
  });
});

describe('analyseMedia', () => {
  it('hears the pauses of the sample and sees its topics change', async () => {
    const info = await probeMedia(tools, TALK);
    const transcript = await readTranscript(tools, TALK, info, { workDir: dir });
    const fractions: number[] = [];
    const analysis = await analyseMedia(tools, TALK, info, {
      workDir: dir,
      onProgress: (fraction) => fractions.push(fraction),
    });
    expect(analysis.sceneCutsSec).toHaveLength(4);
    expect(fractions.at(-1)).toBe(1);
    for (const [index, sentence] of transcript.sentences.entries()) {
      const next = transcript.sentences[index + 1];
      if (next === undefined) continue;
      const middle = (sentence.endSec + next.startSec) / 2;
      expect(analysis.silences.some((span) => span.startSec < middle && middle < span.endSec)).toBe(true);
    }
  });

  it('works without sound, and with noise in the pauses', async () => {
    const silent = await makeFile(dir, 'mute.mp4', [...PICTURE, '-c:v', 'libx264', '-preset', 'ultrafast']);
    const seen = await analyseMedia(tools, silent, await probeMedia(tools, silent), { workDir: dir });
    expect(seen).toMatchObject({ silences: [], speechRuns: [], loudness: [] });
    const noisy = await makeFile(dir, 'noisy.mp4', [
      ...PICTURE,
      ...[
        '-f',
        'lavfi',
        '-i',
        "aevalsrc='0.02*(random(0)-0.5)+if(between(mod(t,1.5),0,0.9),0.4*sin(2*PI*300*t),0)':d=3:s=16000",
      ],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', '-shortest'],
    ]);
    const heard = await analyseMedia(tools, noisy, await probeMedia(tools, noisy), { workDir: dir });
    expect(heard.speechRuns).toHaveLength(2);
    expect(heard.speechRuns[1]?.startSec).toBeCloseTo(1.5, 1);
  });
});
