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

/** When censored words are heard in a clip, in seconds of the clip, apart from each other, and how many they are. */
export function censoredSpans(
  transcript: Transcript,
  keep: KeepList,
  isCensored: IsCensored,
): { spans: Span[]; wordCount: number } {
  const hits = wordsInClip(transcript.words, keep).filter((word) => isCensored(word.text));
  const spans: Span[] = [];
  for (const hit of hits) {
    const grow = Math.max(MARGIN_SEC, (MIN_SPAN_SEC - (hit.endSec - hit.startSec)) / 2);
    const startSec = Math.max(0, hit.startSec - grow);
    const endSec = Math.min(keep.totalSec, hit.endSec + grow);
    const last = spans.at(-1);
    if (last && startSec <= last.endSec) last.endSec = Math.max(last.endSec, endSec);
    else spans.push({ startSec, endSec });
  }
  return { spans, wordCount: hits.length };
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
