import type { MediaInfo, MediaTools, Span } from './media-types.js';
import { SAFE_INPUT } from './probe.js';
import { fileArgument, runFfmpeg } from './run-ffmpeg.js';

/** Size of the little gray pictures in which motion is looked for. */
export const LOOK_WIDTH = 160;
export const LOOK_HEIGHT = 90;
const LOOK_FPS = 4;
/** A change of gray smaller than this is noise of the encoder. */
const NOISE = 10;
/** The best window must hold this share of all motion, or nobody knows where the speaker is. */
const CLEAR_SHARE = 0.5;
const MIN_SCENE_SEC = 0.7;
/** A hard cut changes this much of the little picture from one frame to the next. */
const CUT_SCORE = 0.12;

/** Where the speaker is from `startSec` of the clip's source span on; centre as fraction 0..1 of width or height. */
export interface SceneFocus extends Span {
  center: number;
  /** Share of the scene's motion inside the window, 0..1. */
  share: number;
  isClear: boolean;
}

export interface LookOptions {
  workDir: string;
  signal?: AbortSignal | undefined;
  onProgress?: ((fraction: number) => void) | undefined;
  /** Along which side the window slides. */
  axis: 'x' | 'y';
  /** Length of the window as share of that side, below 1. */
  windowShare: number;
}

/**
 * Looks at one span of the source (small, gray, four pictures a second) and says for each scene in it where a
 * window of the asked size holds most motion. Times are seconds from the span's start.
 * @throws ClipctlError `service` when ffmpeg cannot read the span.
 */
export async function findFocus(
  tools: MediaTools,
  path: string,
  span: Span,
  { workDir, signal, onProgress, axis, windowShare }: LookOptions,
): Promise<SceneFocus[]> {
  const lengthSec = span.endSec - span.startSec;
  const { frames, cutsSec } = await look(tools, path, span, { workDir, signal, onProgress });
  const edges = [0, ...cutsSec, lengthSec];
  const scenes = edges.slice(1).map((endSec, index) => ({ startSec: edges[index] ?? 0, endSec }));
  return scenes.map((scene) => {
    // The frame on either side of a cut differs everywhere: motion is only looked for inside a scene.
    const mine = frames.slice(
      Math.ceil(scene.startSec * LOOK_FPS + 0.2),
      Math.floor(scene.endSec * LOOK_FPS) + 1,
    );
    return { ...scene, ...bestWindow(motionProfile(mine, axis), windowShare) };
  });
}

async function look(
  tools: MediaTools,
  path: string,
  span: Span,
  { workDir, signal, onProgress }: Pick<LookOptions, 'workDir' | 'signal' | 'onProgress'>,
): Promise<{ frames: Buffer[]; cutsSec: number[] }> {
  const lengthSec = span.endSec - span.startSec;
  const chunks: Buffer[] = [];
  let received = 0;
  const frameBytes = LOOK_WIDTH * LOOK_HEIGHT;
  const scores: { atSec: number; score: number }[] = [];
  let atSec = 0;
  const small = `[0:v:0]scale=${LOOK_WIDTH}:${LOOK_HEIGHT}:flags=fast_bilinear,split[a][b]`;
  const graph = `${small};[a]fps=${LOOK_FPS},format=gray[g];[b]select='gte(scene,${CUT_SCORE})',metadata=print:key=lavfi.scene_score[s]`;
  const patient = ['-max_muxing_queue_size', '99999'];
  await runFfmpeg(
    tools.ffmpegPath,
    [
      ...['-nostats', ...SAFE_INPUT, '-ss', span.startSec.toFixed(3), '-t', lengthSec.toFixed(3)],
      ...['-i', fileArgument(path), '-filter_complex', graph],
      ...[
        '-map',
        '[g]',
        ...patient,
        '-f',
        'rawvideo',
        'pipe:1',
        '-map',
        '[s]',
        ...patient,
        '-f',
        'null',
        '-',
      ],
    ],
    {
      signal,
      cwd: workDir,
      timeoutMs: 120_000 + lengthSec * 20_000,
      onStdout: (chunk) => {
        chunks.push(chunk);
        received += chunk.length;
        onProgress?.(Math.min(1, received / frameBytes / LOOK_FPS / lengthSec));
      },
      onStderrLine: (line) => {
        atSec = Number(/pts_time:\s*(-?[\d.]+)/.exec(line)?.[1] ?? atSec);
        const score = /lavfi\.scene_score=([\d.]+)/.exec(line)?.[1];
        if (score !== undefined) scores.push({ atSec, score: Number(score) });
      },
    },
  );
  const all = Buffer.concat(chunks);
  const count = Math.floor(all.length / frameBytes);
  const frames = Array.from({ length: count }, (_, i) => all.subarray(i * frameBytes, (i + 1) * frameBytes));
  return { frames, cutsSec: hardCuts(scores, lengthSec) };
}

