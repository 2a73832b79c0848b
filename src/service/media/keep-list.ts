import type { Span, Word } from './media-types.js';

/**
 * Which parts of the source a clip shows, in order, and what is cut out between them. All caption times go through
 * it, so that words and picture cannot drift apart.
 */
export interface KeepList {
  /** Where in the source the uncut clip starts: what ffmpeg seeks to. */
  originSec: number;
  /** Seconds of the source, without overlap, in order. */
  spans: readonly Span[];
  /** Length of the clip. */
  totalSec: number;
  /** Seconds of the clip for seconds of the source; a moment that was cut out maps to the cut. */
  toClipSec(sourceSec: number): number;
  /** Whether a moment of the source is shown. */
  shows(sourceSec: number): boolean;
}

/** Shorter remains between two cuts are flashes, not pictures. */
const MIN_KEEP_SEC = 0.2;

/**
 * The clip `whole` without `cuts` (in order). Edges are moved to whole frames, because picture and sound of a part
 * must be equally long or they drift apart with every cut.
 */
export function keepListOf(whole: Span, cuts: readonly Span[], fps: number): KeepList {
  const onFrame = (sec: number) => whole.startSec + Math.round((sec - whole.startSec) * fps) / fps;
  const spans: Span[] = [];
  let at = whole.startSec;
  for (const cut of cuts) {
    const startSec = onFrame(Math.max(cut.startSec, whole.startSec));
    const endSec = onFrame(Math.min(cut.endSec, whole.endSec));
    if (endSec <= startSec || endSec <= at) continue;
    if (startSec - at >= MIN_KEEP_SEC) spans.push({ startSec: at, endSec: startSec });
    at = endSec;
  }
  if (whole.endSec - at >= MIN_KEEP_SEC || spans.length === 0)
    spans.push({ startSec: at, endSec: whole.endSec });
  return {
    originSec: whole.startSec,
    spans,
    totalSec: spans.reduce((sum, span) => sum + span.endSec - span.startSec, 0),
    toClipSec: (sourceSec) =>
      spans.reduce(
        (sum, span) => sum + Math.min(Math.max(0, sourceSec - span.startSec), span.endSec - span.startSec),
        0,
      ),
    shows: (sourceSec) => spans.some((span) => sourceSec >= span.startSec && sourceSec <= span.endSec),
  };
}

/** The words that are heard in the clip, with times of the clip. */
export function wordsInClip(words: readonly Word[], keep: KeepList): Word[] {
  return words
    .filter((word) => keep.shows((word.startSec + word.endSec) / 2))
    .map((word) => ({
      ...word,
      startSec: keep.toClipSec(word.startSec),
      endSec: keep.toClipSec(word.endSec),
    }))
    .filter((word) => word.endSec > word.startSec);
}
