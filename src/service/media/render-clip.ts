import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClipctlError } from '../../errors.js';
import { alignWords } from './align-words.js';
import { overlayScript } from './captions.js';
import { FONTS_DIR, isSameFamily, parseFontSelect, placeFonts, resolveFamily } from './fonts.js';
import { type KeepList, wordsInClip } from './keep-list.js';
import { cropWindow, findFocus } from './layout.js';
import { chooseLayout, type LayoutChoice } from './layout-choice.js';
import type {
  Analysis,
  MediaInfo,
  MediaTools,
  Moment,
  RenderedClip,
  RenderOptions,
  Transcript,
} from './media-types.js';
import { planKeep } from './plan-keep.js';
import { probeMedia, SAFE_INPUT } from './probe.js';
import { type Framing, filterGraph } from './render-graph.js';
import { unsupportedNotes } from './render-notes.js';
import { fileArgument, runFfmpeg } from './run-ffmpeg.js';

/** The rest of the progress is the encoding. */
const LOOK_SHARE = 0.15;
/** How far the finished file may be from the plan before it is not believed. */
const LENGTH_SLACK_SEC = 0.35;
const WATERMARK = 'clipctl';

export interface RenderRequest {
  sourcePath: string;
  info: MediaInfo;
  transcript: Transcript;
  analysis: Analysis;
  moment: Moment;
  render: RenderOptions;
  /** `curationPref.enableAutoHook`, for moments that were curated. */
  autoHook?: boolean | undefined;
  /** What is written over the picture goes through it, word by word. */
  mask?: ((text: string) => string) | undefined;
  /** Written as `<outPath>.part` first, renamed when it is whole. */
  outPath: string;
  /** A folder of this render's own: captions and fonts are put there. */
  workDir: string;
  signal?: AbortSignal | undefined;
  onProgress?: ((fraction: number) => void) | undefined;
}

/**
 * Makes one clip: H.264 and AAC in an MP4 that starts playing before it is loaded whole.
 * @throws ClipctlError `service` when ffmpeg fails, `rejected` when the file has not the planned length; nothing is
 * left then.
 */
export async function renderClip(tools: MediaTools, request: RenderRequest): Promise<RenderedClip> {
  const { render, info, moment, outPath } = request;
  const layout = chooseLayout(render);
  const notes = [
    ...request.transcript.notes.filter(() => wantsWords(render)),
    ...unsupportedNotes(render),
    ...layout.notes,
  ];
  const transcript = alignWords(request.transcript, request.analysis.dips);
  const { keep, fps, notes: fillerNotes } = planKeep({ ...request, transcript });
  notes.push(...fillerNotes);
  const framing = await chooseFraming(tools, request, layout, notes);
  const hasOverlay = await writeOverlay(tools, request, { transcript, keep, layout, notes });
  if (!info.hasAudio) notes.push('the video has no sound, so the clip has none');
  if (info.isHdr) notes.push('HDR colours are shown as they are, without tone mapping');
  const graph = filterGraph({
    info,
    keep,
    framing,
    width: layout.width,
    height: layout.height,
    fps,
    hasOverlay,
    fontsDir: FONTS_DIR,
  });
  const partPath = `${outPath}.part`;
  try {
    await encode(tools, request, { graph, keep, partPath, notes, title: moment.title });
    const done = await checkClip(tools, partPath, keep.totalSec, request.signal);
    await rename(partPath, outPath);
    const { size } = await stat(outPath);
    return { path: outPath, ...done, sizeBytes: size, notes: [...new Set(notes)] };
  } catch (error) {
    await rm(partPath, { force: true });
    throw error;
  }
}

function wantsWords(render: RenderOptions): boolean {
  return render.enableCaption === true || render.quickstartConfig?.enableRemoveFillerWords === true;
}

async function chooseFraming(
  tools: MediaTools,
  request: RenderRequest,
  layout: LayoutChoice,
  notes: string[],
): Promise<Framing> {
  const { info, moment, sourcePath, workDir, signal, onProgress } = request;
  const look = (ratio: number) => {
    const { axis, windowShare } = cropWindow(info, ratio);
    const report = (fraction: number) => onProgress?.(fraction * LOOK_SHARE);
    return findFocus(tools, sourcePath, moment, {
      workDir,
      signal,
      onProgress: report,
      axis,
      windowShare,
    }).then((scenes) => ({ axis, windowShare, scenes }));
  };
  const target = layout.width / layout.height;
  if (cropWindow(info, target).windowShare > 0.97) return { kind: 'plain' };
  if (layout.mode === 'fit') {
    const narrower = layout.fitRatio !== null && layout.fitRatio < (info.width / info.height) * 0.97;
    return { kind: 'fit', inner: narrower && layout.fitRatio !== null ? await look(layout.fitRatio) : null };
  }
  const found = await look(target);
  const unclear = found.scenes.filter((scene) => !scene.isClear);
  const unclearSec = unclear.reduce((sum, scene) => sum + scene.endSec - scene.startSec, 0);
  const isMostlyClear = unclearSec <= 0.25 * (moment.endSec - moment.startSec);
  if (layout.mode === 'fill') {
    if (unclear.length > 0)
      notes.push('fill layout: where nothing tells where the speaker is, the middle of the picture is shown');
    return { kind: 'crop', ...found, scenes: steady(found.scenes, 0.5) };
  }
  if (isMostlyClear) return { kind: 'crop', ...found, scenes: steady(found.scenes, 0.5) };
  notes.push('it is not clear where the speaker is: the whole picture is shown on a blurred background');
  return { kind: 'fit', inner: null };
}

