import type { MediaInfo, MediaTools, Span } from './media-types.js';
import { SAFE_INPUT } from './probe.js';
import { fileArgument, runFfmpeg } from './run-ffmpeg.js';

/** Size of the little gray pictures in which motion is looked for. */
const LOOK_WIDTH = 160;
const LOOK_HEIGHT = 90;
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
  const { motions, cutsSec } = await look(tools, path, span, { workDir, signal, onProgress, axis });
  const edges = [0, ...cutsSec, lengthSec];
  const scenes = edges.slice(1).map((endSec, index) => ({ startSec: edges[index] ?? 0, endSec }));
  return scenes.map((scene) => {
    // The two sides of a cut differ everywhere: only pairs of pictures inside the scene count.
    const first = Math.ceil(scene.startSec * LOOK_FPS + 0.2);
    const mine = motions.slice(first, Math.floor(scene.endSec * LOOK_FPS));
    return { ...scene, ...bestWindow(sumOf(mine, axis), windowShare) };
  });
}

function sumOf(motions: readonly Float64Array[], axis: 'x' | 'y'): number[] {
  const sum = new Array<number>(slotsOf(axis)).fill(0);
  for (const motion of motions)
    for (const [slot, value] of motion.entries()) sum[slot] = (sum[slot] ?? 0) + value;
  return sum;
}

function slotsOf(axis: 'x' | 'y'): number {
  return axis === 'x' ? LOOK_WIDTH : LOOK_HEIGHT;
}

async function look(
  tools: MediaTools,
  path: string,
  span: Span,
  { workDir, signal, onProgress, axis }: Omit<LookOptions, 'windowShare'>,
): Promise<{ motions: Float64Array[]; cutsSec: number[] }> {
  const lengthSec = span.endSec - span.startSec;
  const watcher = new MotionWatcher(axis);
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
        watcher.add(chunk);
        onProgress?.(Math.min(1, watcher.motions.length / LOOK_FPS / lengthSec));
      },
      onStderrLine: (line) => {
        atSec = Number(/pts_time:\s*(-?[\d.]+)/.exec(line)?.[1] ?? atSec);
        const score = /lavfi\.scene_score=([\d.]+)/.exec(line)?.[1];
        if (score !== undefined) scores.push({ atSec, score: Number(score) });
      },
    },
  );
  return { motions: watcher.motions, cutsSec: hardCuts(scores, lengthSec) };
}

/** Cuts far enough from each other and from the ends; in a flurry of cuts the picture jumps less than the crop would. */
function hardCuts(scores: readonly { atSec: number; score: number }[], lengthSec: number): number[] {
  const cuts: number[] = [];
  for (const { atSec } of scores) {
    const last = cuts.at(-1) ?? 0;
    if (atSec - last >= MIN_SCENE_SEC && lengthSec - atSec >= MIN_SCENE_SEC) cuts.push(atSec);
  }
  return cuts;
}

/**
 * Turns gray pictures, as they come, into one profile for each pair of neighbours: how much moves in each column
 * ('x') or row ('y'). The pictures themselves are not kept: a whole film is 600 MB of them.
 */
class MotionWatcher {
  readonly motions: Float64Array[] = [];
  private readonly frame = Buffer.alloc(LOOK_WIDTH * LOOK_HEIGHT);
  private readonly before = Buffer.alloc(LOOK_WIDTH * LOOK_HEIGHT);
  private filled = 0;
  private isFirst = true;

  constructor(private readonly axis: 'x' | 'y') {}

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const copied = chunk.copy(this.frame, this.filled, at);
      at += copied;
      this.filled += copied;
      if (this.filled === this.frame.length) this.closeFrame();
    }
  }

  private closeFrame(): void {
    if (!this.isFirst) this.motions.push(this.compare());
    this.isFirst = false;
    this.frame.copy(this.before);
    this.filled = 0;
  }

  private compare(): Float64Array {
    const motion = new Float64Array(slotsOf(this.axis));
    for (let at = 0; at < this.frame.length; at += 1) {
      const change = Math.abs((this.frame[at] ?? 0) - (this.before[at] ?? 0));
      if (change < NOISE) continue;
      const slot = this.axis === 'x' ? at % LOOK_WIDTH : Math.floor(at / LOOK_WIDTH);
      motion[slot] = (motion[slot] ?? 0) + change;
    }
    return motion;
  }
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
