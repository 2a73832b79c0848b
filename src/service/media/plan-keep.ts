import { fillerCuts, findFillers } from './fillers.js';
import { type KeepList, keepListOf } from './keep-list.js';
import type { Analysis, MediaInfo, RenderOptions, Span, Transcript } from './media-types.js';

const MAX_FPS = 30;
/** A slower source shows its pictures longer; one frame must stay shorter than the margin of the clip's length. */
const MIN_FPS = 12;

/**
 * Which parts of the video a clip shows, at which rate: the moment, without its filler words when that was asked for.
 * Rendering and censoring must agree on it, so both ask here, with the words as they are spoken.
 */
export function planKeep({
  info,
  transcript,
  analysis,
  moment,
  render,
}: {
  info: Pick<MediaInfo, 'fps'>;
  transcript: Pick<Transcript, 'words'>;
  analysis: Pick<Analysis, 'dips'>;
  moment: Span;
  render: RenderOptions;
}): { keep: KeepList; fps: number; notes: string[] } {
  const fps = Math.min(MAX_FPS, Math.max(MIN_FPS, info.fps));
  const whole = keepListOf(moment, [], fps);
  if (render.quickstartConfig?.enableRemoveFillerWords !== true) return { keep: whole, fps, notes: [] };
  if (transcript.words.length === 0) {
    return { keep: whole, fps, notes: ['filler words were not removed: there are no words'] };
  }
  const fillers = findFillers(transcript.words).filter(
    (filler) => filler.startSec >= moment.startSec && filler.endSec <= moment.endSec,
  );
  if (fillers.length === 0) return { keep: whole, fps, notes: [] };
  const { cuts, left } = fillerCuts(fillers, analysis.dips);
  const stayed = `; ${left.length} stayed, because no pause is heard around: ${left.map(({ text }) => text).join(', ')}`;
  const note = `${fillers.length - left.length} of ${fillers.length} filler words removed${left.length > 0 ? stayed : ''}`;
  return { keep: keepListOf(moment, cuts, fps), fps, notes: [note] };
}
