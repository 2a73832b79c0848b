import type { Analysis, MediaInfo, Span, Transcript } from './media-types.js';
import { termsOf } from './text-terms.js';

/** What a clip is made of: never cut inside. Neighbours may touch, never overlap. */
export interface Unit extends Span {
  kind: 'sentence' | 'part' | 'speech' | 'scene';
  /** Empty without words. */
  text: string;
  terms: string[];
}

/** A pause this short is part of the same run of speech when there are no words to tell. */
const JOIN_SEC = 0.45;
/** Pictures without sound are cut at scenes, and long scenes anywhere: nothing is said that could be cut off. */
const SCENE_PIECE_SEC = 5;
/** Nothing is split into less. */
export const MIN_PART_SEC = 1;

/** Whole sentences, else speech between pauses, else scenes; in time order, inside 0..duration. */
export function unitsOf(info: MediaInfo, transcript: Transcript, analysis: Analysis): Unit[] {
  if (transcript.sentences.length > 0) return sentenceUnits(transcript);
  if (analysis.speechRuns.length > 0) return speechUnits(analysis.speechRuns);
  return sceneUnits(info.durationSec, analysis.sceneCutsSec);
}

function sentenceUnits(transcript: Transcript): Unit[] {
  return transcript.sentences.map(({ startSec, endSec, text }) => ({
    kind: 'sentence',
    startSec,
    endSec,
    text,
    terms: termsOf(text),
  }));
}

function speechUnits(runs: readonly Span[]): Unit[] {
  const units: Unit[] = [];
  for (const run of runs) {
    const last = units.at(-1);
    if (last !== undefined && run.startSec - last.endSec < JOIN_SEC) last.endSec = run.endSec;
    else units.push({ kind: 'speech', startSec: run.startSec, endSec: run.endSec, text: '', terms: [] });
  }
  return units;
}

function sceneUnits(durationSec: number, cuts: readonly number[]): Unit[] {
  const inside = cuts.filter((cut) => cut > 0.5 && cut < durationSec - 0.5);
  const edges = [0, ...inside, durationSec];
  return edges.slice(1).flatMap((endSec, index) => {
    const startSec = edges[index] ?? 0;
    const count = Math.max(1, Math.round((endSec - startSec) / SCENE_PIECE_SEC));
    const piece = (endSec - startSec) / count;
    return Array.from({ length: count }, (_, i): Unit => {
      return {
        kind: 'scene',
        startSec: startSec + i * piece,
        endSec: startSec + (i + 1) * piece,
        text: '',
        terms: [],
      };
    });
  });
}

/**
 * Units no longer than `maxSec` (MIN_PART_SEC or more) where that can be (one word may be longer): a longer sentence is
 * cut between words (at its longest pause, if it has one), a longer run of speech at its quietest moments. The second
 * choice, for when no whole one fits.
 */
export function splitLongUnits(
  units: readonly Unit[],
  maxSec: number,
  transcript: Transcript,
  analysis: Analysis,
): Unit[] {
  return units.flatMap((unit) => {
    if (unit.endSec - unit.startSec <= maxSec) return [unit];
    if (unit.kind === 'sentence') return splitSentence(unit, maxSec, transcript);
    return splitSpeech(unit, maxSec, analysis);
  });
}

function splitSentence(unit: Unit, maxSec: number, transcript: Transcript): Unit[] {
  const sentence = transcript.sentences.find((s) => s.startSec === unit.startSec && s.endSec === unit.endSec);
  if (sentence === undefined) return [unit];
  const words = transcript.words.slice(sentence.firstWord, sentence.lastWord + 1);
  const parts: Unit[] = [];
  let from = 0;
  for (let index = 0; index < words.length; index += 1) {
    const startSec = words[from]?.startSec ?? 0;
    const next = words[index + 1];
    if (next !== undefined && next.endSec - startSec <= maxSec) continue;
    const last = next === undefined ? index : bestCut(words, from, index, maxSec);
    const said = words.slice(from, last + 1);
    const text = said.map((word) => word.text).join(' ');
    parts.push({
      kind: 'part',
      startSec,
      endSec: said.at(-1)?.endSec ?? startSec,
      text,
      terms: termsOf(text),
    });
    from = last + 1;
    index = last;
  }
  return parts;
}

/** The word in the later half of from..until after which the longest gap lies; a comma counts as a little gap. */
function bestCut(
  words: readonly { text: string; startSec: number; endSec: number }[],
  from: number,
  until: number,
  maxSec: number,
): number {
  const earliestSec = (words[from]?.startSec ?? 0) + Math.max(MIN_PART_SEC, maxSec * 0.5);
  let best = until;
  let bestGap = -1;
  for (let index = from; index <= until; index += 1) {
    const word = words[index];
    const next = words[index + 1];
    if (word === undefined || next === undefined || word.endSec < earliestSec) continue;
    const gap = next.startSec - word.endSec + (/[,;:—–]$/u.test(word.text) ? 0.3 : 0);
    if (gap >= bestGap) {
      best = index;
      bestGap = gap;
    }
  }
  return best;
}

function splitSpeech(unit: Unit, maxSec: number, analysis: Analysis): Unit[] {
  const parts: Unit[] = [];
  let startSec = unit.startSec;
  while (unit.endSec - startSec > maxSec) {
    const endSec = quietestBetween(startSec + maxSec * 0.5, startSec + maxSec, analysis);
    parts.push({ ...unit, kind: 'part', startSec, endSec });
    startSec = endSec;
  }
  // However short the rest is, it is listed: a clip's tail must not enter it.
  return [...parts, { ...unit, kind: 'part', startSec }];
}

function quietestBetween(fromSec: number, toSec: number, analysis: Analysis): number {
  const dips = analysis.dips.filter((dip) => dip.startSec >= fromSec && dip.endSec <= toSec);
  const longest = dips.reduce<Span | undefined>(
    (best, dip) =>
      best === undefined || dip.endSec - dip.startSec >= best.endSec - best.startSec ? dip : best,
    undefined,
  );
  if (longest !== undefined) return (longest.startSec + longest.endSec) / 2;
  const steps = analysis.loudness.filter((step) => step.atSec >= fromSec && step.atSec + 0.2 <= toSec);
  const quietest = steps.reduce<{ atSec: number; levelDb: number } | undefined>(
    (best, step) => (best === undefined || step.levelDb < best.levelDb ? step : best),
    undefined,
  );
  return quietest === undefined ? toSec : quietest.atSec + 0.1;
}
