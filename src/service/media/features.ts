import type { Candidate } from './candidates.js';
import type { Analysis, Span } from './media-types.js';
import { rankTexts } from './text-rank.js';
import { stem, termsOf, wordsOf } from './text-terms.js';
import { topicBreaks } from './topic-breaks.js';
import type { Unit } from './units.js';

/**
 * What each feature is worth. Features are 0..1 (or −1..1); every one is bounded, because an unbounded bonus at the
 * media's edges makes the greeting win and keyword density makes the summary win.
 */
const WEIGHTS = {
  keywords: 1.4,
  centrality: 0.6,
  hook: 0.7,
  dangling: -0.7,
  pauseBefore: 0.3,
  pauseAfter: 0.4,
  topicStart: 0.6,
  topicEnd: 0.5,
  topicInside: -0.7,
  sceneStart: 0.25,
  sceneInside: -0.4,
  fillers: -0.8,
  silence: -0.8,
  loudness: 0.2,
} as const;
export type FeatureName = keyof typeof WEIGHTS;
export type Features = Record<FeatureName, number>;

/** So that a plain clip without any merit is worth something: a schedule needs positive values. */
const BASE = 1;
/** The pause at the media's edges says nothing: neither a bonus nor a penalty. */
const EDGE = 0.5;
const FULL_PAUSE_SEC = 1.2;

export interface FeatureInput {
  units: readonly Unit[];
  analysis: Analysis;
  fillers: readonly Span[];
  /** Stemmed single words and phrases that a person asked for. */
  keywords: readonly string[];
  /** Genre tuning: which kind of hook counts half as much again. */
  favouredHook: 'question' | 'number' | null;
}

/** Everything about the units that candidates share, computed once. */
export interface FeatureTable {
  score(candidate: Candidate): { features: Features; quality: number };
  centrality: readonly number[];
}

export function featureTable(input: FeatureInput): FeatureTable {
  const { units, analysis } = input;
  const texts = units.map((unit) => unit.terms);
  const centrality = rankTexts(texts);
  const breaks = topicBreaks(texts);
  const hits = units.map((unit) => keywordHits(unit.text, input.keywords));
  const loudness = loudnessOf(units, analysis);
  const isLast = (index: number) => index === units.length - 1;
  const pauseBefore = (index: number) => {
    const before = units[index - 1];
    return before === undefined
      ? EDGE
      : Math.min(1, ((units[index]?.startSec ?? 0) - before.endSec) / FULL_PAUSE_SEC);
  };
  const score = (candidate: Candidate) => {
    const { first, last } = candidate;
    const inside = breaks.slice(first + 1, last + 1);
    const opening = units[first]?.text ?? '';
    const counted = hits.slice(first, last + 1).reduce((sum, count) => sum + count, 0);
    const features: Features = {
      keywords: Math.min(1, Math.log1p(counted) / Math.log(6)),
      centrality: mean(centrality.slice(first, last + 1)),
      hook: hookOf(opening, input.favouredHook),
      dangling: dangles(opening) ? 1 : 0,
      pauseBefore: pauseBefore(first),
      pauseAfter: isLast(last) ? EDGE : pauseBefore(last + 1),
      topicStart: first === 0 ? EDGE : (breaks[first] ?? 0),
      topicEnd: isLast(last) ? EDGE : (breaks[last + 1] ?? 0),
      topicInside: Math.max(0, ...inside),
      sceneStart: nearCut(analysis.sceneCutsSec, candidate.startSec) ? 1 : 0,
      sceneInside: Math.min(1, cutsInside(analysis.sceneCutsSec, candidate) / 2),
      fillers: Math.min(1, (share(input.fillers, candidate) * 10) / 2),
      silence: Math.min(1, Math.max(0, share(analysis.silences, candidate) - 0.15) * 2),
      loudness: mean(loudness.slice(first, last + 1)),
    };
    return { features: rounded(features), quality: quality(features) };
  };
  return { score, centrality };
}

function quality(features: Features): number {
  let sum = BASE;
  for (const name of featureNames()) sum += WEIGHTS[name] * features[name];
  return Math.max(0.05, sum);
}

/** What a feature added to or took from a clip's quality. */
export function worthOf(name: FeatureName, features: Features): number {
  return WEIGHTS[name] * features[name];
}

