import type { Span, Word } from './media-types.js';

const SOUNDS = new Set([
  'um',
  'umm',
  'uh',
  'uhh',
  'uhm',
  'erm',
  'er',
  'hmm',
  'hm',
  'mm',
  'mhm',
  'äh',
  'ähm',
  'euh',
]);
/** Said as fillers only when set off by commas; inside a sentence they mean something. */
const PHRASES = [
  ['you', 'know'],
  ['i', 'mean'],
] as const;
/** A filler is cut only when a quiet is heard this near to both of its ends: word times are estimates. */
const REACH_SEC = 0.3;
const MIN_CUT_SEC = 0.1;
/** What is left of the quiet on the shorter side of a filler, and of the longer: a sentence's pause stays one. */
const KEEP_SEC = 0.06;
const KEEP_PAUSE_SEC = 0.35;

/** A run of words that says nothing. Indexes into the words, inclusive. */
export interface Filler extends Span {
  firstWord: number;
  lastWord: number;
  text: string;
}

/** Filler words in `words`: sounds of hesitation, and "you know"/"I mean" between commas. */
export function findFillers(words: readonly Word[]): Filler[] {
  const fillers: Filler[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const length = fillerLength(words, index);
    const first = words[index];
    const last = words[index + length - 1];
    if (length === 0 || first === undefined || last === undefined) continue;
    const text = words
      .slice(index, index + length)
      .map((word) => bare(word.text))
      .join(' ');
    fillers.push({
      startSec: first.startSec,
      endSec: last.endSec,
      firstWord: index,
      lastWord: index + length - 1,
      text,
    });
    index += length - 1;
  }
  return fillers;
}

/** How many words from `index` on are a filler; 0 when it is none. */
function fillerLength(words: readonly Word[], index: number): number {
  const at = (offset: number) => words[index + offset]?.text ?? '';
  if (SOUNDS.has(bare(at(0)))) return 1;
  const phrase = PHRASES.find((parts) => parts.every((part, offset) => bare(at(offset)) === part));
  if (phrase === undefined) return 0;
  const setOffBefore = index === 0 || /[,.;:?!…—–-]$/u.test(at(-1));
  const setOffAfter = /[,.;:?!…—–]$/u.test(at(phrase.length - 1));
  return setOffBefore && setOffAfter ? phrase.length : 0;
}

function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}']/gu, '');
}

/**
 * What to cut so that the fillers go and no other word is touched. Each end is moved to a quiet nearby; a filler
 * that is glued to its neighbours stays. Seconds of the source, in order, apart from each other.
 */
export function fillerCuts(
  fillers: readonly Filler[],
  dips: readonly Span[],
): { cuts: Span[]; left: Filler[] } {
  const cuts: Span[] = [];
  const left: Filler[] = [];
  for (const filler of fillers) {
    const before = nearestDip(dips, filler.startSec);
    const after = nearestDip(dips, filler.endSec);
    const cut =
      before === undefined || after === undefined || before === after ? undefined : between(before, after);
    if (cut === undefined || cut.endSec - cut.startSec < MIN_CUT_SEC) {
      left.push(filler);
      continue;
    }
    const last = cuts.at(-1);
    if (last !== undefined && cut.startSec < last.endSec + 0.15)
      last.endSec = Math.max(last.endSec, cut.endSec);
    else cuts.push(cut);
  }
  return { cuts, left };
}

function between(before: Span, after: Span): Span {
  const length = (dip: Span) => dip.endSec - dip.startSec;
  const endsSentence = length(after) >= length(before);
  const leftBefore = Math.min(endsSentence ? KEEP_SEC : KEEP_PAUSE_SEC, length(before));
  const leftAfter = Math.min(endsSentence ? KEEP_PAUSE_SEC : KEEP_SEC, length(after));
  return { startSec: before.startSec + leftBefore, endSec: after.endSec - leftAfter };
}

function nearestDip(dips: readonly Span[], atSec: number): Span | undefined {
  let best: Span | undefined;
  let bestOff = REACH_SEC;
  for (const dip of dips) {
    if (dip.startSec > atSec + REACH_SEC) break;
    const off = Math.max(dip.startSec - atSec, atSec - dip.endSec, 0);
    if (off < bestOff) {
      best = dip;
      bestOff = off;
    }
  }
  return best;
}
