import type { KeepList } from './keep-list.js';
import { wordsInClip } from './keep-list.js';
import type { Moment, Span, Transcript } from './media-types.js';

/**
 * Words censored when no list was given. A star stands for any ending. Kept short on purpose: mild words and words
 * with a decent meaning are for a list of one's own.
 */
export const DEFAULT_CENSOR_WORDS = [
  'arsehole*',
  'asshole*',
  'bastard*',
  'bitch*',
  'bollocks',
  'bullshit*',
  'cocksuck*',
  'cunt*',
  'damn',
  'damned',
  'dickhead*',
  'dumbass*',
  'fuck*',
  'goddamn*',
  'motherfuck*',
  'piss',
  'pissed',
  'pussy',
  'shit*',
  'slut*',
  'twat*',
  'wank*',
  'whore*',
] as const;

export type IsCensored = (word: string) => boolean;

/** Reads a list: one word a line, a star at the end for any ending, `#` for remarks. */
export function parseWordList(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');
}

/** A matcher of a list. Case and everything but letters and digits are of no account. */
export function matcherOf(list: readonly string[]): IsCensored {
  const whole = new Set<string>();
  const beginnings: string[] = [];
  for (const entry of list) {
    const letters = bare(entry);
    if (letters === '') continue;
    if (entry.trim().endsWith('*')) beginnings.push(letters);
    else whole.add(letters);
  }
  return (word) => {
    const letters = bare(word);
    return whole.has(letters) || beginnings.some((beginning) => letters.startsWith(beginning));
  };
}

/** How far a beep goes beyond a word's times, which are estimates, and how short none may be. */
const MARGIN_SEC = 0.06;
const MIN_SPAN_SEC = 0.2;

/** A word that is taken out of a clip, in bare letters, and whether a beep is heard instead or nothing. */
export interface CensoredWord {
  word: string;
  beep: boolean;
}

/** Part of a clip that must not be heard, in seconds of the clip. */
export interface CensoredSpan extends Span {
  beep: boolean;
}

/** The words of a list that are heard in a clip, each as often as it is said. */
export function findListed(transcript: Transcript, keep: KeepList, isListed: IsCensored): string[] {
  return wordsInClip(transcript.words, keep)
    .filter(({ text }) => isListed(text))
    .map(({ text }) => bare(text));
}

/** All that is censored in a clip when `words` are added; of two ways for one word the newer counts. */
export function addCensored(
  earlier: readonly CensoredWord[],
  words: readonly string[],
  beep: boolean,
): CensoredWord[] {
  const all = new Map([
    ...earlier.map((one) => [one.word, one.beep] as const),
    ...words.map((word) => [word, beep] as const),
  ]);
  return [...all].map(([word, isBeeped]) => ({ word, beep: isBeeped }));
}

/** When censored words are heard in a clip, in order and merged where one way goes on, and what is told of it. */
export function censoredSpans(
  transcript: Transcript,
  keep: KeepList,
  censored: readonly CensoredWord[],
): { spans: CensoredSpan[]; notes: string[] } {
  const beepOf = new Map(censored.map(({ word, beep }) => [word, beep]));
  const counts = { beeped: 0, silenced: 0 };
  const spans: CensoredSpan[] = [];
  for (const hit of wordsInClip(transcript.words, keep)) {
    const beep = beepOf.get(bare(hit.text));
    if (beep === undefined) continue;
    counts[beep ? 'beeped' : 'silenced'] += 1;
    const grow = Math.max(MARGIN_SEC, (MIN_SPAN_SEC - (hit.endSec - hit.startSec)) / 2);
    const startSec = Math.max(0, hit.startSec - grow);
    const endSec = Math.min(keep.totalSec, hit.endSec + grow);
    const last = spans.at(-1);
    if (last && last.beep === beep && startSec <= last.endSec) last.endSec = Math.max(last.endSec, endSec);
    else spans.push({ startSec, endSec, beep });
  }
  const notes = [
    ...(counts.beeped > 0 ? [countText(counts.beeped, true)] : []),
    ...(counts.silenced > 0 ? [countText(counts.silenced, false)] : []),
  ];
  return { spans, notes };
}

export function countText(wordCount: number, beep: boolean): string {
  return `${wordCount === 1 ? '1 word' : `${wordCount} words`} ${beep ? 'beeped over' : 'silenced'}`;
}

/** Whether a clip's note is one of `countText`: the next censor job counts anew. */
export function isCountText(note: string): boolean {
  return /^\d+ words? (?:beeped over|silenced)$/.test(note);
}

/** A matcher of what was censored before. */
export function matcherOfCensored(censored: readonly CensoredWord[]): IsCensored {
  const words = new Set(censored.map(({ word }) => word));
  return (word) => words.has(bare(word));
}

/** `damn,` becomes `d***,`: what is written over the picture must not say what is not heard. */
export function maskText(text: string, isCensored: IsCensored): string {
  return text.replace(/[\p{L}\p{N}'’-]+/gu, (word) => (isCensored(word) ? maskWord(word) : word));
}

export function maskMoment(moment: Moment, isCensored: IsCensored): Moment {
  return { ...moment, title: maskText(moment.title, isCensored), text: maskText(moment.text, isCensored) };
}

function maskWord(word: string): string {
  const [first = '', ...rest] = word;
  return first + rest.map(() => '*').join('');
}

function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
