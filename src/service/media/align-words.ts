import type { Span, Transcript, Word } from './media-types.js';

/** A quiet this long inside a subtitle is a pause no word lies in. */
const PAUSE_SEC = 0.14;
/** How far a word's estimated end may lie from the quiet it is moved to. */
const REACH_SEC = 0.5;

/**
 * Better word times: the letters of a subtitle share only the time in which something is heard, and words before
 * a comma or full stop end where a quiet begins. The subtitle's own start and end stay as they are.
 * `dips` are the quiet moments of the analysis, in order.
 */
export function alignWords(transcript: Transcript, dips: readonly Span[]): Transcript {
  if (dips.length === 0 || transcript.words.length === 0) return transcript;
  const words: Word[] = [];
  let dipIndex = 0;
  for (const cue of wordsByCue(transcript.words)) {
    const startSec = cue[0]?.startSec ?? 0;
    const endSec = cue.at(-1)?.endSec ?? startSec;
    while ((dips[dipIndex]?.endSec ?? Number.POSITIVE_INFINITY) <= startSec) dipIndex += 1;
    const inside: Span[] = [];
    for (let i = dipIndex; (dips[i]?.startSec ?? Number.POSITIVE_INFINITY) < endSec; i += 1) {
      const dip = dips[i];
      if (dip !== undefined && dip.startSec > startSec && dip.endSec < endSec) inside.push(dip);
    }
    words.push(...alignCue(cue, startSec, endSec, inside));
  }
  const sentences = transcript.sentences.map((sentence) => ({
    ...sentence,
    startSec: words[sentence.firstWord]?.startSec ?? sentence.startSec,
    endSec: words[sentence.lastWord]?.endSec ?? sentence.endSec,
  }));
  return { ...transcript, words, sentences };
}

function wordsByCue(words: readonly Word[]): Word[][] {
  const groups: Word[][] = [];
  for (const word of words) {
    const last = groups.at(-1);
    if (last?.[0]?.cue === word.cue) last.push(word);
    else groups.push([word]);
  }
  return groups;
}

function alignCue(cue: readonly Word[], startSec: number, endSec: number, dips: readonly Span[]): Word[] {
  const shared = shareHeardTime(
    cue,
    startSec,
    endSec,
    dips.filter((dip) => dip.endSec - dip.startSec >= PAUSE_SEC),
  );
  const marks = shared.flatMap((word, index) =>
    index < shared.length - 1 && /[,;:.?!…—–]["'”’)]*$/u.test(word.text) ? [index] : [],
  );
  return stretch(shared, startSec, endSec, matchMarks(shared, marks, dips));
}

/** Times by letters, over the cue's time without its pauses. */
function shareHeardTime(
  cue: readonly Word[],
  startSec: number,
  endSec: number,
  pauses: readonly Span[],
): Word[] {
  const heardSec = endSec - startSec - pauses.reduce((sum, pause) => sum + pause.endSec - pause.startSec, 0);
  const total = cue.reduce((sum, word) => sum + word.text.length + 1, 0);
  let letters = 0;
  return cue.map((word, index) => {
    const from = atHeard((letters / total) * heardSec, startSec, pauses, 'after');
    letters += word.text.length + 1;
    const to =
      index === cue.length - 1 ? endSec : atHeard((letters / total) * heardSec, startSec, pauses, 'before');
    return { ...word, startSec: from, endSec: Math.max(from, to) };
  });
}

/** The moment at which `heardSec` seconds of sound have passed. At a pause: its start or its end, as asked. */
function atHeard(
  heardSec: number,
  startSec: number,
  pauses: readonly Span[],
  side: 'before' | 'after',
): number {
  let at = startSec + heardSec;
  for (const pause of pauses) {
    const reached = side === 'after' ? pause.startSec <= at + 1e-6 : pause.startSec < at - 1e-6;
    if (reached) at += pause.endSec - pause.startSec;
  }
  return at;
}

/**
 * Which quiet belongs to which punctuation mark: in order, each at most once, near and long ones first.
 * Dynamic programming over marks × dips; a mark may stay without.
 */
function matchMarks(
  words: readonly Word[],
  marks: readonly number[],
  dips: readonly Span[],
): Map<number, Span> {
  const gain = (mark: number, dip: Span): number => {
    const word = words[mark];
    const off = Math.abs((word?.endSec ?? 0) - dip.startSec);
    return off > REACH_SEC ? 0 : 1 - off / REACH_SEC + Math.min(0.5, dip.endSec - dip.startSec);
  };
  const best = Array.from({ length: marks.length + 1 }, () => new Array<number>(dips.length + 1).fill(0));
  const value = (m: number, d: number) => best[m]?.[d] ?? 0;
  for (const [m, mark] of marks.entries()) {
    for (const [d, dip] of dips.entries()) {
      const row = best[m + 1];
      if (row !== undefined)
        row[d + 1] = Math.max(value(m, d + 1), value(m + 1, d), value(m, d) + gain(mark, dip));
    }
  }
  const matches = new Map<number, Span>();
  for (let m = marks.length, d = dips.length; m > 0 && d > 0; ) {
    const mark = marks[m - 1] ?? 0;
    const dip = dips[d - 1];
    if (value(m, d) === value(m - 1, d)) m -= 1;
    else if (value(m, d) === value(m, d - 1) || dip === undefined) d -= 1;
    else {
      matches.set(mark, dip);
      m -= 1;
      d -= 1;
    }
  }
  return matches;
}

/** Moves the matched words to their quiets and everything between two of them in proportion. */
function stretch(
  words: readonly Word[],
  startSec: number,
  endSec: number,
  matches: ReadonlyMap<number, Span>,
): Word[] {
  const out: Word[] = [];
  let from = 0;
  let atSec = startSec;
  const bounds = [...matches.entries()].sort(([a], [b]) => a - b);
  for (const [last, span] of [...bounds, [words.length - 1, { startSec: endSec, endSec }] as const]) {
    const part = words.slice(from, last + 1);
    const oldStart = part[0]?.startSec ?? atSec;
    const oldEnd = part.at(-1)?.endSec ?? oldStart;
    const scale = oldEnd > oldStart ? (span.startSec - atSec) / (oldEnd - oldStart) : 0;
    const move = (sec: number) => atSec + (sec - oldStart) * scale;
    out.push(...part.map((word) => ({ ...word, startSec: move(word.startSec), endSec: move(word.endSec) })));
    from = last + 1;
    atSec = span.endSec;
  }
  return out;
}
