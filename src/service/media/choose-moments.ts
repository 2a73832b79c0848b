import { alignWords } from './align-words.js';
import { type Candidate, findCandidates, longest, shortest } from './candidates.js';
import { featureTable, keywordHits, normalizeKeyword, promptKeywords } from './features.js';
import { fillerCuts, findFillers } from './fillers.js';
import type { Analysis, CurationOptions, MediaInfo, Moment, Span, Transcript } from './media-types.js';
import { explain, titleOf } from './moment-words.js';
import { bestSchedule } from './schedule-dp.js';
import { MIN_PART_SEC, splitLongUnits, type Unit, unitsOf } from './units.js';

/** The document's default when `clipDurations` is absent or empty. */
const DEFAULT_PAIRS: readonly (readonly [number, number])[] = [[0, 90]];
/** One clip for so many seconds of source, and never more than MAX_CLIPS: people choose from clips, they do not sort them. */
const SOURCE_SEC_PER_CLIP = 25;
const MIN_CLIPS = 2;
const MAX_CLIPS = 20;
/** Clips far below the best are not shown, unless there would be fewer than MIN_CLIPS. */
const WORTH_SHOWING = 0.3;
/** The length people watch to the end, where a pair leaves the choice. */
const LIKED_SEC = 25;

export interface ChooseInput {
  info: MediaInfo;
  transcript: Transcript;
  analysis: Analysis;
  curation: CurationOptions;
  /** Fillers will be cut out: lengths are then counted without them. */
  removeFillers?: boolean | undefined;
  /** At most so many clips; by default one for 25 s of source, 2 to 20. */
  maxClips?: number | undefined;
}

export interface ChosenMoments {
  /** In time order, without overlap. */
  moments: Moment[];
  /** Why there are none, or why they are not whole sentences; null when all is plain. */
  reason: string | null;
  /** Preferences that had no effect, each one sentence. */
  notes: string[];
}

/**
 * The best set of moments without overlap. Pure: the same input gives the same moments. Every moment is made of
 * whole sentences (or speech between pauses), lies inside `range` and fits one of `clipDurations`.
 */
export function chooseMoments(input: ChooseInput): ChosenMoments {
  const { info, analysis, curation } = input;
  const notes = preferenceNotes(curation);
  if (takesWhole(curation)) return { moments: [wholeVideo(info, input.transcript)], reason: null, notes };
  const transcript = alignWords(input.transcript, analysis.dips);
  const window = windowOf(info, curation);
  const pairs = curation.clipDurations?.length ? curation.clipDurations : DEFAULT_PAIRS;
  const windowSec = window.endSec - window.startSec;
  const tooShort = shorterThanAll(pairs, windowSec, curation.range != null);
  if (tooShort !== null) return { moments: [], reason: tooShort, notes };
  const fillers = findFillers(transcript.words);
  const cuts = input.removeFillers === true ? fillerCuts(fillers, analysis.dips).cuts : [];
  const limits = { pairs, window, cuts };
  const whole = unitsOf(info, transcript, analysis);
  let units = whole;
  let candidates = findCandidates(units, limits);
  let reason: string | null = null;
  if (candidates.length === 0) {
    const maxSec = Math.max(...pairs.map(longest)) - 0.6;
    if (maxSec < MIN_PART_SEC) return { moments: [], reason: whyNone(whole, pairs, window), notes };
    units = splitLongUnits(whole, maxSec, transcript, analysis);
    candidates = units.length === whole.length ? [] : findCandidates(units, limits);
    if (candidates.length === 0) return { moments: [], reason: whyNone(whole, pairs, window), notes };
    reason = `no run of whole ${nameOf(whole)} fits ${pairText(pairs)}: clips are cut at pauses inside longer ones`;
  }
  const keywords = keywordsOf(curation);
  if (keywords.length > 0 && !whole.some((unit) => keywordHits(unit.text, keywords) > 0)) {
    notes.push(`none of the keywords is said${transcript.words.length === 0 ? ' (there are no words)' : ''}`);
  }
  const table = featureTable({
    units,
    analysis,
    fillers,
    keywords,
    favouredHook: hookOfGenre(curation.genre),
  });
  const scored = candidates.map((candidate) => {
    const { features, quality } = table.score(candidate);
    return { ...candidate, features, value: quality * lengthWorth(candidate, windowSec) };
  });
  const maxClips = input.maxClips ?? defaultMaxClips(windowSec);
  const chosen = worthShowing(bestSchedule(scored, maxClips));
  const moments = chosen.map((one) => momentOf(one, units, table.centrality));
  return { moments, reason, notes };
}

/** Whether the video is processed without clipping. */
export function takesWhole({ skipCurate, skipSlicing }: CurationOptions): boolean {
  return skipCurate === true || skipSlicing === true;
}

/** The whole video as one moment, for `skipCurate` and `skipSlicing`. */
export function wholeVideo(info: MediaInfo, transcript: Transcript): Moment {
  const texts = transcript.sentences.map((sentence) => sentence.text);
  return {
    startSec: 0,
    endSec: info.durationSec,
    score: 1,
    features: {},
    reason: 'The whole video, as asked.',
    title: titleOf(texts.slice(0, 1), [], 'Whole video'),
    text: texts.join(' '),
  };
}

function windowOf(info: MediaInfo, curation: CurationOptions): Span {
  const { range } = curation;
  if (range === null || range === undefined) return { startSec: 0, endSec: info.durationSec };
  return { startSec: Math.max(0, range.startSec), endSec: Math.min(info.durationSec, range.endSec) };
}