export function featureNames(): FeatureName[] {
  return Object.keys(WEIGHTS).filter((name): name is FeatureName => name in WEIGHTS);
}

/** Single words and phrases to look for, from what a person typed: lower case, without plural. */
export function normalizeKeyword(text: string): string {
  return wordsOf(text).map(stem).join(' ');
}

/** How often any of the keywords is said. */
export function keywordHits(text: string, keywords: readonly string[]): number {
  if (keywords.length === 0 || text === '') return 0;
  const said = ` ${wordsOf(text).map(stem).join(' ')} `;
  return keywords.reduce((sum, keyword) => sum + said.split(` ${keyword} `).length - 1, 0);
}

/** A question or a number in the first sentence makes people stay. 0..1. */
function hookOf(text: string, favoured: 'question' | 'number' | null): number {
  const isQuestion =
    /\?["'”’)]*\s*$/.test(text) || /^(?:why|how|what|who|when|have you|do you|did you)\b/i.test(text);
  const hasNumber =
    /\d/.test(text) ||
    /\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|million|percent|half)\b/i.test(
      text,
    );
  const address = /\b(?:you|your|imagine|never|secret|mistake|surpris\w*|here is|here's)\b/i.test(text);
  const boost = (kind: 'question' | 'number') => (favoured === kind ? 1.5 : 1);
  return Math.min(
    1,
    (isQuestion ? 0.6 * boost('question') : 0) +
      (hasNumber ? 0.3 * boost('number') : 0) +
      (address ? 0.2 : 0),
  );
}

/** A first word that points back at something the clip does not show. */
function dangles(text: string): boolean {
  return /^(?:and|but|so|or|because|then|it|its|it's|this|that|these|those|he|she|they|which|also|however|therefore|um|uh)\b/i.test(
    text,
  );
}

function loudnessOf(units: readonly Unit[], analysis: Analysis): number[] {
  let at = 0;
  const levels = units.map((unit) => {
    while ((analysis.loudness[at]?.atSec ?? Number.POSITIVE_INFINITY) < unit.startSec) at += 1;
    const mine: number[] = [];
    for (let i = at; (analysis.loudness[i]?.atSec ?? Number.POSITIVE_INFINITY) < unit.endSec; i += 1) {
      mine.push(analysis.loudness[i]?.levelDb ?? 0);
    }
    return mine.length === 0 ? null : mean(mine);
  });
  const known = levels.filter((level): level is number => level !== null);
  const middle = mean(known);
  return levels.map((level) => (level === null ? 0 : Math.max(-1, Math.min(1, (level - middle) / 6))));
}

/** The share of a candidate that the spans cover. Spans are in order. */
function share(spans: readonly Span[], candidate: Span): number {
  let covered = 0;
  for (let i = firstEndingAfter(spans, candidate.startSec); i < spans.length; i += 1) {
    const span = spans[i];
    if (span === undefined || span.startSec >= candidate.endSec) break;
    covered += Math.min(span.endSec, candidate.endSec) - Math.max(span.startSec, candidate.startSec);
  }
  return covered / Math.max(0.1, candidate.endSec - candidate.startSec);
}

function firstEndingAfter(spans: readonly Span[], sec: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.endSec ?? 0) <= sec) low = middle + 1;
    else high = middle;
  }
  return low;
}

function nearCut(cuts: readonly number[], sec: number): boolean {
  return cuts.some((cut) => Math.abs(cut - sec) < 1);
}

function cutsInside(cuts: readonly number[], { startSec, endSec }: Span): number {
  return cuts.filter((cut) => cut > startSec + 1 && cut < endSec - 1).length;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rounded(features: Features): Features {
  const copy = { ...features };
  for (const name of featureNames()) copy[name] = Math.round(features[name] * 1000) / 1000;
  return copy;
}

/** Words of a prompt that can be looked for: everything that carries meaning. */
export function promptKeywords(prompt: string): string[] {
  const asking = new Set([
    'find',
    'clip',
    'moment',
    'video',
    'show',
    'part',
    'section',
    'speaker',
    'talk',
    'pick',
    'best',
    'please',
    'want',
    'make',
  ]);
  return [...new Set(termsOf(prompt))].filter((term) => !asking.has(term));
}