/** A scene without a clear place keeps the window of the one before it: the crop must not jump without need. */
function steady<T extends { center: number; isClear: boolean }>(scenes: readonly T[], middle: number): T[] {
  let center = scenes.find((scene) => scene.isClear)?.center ?? middle;
  return scenes.map((scene) => {
    if (scene.isClear) center = scene.center;
    return { ...scene, center };
  });
}

async function writeOverlay(
  tools: MediaTools,
  { render, moment, autoHook, mask = (text) => text, workDir, signal }: RenderRequest,
  {
    transcript,
    keep,
    layout,
    notes,
  }: { transcript: Transcript; keep: KeepList; layout: LayoutChoice; notes: string[] },
): Promise<boolean> {
  const heard = render.enableCaption === true ? wordsInClip(transcript.words, keep) : [];
  const words = heard.map((word) => ({ ...word, text: mask(word.text) }));
  if (render.enableCaption === true && words.length === 0) {
    notes.push(
      `captions were left out: ${transcript.words.length === 0 ? 'there are no words' : 'nothing is said in this clip'}`,
    );
  }
  const headline = autoHook === true ? mask(moment.title) : null;
  const watermark = render.enableWatermark === true ? WATERMARK : null;
  if (words.length === 0 && headline === null && watermark === null) return false;
  await placeFonts(workDir);
  const asked = words.length > 0 ? render.font?.family : undefined;
  const { family, notes: fontNotes } = await resolveFamily(tools, asked, { workDir, signal });
  notes.push(...fontNotes);
  const { width, height } = layout;
  const script = overlayScript({
    width,
    height,
    totalSec: keep.totalSec,
    words,
    headline,
    watermark,
    family,
    render,
  });
  if (script === null) return false;
  await writeFile(join(workDir, 'captions.ass'), script);
  return true;
}

async function encode(
  tools: MediaTools,
  { sourcePath, info, moment, workDir, signal, onProgress }: RenderRequest,
  {
    graph,
    keep,
    partPath,
    notes,
    title,
  }: { graph: string; keep: KeepList; partPath: string; notes: string[]; title: string },
): Promise<void> {
  const spanSec = moment.endSec - moment.startSec;
  const sound = info.hasAudio ? ['-map', '[aout]', '-c:a', 'aac', '-b:a', '128k', '-ac', '2'] : [];
  const args = [
    ...SAFE_INPUT,
    ...['-ss', moment.startSec.toFixed(3), '-t', spanSec.toFixed(3), '-i', fileArgument(sourcePath)],
    ...['-filter_complex', graph, '-map', '[vout]', ...sound],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', '-pix_fmt', 'yuv420p', '-profile:v', 'high'],
    ...['-t', keep.totalSec.toFixed(3), '-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1'],
    ...['-metadata', `title=${title}`, '-max_muxing_queue_size', '9999', '-movflags', '+faststart'],
    ...['-f', 'mp4', fileArgument(partPath)],
  ];
  await runFfmpeg(tools.ffmpegPath, args, {
    signal,
    cwd: workDir,
    timeoutMs: 120_000 + spanSec * 60_000,
    expectedSec: keep.totalSec,
    onProgress: (fraction) => onProgress?.(LOOK_SHARE + (1 - LOOK_SHARE) * fraction),
    onStderrLine: (line) => notes.push(...fontNotes(line)),
  });
}

/** What libass says in passing: another font than asked for, or letters it has no shapes for. */
function fontNotes(line: string): string[] {
  const chosen = parseFontSelect(line);
  if (chosen !== undefined && !isSameFamily(chosen.asked, chosen.used)) {
    return [`some letters are drawn with the font ${chosen.used}, because ${chosen.asked} lacks them`];
  }
  if (/\bfontselect: failed|[Gg]lyph 0x[0-9A-Fa-f]+ not found/.test(line))
    return ['some letters of the captions are in no font here'];
  return [];
}

async function checkClip(
  tools: MediaTools,
  path: string,
  plannedSec: number,
  signal: AbortSignal | undefined,
) {
  const { durationSec, width, height } = await probeMedia(tools, path, { signal });
  if (Math.abs(durationSec - plannedSec) <= LENGTH_SLACK_SEC) return { durationSec, width, height };
  throw new ClipctlError(
    'rejected',
    `the video is damaged: a clip came out ${durationSec.toFixed(2)} s long instead of ${plannedSec.toFixed(2)} s`,
  );
}