function defaultMaxClips(windowSec: number): number {
  return Math.min(MAX_CLIPS, Math.max(MIN_CLIPS, Math.round(windowSec / SOURCE_SEC_PER_CLIP)));
}

/**
 * How good a length is, 0..1: rising faster than in proportion up to the liked length, so that two halves are
 * worth less than the whole, and falling slowly after it.
 */
function lengthWorth({ lengthSec, pair }: Candidate, windowSec: number): number {
  const least = shortest(pair, windowSec);
  const most = longest(pair);
  const liked = pair[0] > 0 ? (least + most) / 2 : Math.min(LIKED_SEC, most * 0.7);
  if (lengthSec <= liked) return (lengthSec / liked) ** 1.3;
  return 1 - 0.5 * ((lengthSec - liked) / Math.max(1, most - liked));
}

function worthShowing<T extends { value: number; startSec: number }>(chosen: readonly T[]): T[] {
  const best = Math.max(0, ...chosen.map((one) => one.value));
  const ranked = [...chosen].sort((a, b) => b.value - a.value);
  const kept = ranked.filter((one, index) => index < MIN_CLIPS || one.value >= best * WORTH_SHOWING);
  return kept.sort((a, b) => a.startSec - b.startSec);
}

function momentOf(
  chosen: Candidate & {
    features: ReturnType<ReturnType<typeof featureTable>['score']>['features'];
    value: number;
  },
  units: readonly Unit[],
  centrality: readonly number[],
): Moment {
  const { startSec, endSec, first, last, features, value } = chosen;
  const texts = units.slice(first, last + 1).map((unit) => unit.text);
  const hasWords = texts.some((text) => text !== '');
  return {
    startSec,
    endSec,
    score: Math.round(value * 1000) / 1000,
    features,
    reason: explain(features, texts[0] ?? '', hasWords),
    title: titleOf(
      hasWords ? texts : [],
      centrality.slice(first, last + 1),
      `Moment at ${clockText(startSec)}`,
    ),
    text: texts.join(' ').trim(),
  };
}

function clockText(sec: number): string {
  return `${Math.floor(sec / 60)}:${String(Math.floor(sec % 60)).padStart(2, '0')}`;
}

/** Keywords count with ClipBasic, the prompt's words with ClipAnything, as the interface document says. */
function keywordsOf({ model, topicKeywords, customPrompt }: CurationOptions): string[] {
  const words =
    model === 'ClipAnything'
      ? promptKeywords(customPrompt ?? '')
      : (topicKeywords ?? []).map(normalizeKeyword);
  return [...new Set(words)].filter((word) => word !== '');
}

function preferenceNotes(curation: CurationOptions): string[] {
  if (takesWhole(curation)) {
    const given = [
      ...(curation.range ? ['range'] : []),
      ...(curation.clipDurations?.length ? ['clipDurations'] : []),
      ...(curation.topicKeywords?.length ? ['topicKeywords'] : []),
      ...(curation.customPrompt ? ['customPrompt'] : []),
      ...(curation.enableAutoHook === true ? ['enableAutoHook'] : []),
    ];
    return given.map((name) => `${name} has no effect with skipCurate: the whole video is one clip`);
  }
  const notes: string[] = [];
  const anything = curation.model === 'ClipAnything';
  if (anything && (curation.topicKeywords?.length ?? 0) > 0)
    notes.push('topicKeywords have no effect with ClipAnything');
  if (anything && curation.customPrompt)
    notes.push('customPrompt: its words are looked for, its meaning is not understood');
  if (!anything && curation.customPrompt) notes.push('customPrompt has no effect with ClipBasic');
  if (curation.forceStrategy) notes.push('forceStrategy has no effect here: there is one strategy');
  return notes;
}

/** Only what can be heard in the words: questions for interviews, numbers for lists and instructions. */
function hookOfGenre(genre: string | undefined): 'question' | 'number' | null {
  if (genre === 'Q&A' || genre === 'Podcast') return 'question';
  return genre === 'Listicle' || genre === 'How-to' ? 'number' : null;
}

function pairText(pairs: readonly (readonly [number, number])[]): string {
  return pairs.map(([min, max]) => `${min}-${max} s`).join(' or ');
}

function nameOf(units: readonly Unit[]): string {
  const kind = units[0]?.kind;
  if (kind === 'sentence') return 'sentences';
  return kind === 'speech' ? 'speech between pauses' : 'scenes';
}

function shorterThanAll(
  pairs: readonly (readonly [number, number])[],
  windowSec: number,
  isRange: boolean,
): string | null {
  const what = isRange ? 'the asked range' : 'the video';
  if (windowSec <= 0) return `${what} lies outside the video`;
  const least = Math.min(...pairs.map((pair) => shortest(pair, windowSec)));
  if (windowSec >= least) return null;
  return `${what} is ${windowSec.toFixed(1)} s long, shorter than the shortest clip asked for (${pairText(pairs)})`;
}

function whyNone(
  units: readonly Unit[],
  pairs: readonly (readonly [number, number])[],
  window: Span,
): string {
  const span = `${Math.round(window.startSec * 10) / 10}-${Math.round(window.endSec * 10) / 10} s`;
  const inside = units.filter((unit) => unit.startSec >= window.startSec && unit.endSec <= window.endSec);
  if (units.length === 0) return 'nothing is said in the video';
  if (inside.length === 0) return `no whole ${nameOf(units)} inside ${span}`;
  return `no run of whole ${nameOf(units)} fits ${pairText(pairs)} inside ${span}`;
}
