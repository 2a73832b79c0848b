import type { Span } from './media-types.js';

/** One subtitle as written: cleaned text on one line. `newSpeaker` when it opens with a speaker mark. */
export interface Cue extends Span {
  text: string;
  newSpeaker: boolean;
}

const TIME_LINE =
  /(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})\s*-->\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})/;

/**
 * Cues of an SRT or WebVTT text, in time order, without overlaps and without the lines that rolling captions repeat.
 * Broken blocks are left out; a text without any cue gives an empty list.
 */
export function parseSubtitles(text: string): Cue[] {
  const blocks = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n+/);
  const cues = blocks.flatMap(parseBlock).sort((a, b) => a.startSec - b.startSec || a.endSec - b.endSec);
  return withoutOverlaps(withoutRepeats(cues));
}

/** A subtitle file's bytes as text: UTF-8 and UTF-16 by their marks, else UTF-8, else Latin-1. */
export function decodeSubtitles(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function parseBlock(block: string): Cue[] {
  const lines = block.split('\n');
  // Blocks run together without an empty line between them are common: each time line starts a cue.
  const starts = lines.flatMap((line, index) => (TIME_LINE.test(line) ? [index] : []));
  return starts.flatMap((start, index) => {
    const next = starts[index + 1];
    const body = lines.slice(start + 1, next ?? lines.length);
    // The counter of the next cue belongs to it, not to this text.
    if (next !== undefined && /^\s*\d+\s*$/.test(body.at(-1) ?? '')) body.pop();
    const cue = makeCue(lines[start] ?? '', body);
    return cue === undefined ? [] : [cue];
  });
}

function makeCue(timeLine: string, body: string[]): Cue | undefined {
  const match = TIME_LINE.exec(timeLine);
  if (match === null) return undefined;
  const startSec = clock(match.slice(1, 5));
  const endSec = clock(match.slice(5, 9));
  const raw = body.join(' ');
  const text = cleanText(body);
  if (text === '' || !(endSec > startSec)) return undefined;
  return { startSec, endSec, text, newSpeaker: /(?:>>|&gt;&gt;|<v[ .]|^\s*[-–—]\s)/.test(raw) };
}

function clock([hours, minutes, secs, fraction]: (string | undefined)[]): number {
  const whole = Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(secs);
  return whole + Number((fraction ?? '0').padEnd(3, '0')) / 1000;
}

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&apos;': "'",
  '&nbsp;': ' ',
  '&lrm;': '',
  '&rlm;': '',
};

/** Spoken words only: no tags, no ASS overrides, no sounds in brackets, no speaker labels, no notes of music. */
function cleanText(lines: string[]): string {
  return lines
    .map((line) => line.replace(/<[^>]*>/g, '').replace(/\{\\[^}]*\}/g, ''))
    .map((line) => line.replace(/&[#a-z0-9]+;/gi, (entity) => ENTITIES[entity.toLowerCase()] ?? ' '))
    .map((line) => line.replace(/\[[^\]]*\]|\([^)]*\)|[♪♫]+/g, ' '))
    .map((line) => line.replace(/^\s*(?:>>+\s*)?(?:[-–—]\s+)?(?:\p{Lu}[\p{Lu}\d .'-]{1,30}:\s+)?/u, ''))
    .map((line) => line.replace(/>>+\s*(?:\p{Lu}[\p{Lu}\d .'-]{1,30}:\s+)?/gu, ' '))
    .join(' ')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Rolling captions say the last line again in the next cue: the words already said are taken from its front. */
function withoutRepeats(cues: Cue[]): Cue[] {
  const kept: Cue[] = [];
  let said: string[] = [];
  let saidUntilSec = Number.NEGATIVE_INFINITY;
  for (const cue of cues) {
    const words = cue.text.split(' ');
    const again = cue.startSec <= saidUntilSec + 0.05 ? sharedWords(said, words) : 0;
    const fresh = words.slice(again);
    if (fresh.length > 0) kept.push({ ...cue, text: fresh.join(' ') });
    said = [...said, ...fresh].slice(-40);
    saidUntilSec = Math.max(saidUntilSec, cue.endSec);
  }
  return kept;
}

/** How many first words of `next` are the last words of `said`: three or more, or all of `next` at once. */
function sharedWords(said: string[], next: string[]): number {
  for (let count = Math.min(said.length, next.length); count >= 1; count -= 1) {
    if (count < 3 && !(count === next.length && count === said.length)) return 0;
    if (next.slice(0, count).join(' ') === said.slice(-count).join(' ')) return count;
  }
  return 0;
}

/** A cue shown while the next begins ends there; two that begin together share the time by their length. */
function withoutOverlaps(cues: Cue[]): Cue[] {
  const joined: Cue[] = [];
  for (const cue of cues) {
    const last = joined.at(-1);
    if (last !== undefined && cue.startSec < last.startSec + 0.05) {
      last.text = `${last.text} ${cue.text}`;
      last.endSec = Math.max(last.endSec, cue.endSec);
    } else {
      if (last !== undefined && last.endSec > cue.startSec) last.endSec = cue.startSec;
      joined.push({ ...cue });
    }
  }
  return joined;
}
