import type { Span, Word } from './media-types.js';

/** What is on the screen at one time: one or two lines of words, with times of the clip. */
export interface CaptionGroup extends Span {
  lines: string[][];
}

export interface GroupLimits {
  /** Letters that fit on one line at the chosen size. */
  lineChars: number;
  /** The clip's length: nothing is shown after it. */
  totalSec: number;
}

const MAX_WORDS = 5;
const MAX_LINES = 2;
/** A pause this long closes a group: words must not be read before they are said. */
const GAP_SEC = 0.45;
/** How long the last word stays when nothing follows. */
const HOLD_SEC = 0.35;
const MIN_SHOW_SEC = 0.25;

/** Words as groups of up to five that fit on two lines; each ends where the next begins, or a moment after its last word. */
export function groupWords(words: readonly Word[], { lineChars, totalSec }: GroupLimits): CaptionGroup[] {
  const groups: Word[][] = [];
  let current: Word[] = [];
  for (const word of words.flatMap((one) => pieces(one, lineChars))) {
    const last = current.at(-1);
    if (
      last !== undefined &&
      (closes(last, word, current.length) || layLines([...current, word], lineChars) === null)
    ) {
      groups.push(current);
      current = [];
    }
    current.push(word);
  }
  if (current.length > 0) groups.push(current);
  return joinOrphans(groups, lineChars).flatMap((group, index, all) => {
    const startSec = group[0]?.startSec ?? 0;
    const nextSec = all[index + 1]?.[0]?.startSec ?? totalSec;
    const wishSec = Math.max((group.at(-1)?.endSec ?? startSec) + HOLD_SEC, startSec + MIN_SHOW_SEC);
    const endSec = Math.min(wishSec, nextSec, totalSec);
    const lines = layLines(group, lineChars) ?? [group.map((word) => word.text)];
    return endSec - startSec < 0.02 ? [] : [{ startSec, endSec, lines }];
  });
}

function closes(last: Word, next: Word, count: number): boolean {
  if (count >= MAX_WORDS || next.startSec - last.endSec >= GAP_SEC) return true;
  if (/[.?!…。！？]["'”’»)]*$/u.test(last.text)) return true;
  return count >= 3 && /[,;:—–]$/u.test(last.text);
}

/** A word alone after a full group looks lost: the group before gives it company. */
function joinOrphans(groups: readonly Word[][], lineChars: number): Word[][] {
  const out: Word[][] = [];
  for (const group of groups) {
    const before = out.at(-1);
    const lone = group[0];
    const last = before?.at(-1);
    const follows = lone !== undefined && last !== undefined && !closes(last, lone, 0);
    if (before !== undefined && group.length === 1 && follows && before.length >= 3) {
      const moved = [...before.slice(-2), ...group];
      if (layLines(moved, lineChars) !== null) {
        out[out.length - 1] = before.slice(0, -2);
        out.push(moved);
        continue;
      }
    }
    out.push(group);
  }
  return out;
}

/** Words on one line, or on two of nearly the same length; null when they do not fit. */
function layLines(words: readonly Word[], lineChars: number): string[][] | null {
  const texts = words.map((word) => word.text);
  if (width(texts) <= lineChars) return [texts];
  let best: string[][] | null = null;
  let bestWidth = Number.POSITIVE_INFINITY;
  for (let at = 1; at < texts.length && MAX_LINES > 1; at += 1) {
    const lines = [texts.slice(0, at), texts.slice(at)];
    const widest = Math.max(...lines.map(width));
    if (widest <= lineChars && widest < bestWidth) {
      best = lines;
      bestWidth = widest;
    }
  }
  return best ?? (texts.length === 1 ? [texts] : null);
}

function width(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + textWidth(text) + 1, -1);
}

/** Letters as wide as a Latin one; Chinese, Japanese and Korean ones count double. */
export function textWidth(text: string): number {
  return [...text].reduce(
    (sum, char) =>
      sum + (/[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/.test(char) ? 2 : 1),
    0,
  );
}

/** Languages without spaces arrive as one long "word": it is cut into pieces that fit, each with its share of time. */
function pieces(word: Word, lineChars: number): Word[] {
  if (textWidth(word.text) <= lineChars * 1.3) return [word];
  const chars = [...word.text];
  const count = Math.ceil(textWidth(word.text) / lineChars);
  const size = Math.ceil(chars.length / count);
  const perChar = (word.endSec - word.startSec) / chars.length;
  return Array.from({ length: Math.ceil(chars.length / size) }, (_, i) => ({
    ...word,
    text: chars.slice(i * size, (i + 1) * size).join(''),
    startSec: word.startSec + i * size * perChar,
    endSec: word.startSec + Math.min(chars.length, (i + 1) * size) * perChar,
  }));
}
