import type { KeepList } from './keep-list.js';
import type { SceneFocus } from './layout.js';
import type { MediaInfo } from './media-types.js';

/** How the picture is made to fit the output: one static window a scene, or all of it on a blurred copy of itself. */
export type Framing =
  | { kind: 'plain' }
  | { kind: 'crop'; axis: 'x' | 'y'; windowShare: number; scenes: readonly SceneFocus[] }
  | { kind: 'fit'; inner: { axis: 'x' | 'y'; windowShare: number; scenes: readonly SceneFocus[] } | null };

export interface GraphInput {
  info: MediaInfo;
  keep: KeepList;
  framing: Framing;
  width: number;
  height: number;
  fps: number;
  /** Whether `captions.ass` and `fonts` lie in the folder ffmpeg runs in. */
  hasOverlay: boolean;
  fontsDir: string;
}

const FADE_SEC = 0.01;
const AUDIO_RATE = 48_000;

/**
 * The filter graph of a clip, for an input that starts at the clip's first frame. Outputs `[vout]` and, when the
 * source has sound, `[aout]`.
 */
export function filterGraph(input: GraphInput): string {
  const { info, keep } = input;
  const picture = [...pictureChains(input), ...cutPicture(keep, input)];
  const sound = info.hasAudio ? cutSound(keep) : [];
  return [...picture, ...sound].join(';');
}

/** From the source's picture to `[framed]`, in the output's size and rate. */
function pictureChains({ framing, width, height, fps }: GraphInput): string[] {
  // Square pixels first: every later number counts shown pixels.
  const head = `[0:v:0]fps=${fps.toFixed(5)},scale=trunc(iw*sar/2)*2:trunc(ih/2)*2,setsar=1`;
  const fill = `scale=${width}:${height}:force_original_aspect_ratio=increase:flags=bicubic,crop=${width}:${height}`;
  if (framing.kind === 'plain') return [`${head},${fill},setsar=1[framed]`];
  if (framing.kind === 'crop') return [`${head},${cropFilter(framing)},${fill},setsar=1[framed]`];
  const ratio = framing.inner === null ? '' : `,${cropFilter(framing.inner)}`;
  // Blurring a quarter of the size and enlarging it looks the same and costs a sixteenth.
  const small = `${even(width / 4)}:${even(height / 4)}`;
  const [smallWidth, smallHeight] = small.split(':');
  const back = `scale=${small}:force_original_aspect_ratio=increase,crop=${smallWidth}:${smallHeight},gblur=sigma=9,lutyuv=y=val*0.72:u=128+(val-128)*0.72:v=128+(val-128)*0.72`;
  const front = `scale=${width}:${height}:force_original_aspect_ratio=decrease:flags=bicubic,scale=trunc(iw/2)*2:trunc(ih/2)*2`;
  return [
    `${head}${ratio},format=yuv420p,split[back][front]`,
    `[back]${back},scale=${width}:${height}:flags=bilinear,setsar=1[blurred]`,
    `[front]${front},setsar=1[sharp]`,
    `[blurred][sharp]overlay=(W-w)/2:(H-h)/2,setsar=1[framed]`,
  ];
}

function even(value: number): number {
  return Math.max(2, Math.round(value / 2) * 2);
}

/** One crop whose place is a step function of time: it stands still inside a scene and jumps with the cut. */
function cropFilter({
  axis,
  windowShare,
  scenes,
}: {
  axis: 'x' | 'y';
  windowShare: number;
  scenes: readonly SceneFocus[];
}): string {
  const side = axis === 'x' ? 'iw' : 'ih';
  const size = `max(2,trunc(${side}*${windowShare.toFixed(6)}/2)*2)`;
  const place = (center: number) => {
    const from = Math.min(1 - windowShare, Math.max(0, center - windowShare / 2));
    return `${side}*${from.toFixed(5)}`;
  };
  const steps = stepTree(
    mergeSteps(scenes.map(({ endSec, center }) => ({ untilSec: endSec, at: place(center) }))),
  );
  return axis === 'x' ? `crop=w='${size}':h=ih:x='${steps}':y=0` : `crop=w=iw:h='${size}':x=0:y='${steps}'`;
}

interface Step {
  untilSec: number;
  at: string;
}

function mergeSteps(steps: readonly Step[]): Step[] {
  return steps.filter((step, index) => step.at !== steps[index + 1]?.at);
}

/** The steps as one expression of `t`. A tree of halves, because ffmpeg gives up on a hundred nested ifs. */
function stepTree(steps: readonly Step[]): string {
  const middle = Math.ceil(steps.length / 2);
  const border = steps[middle - 1];
  if (steps.length <= 1 || border === undefined) return steps[0]?.at ?? '0';
  // A little early, so that rounding cannot leave one frame of the new scene in the old window.
  const untilSec = (border.untilSec - 0.01).toFixed(3);
  return `if(lt(t,${untilSec}),${stepTree(steps.slice(0, middle))},${stepTree(steps.slice(middle))})`;
}

/** `[framed]` without what is cut out, with the text over it: `[vout]`. */
function cutPicture(keep: KeepList, { fps, hasOverlay, fontsDir }: GraphInput): string[] {
  const over = `${hasOverlay ? `ass=captions.ass:fontsdir=${fontsDir},` : ''}format=yuv420p`;
  if (isUncut(keep)) return [`[framed]${over}[vout]`];
  const names = keep.spans.map((_, index) => `v${index}`);
  // Half a frame early: a frame exactly on the edge must not fall to the other side by rounding.
  const edge = (sec: number) => Math.max(0, sec - keep.originSec - 0.5 / fps).toFixed(4);
  return [
    `[framed]split=${names.length}${names.map((name) => `[${name}]`).join('')}`,
    ...keep.spans.map(
      (span, i) =>
        `[v${i}]trim=start=${edge(span.startSec)}:end=${edge(span.endSec)},setpts=PTS-STARTPTS[k${i}]`,
    ),
    `${names.map((_, i) => `[k${i}]`).join('')}concat=n=${names.length}:v=1:a=0,${over}[vout]`,
  ];
}

/** The sound of the kept parts, each faded in and out for 10 ms so that no cut clicks: `[aout]`. */
function cutSound(keep: KeepList): string[] {
  const head = `[0:a:0]aresample=${AUDIO_RATE}:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=stereo`;
  const fades = (lengthSec: number) =>
    `afade=t=in:st=0:d=${FADE_SEC},afade=t=out:st=${Math.max(0, lengthSec - FADE_SEC).toFixed(4)}:d=${FADE_SEC}`;
  if (isUncut(keep)) return [`${head},${fades(keep.totalSec)}[aout]`];
  return [
    `${head},asplit=${keep.spans.length}${keep.spans.map((_, i) => `[a${i}]`).join('')}`,
    ...keep.spans.map((span, i) => {
      const range = `start=${(span.startSec - keep.originSec).toFixed(4)}:end=${(span.endSec - keep.originSec).toFixed(4)}`;
      return `[a${i}]atrim=${range},asetpts=PTS-STARTPTS,${fades(span.endSec - span.startSec)}[b${i}]`;
    }),
    `${keep.spans.map((_, i) => `[b${i}]`).join('')}concat=n=${keep.spans.length}:v=0:a=1[aout]`,
  ];
}

function isUncut(keep: KeepList): boolean {
  return keep.spans.length === 1 && keep.spans[0]?.startSec === keep.originSec;
}