/** Cuts far enough from each other and from the ends; in a flurry of cuts the picture jumps less than the crop would. */
export function hardCuts(scores: readonly { atSec: number; score: number }[], lengthSec: number): number[] {
  const cuts: number[] = [];
  for (const { atSec } of scores) {
    const last = cuts.at(-1) ?? 0;
    if (atSec - last >= MIN_SCENE_SEC && lengthSec - atSec >= MIN_SCENE_SEC) cuts.push(atSec);
  }
  return cuts;
}

/** How much moves in each column ('x') or row ('y') over the frames. */
export function motionProfile(frames: readonly Buffer[], axis: 'x' | 'y'): number[] {
  const profile = new Array<number>(axis === 'x' ? LOOK_WIDTH : LOOK_HEIGHT).fill(0);
  for (let index = 1; index < frames.length; index += 1) {
    const a = frames[index - 1];
    const b = frames[index];
    if (a === undefined || b === undefined) continue;
    for (let at = 0; at < b.length; at += 1) {
      const change = Math.abs((b[at] ?? 0) - (a[at] ?? 0));
      if (change < NOISE) continue;
      const slot = axis === 'x' ? at % LOOK_WIDTH : Math.floor(at / LOOK_WIDTH);
      profile[slot] = (profile[slot] ?? 0) + change;
    }
  }
  return profile;
}

/** The window with most motion, and whether it stands out enough to be believed. */
export function bestWindow(profile: readonly number[], windowShare: number): Omit<SceneFocus, keyof Span> {
  const size = Math.max(1, Math.min(profile.length, Math.round(profile.length * windowShare)));
  const total = profile.reduce((sum, value) => sum + value, 0);
  if (total === 0) return { center: 0.5, share: 0, isClear: false };
  const sums = Array.from({ length: profile.length - size + 1 }, (_, from) =>
    profile.slice(from, from + size).reduce((sum, value) => sum + value, 0),
  );
  const best = Math.max(...sums);
  const top = sums.indexOf(best);
  // Centred on the motion it holds, as far as that loses none of it: a speaker is not to stand at the window's edge.
  const held = profile.slice(top, top + size);
  const middle = top + held.reduce((sum, value, at) => sum + value * (at + 0.5), 0) / best;
  const wish = Math.min(profile.length - size, Math.max(0, Math.round(middle - size / 2)));
  const from = (sums[wish] ?? 0) >= best * 0.95 ? wish : top;
  const share = best / total;
  const isClear = share >= Math.max(CLEAR_SHARE, Math.min(0.9, 1.35 * windowShare));
  return { center: (from + size / 2) / profile.length, share, isClear };
}

/** The side and share of a window of ratio `targetRatio` (width / height) in a picture of `info`'s shape. */
export function cropWindow(
  info: Pick<MediaInfo, 'width' | 'height'>,
  targetRatio: number,
): { axis: 'x' | 'y'; windowShare: number } {
  const ratio = info.width / info.height;
  return ratio >= targetRatio
    ? { axis: 'x', windowShare: targetRatio / ratio }
    : { axis: 'y', windowShare: ratio / targetRatio };
}
