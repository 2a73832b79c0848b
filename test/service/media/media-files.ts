import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findMediaTools } from '../../../src/service/media/find-tools.js';
import type { Analysis, MediaInfo, Transcript } from '../../../src/service/media/media-types.js';
import { transcribe } from '../../../src/service/media/words.js';

const run = promisify(execFile);

export const TALK = fileURLToPath(new URL('../../../examples/talk.mp4', import.meta.url));

/** The real ffmpeg of this machine: whatever clipctl itself would use. */
export const tools = await findMediaTools(process.env);

/** A folder under the system's temporary one, and how to remove it. */
export async function temporaryFolder(): Promise<{ dir: string; remove: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'clipctl-media-'));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** Runs the real ffmpeg to make a test file. */
export async function makeFile(dir: string, name: string, args: string[]): Promise<string> {
  const path = join(dir, name);
  await run(tools.ffmpegPath, ['-v', 'error', '-nostdin', '-y', ...args, path], { cwd: dir });
  return path;
}

/** One frame as raw RGB bytes. */
export async function frameAt(path: string, atSec: number): Promise<Buffer> {
  const args = [
    '-v',
    'error',
    '-nostdin',
    '-i',
    path,
    '-ss',
    String(atSec),
    '-frames:v',
    '1',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-',
  ];
  const { stdout } = await run(tools.ffmpegPath, args, { encoding: 'buffer', maxBuffer: 64_000_000 });
  return stdout;
}

/** How many pixels of the rows fromY..toY (shares of the height) differ clearly between two RGB frames. */
export function changedPixels(
  a: Buffer,
  b: Buffer,
  size: { width: number; height: number },
  fromY: number,
  toY: number,
): number {
  let changed = 0;
  for (let y = Math.floor(size.height * fromY); y < Math.floor(size.height * toY); y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      const at = (y * size.width + x) * 3;
      const off = [0, 1, 2].reduce((sum, c) => sum + Math.abs((a[at + c] ?? 0) - (b[at + c] ?? 0)), 0);
      if (off > 150) changed += 1;
    }
  }
  return changed;
}

/** Mono samples at 16 kHz, −1..1. */
export async function samplesOf(path: string): Promise<Float32Array> {
  const args = ['-v', 'error', '-nostdin', '-i', path, '-ac', '1', '-ar', '16000', '-f', 'f32le', '-'];
  const { stdout } = await run(tools.ffmpegPath, args, { encoding: 'buffer', maxBuffer: 64_000_000 });
  return new Float32Array(
    stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.byteLength - (stdout.byteLength % 4)),
  );
}

/** Length of each stream of a file in seconds. */
export async function streamLengths(path: string): Promise<Record<string, number>> {
  const args = ['-v', 'error', '-show_entries', 'stream=codec_type,duration', '-of', 'csv=p=0', path];
  const { stdout } = await run(tools.ffprobePath, args);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(','))
      .map(([type, sec]) => [type ?? '', Number(sec)]),
  );
}

/** A probed file that does not exist, for the pure parts. */
export function fakeInfo(durationSec: number, overrides: Partial<MediaInfo> = {}): MediaInfo {
  return {
    durationSec,
    width: 1280,
    height: 720,
    rotationDeg: 0,
    fps: 25,
    hasVideo: true,
    hasAudio: true,
    videoCodec: 'h264',
    audioCodec: 'aac',
    pixelFormat: 'yuv420p',
    isHdr: false,
    formatName: 'mp4',
    sizeBytes: 1,
    subtitleStreams: [],
    ...overrides,
  };
}

export const NO_WORDS: Transcript = { source: 'none', sentences: [], words: [], notes: [] };

/** One cue a sentence, one after the other from 0.5 s on: [text, length in s, pause after it in s]. */
export function talkOf(lines: readonly (readonly [string, number, number])[]): {
  transcript: Transcript;
  durationSec: number;
} {
  let at = 0.5;
  const cues = lines.map(([text, lengthSec, pauseSec]) => {
    const cue = { startSec: at, endSec: at + lengthSec, text, newSpeaker: false };
    at += lengthSec + pauseSec;
    return cue;
  });
  return { transcript: transcribe('sidecar', cues, at), durationSec: at };
}

/** What the analysis would hear for a transcript: sound in each sentence, quiet between. */
export function analysisOf(transcript: Transcript, durationSec: number): Analysis {
  const speechRuns = transcript.sentences.map(({ startSec, endSec }) => ({ startSec, endSec }));
  const edges = [0, ...speechRuns.flatMap((run) => [run.startSec, run.endSec]), durationSec];
  const quiet = edges.flatMap((startSec, i) =>
    i % 2 === 0 ? [{ startSec, endSec: edges[i + 1] ?? durationSec }] : [],
  );
  const silences = quiet.filter((span) => span.endSec - span.startSec >= 0.2);
  return {
    silences,
    dips: quiet.filter((span) => span.endSec - span.startSec >= 0.06),
    speechRuns,
    loudness: [],
    sceneCutsSec: [],
  };
}

export async function writeText(dir: string, name: string, text: string | Uint8Array): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, text);
  return path;
}
