import type { Span } from './media-types.js';
import type { Unit } from './units.js';

/** A run of whole units, with the exact cut around it. Unit indexes are inclusive. */
export interface Candidate extends Span {
  first: number;
  last: number;
  /** Length as it will be played: without the parts that are cut out. */
  lengthSec: number;
  /** The pair it fits, as asked. */
  pair: readonly [number, number];
}

export interface CandidateLimits {
  pairs: readonly (readonly [number, number])[];
  /** Clips lie inside this. */
  window: Span;
  /** Parts that will be cut out of a clip (filler words), in order. */
  cuts: readonly Span[];
}

const LEAD_SEC = 0.12;
/** After the last word: shorter eats word endings, longer shows the speaker breathing in. */
const TAIL_SEC = 0.4;
/** A frame or two and the last AAC packet: the file on disk must keep to the limits, not only the plan. */
const MARGIN_SEC = 0.1;
/** "0 to x seconds" does not ask for a clip of one second. */
const USEFUL_SEC = 5;

/** The shortest length a pair allows in `windowSec` of source. */
export function shortest([min]: readonly [number, number], windowSec: number): number {
  if (min > 0) return min + MARGIN_SEC;
  return windowSec > USEFUL_SEC + 1 ? USEFUL_SEC : 0;
}

/** The longest length a pair allows. */
export function longest([, max]: readonly [number, number]): number {
  return Math.max(max - MARGIN_SEC, max / 2);
}

/** Every run of units that fits one of the pairs and lies inside the window. */
export function findCandidates(units: readonly Unit[], limits: CandidateLimits): Candidate[] {
  const { window, cuts, pairs } = limits;
  const windowSec = window.endSec - window.startSec;
  const most = Math.max(0, ...pairs.map(longest));
  // Cuts are moved to whole frames and crumbs between them go too: near the minimum that must not count.
  const slackSec = cuts.length > 0 ? 0.3 : 0;
  const found: Candidate[] = [];
  for (const [first, unit] of units.entries()) {
    if (unit.startSec < window.startSec - 1e-6) continue;
    for (let last = first; last < units.length; last += 1) {
      const end = units[last];
      if (end === undefined || end.endSec > window.endSec + 1e-6) break;
      const lostSec = coveredSec(cuts, { startSec: unit.startSec, endSec: end.endSec });
      if (end.endSec - unit.startSec - lostSec > most) break;
      for (const pair of pairs) {
        const cut = placeCut(units, first, last, pair, window, lostSec);
        if (cut === undefined) continue;
        const lengthSec = cut.endSec - cut.startSec - coveredSec(cuts, cut);
        if (lengthSec < shortest(pair, windowSec) + slackSec) continue;
        found.push({ first, last, pair, lengthSec, ...cut });
        break;
      }
    }
  }
  return found;
}

/** How many seconds of `span` the cuts take. */
function coveredSec(cuts: readonly Span[], span: Span): number {
  return cuts.reduce((sum, cut) => {
    return sum + Math.max(0, Math.min(cut.endSec, span.endSec) - Math.max(cut.startSec, span.startSec));
  }, 0);
}

/**
 * Where a run is cut: a little before its first word and some tail after its last one, never into a neighbour,
 * never out of the window, and as short as the pair asks. Undefined when it does not fit.
 */
function placeCut(
  units: readonly Unit[],
  first: number,
  last: number,
  pair: readonly [number, number],
  window: Span,
  lostSec: number,
): Span | undefined {
  const from = units[first];
  const to = units[last];
  if (from === undefined || to === undefined) return undefined;
  const room = (sec: number) => Math.max(0, sec);
  const gapBefore = from.startSec - Math.max(units[first - 1]?.endSec ?? window.startSec, window.startSec);
  const gapAfter = Math.min(units[last + 1]?.startSec ?? window.endSec, window.endSec) - to.endSec;
  const most = longest(pair) + lostSec;
  const spare = most - (to.endSec - from.startSec);
  const least = shortest(pair, window.endSec - window.startSec) + lostSec;
  if (spare < 0) return undefined;
  // Three quarters of a pause belong to the end before it, one to the start after it: neighbours never overlap.
  const wanted = least - (to.endSec - from.startSec) - LEAD_SEC;
  const tailWish = Math.min(0.5, Math.max(TAIL_SEC, wanted));
  const isEdge = units[last + 1] === undefined;
  const tail = Math.min(tailWish, room(gapAfter) * (isEdge ? 1 : 0.75), spare);
  const lead = Math.min(LEAD_SEC, room(gapBefore) * 0.25, spare - tail);
  const startSec = ceilMs(from.startSec - lead);
  const endSec = floorMs(to.endSec + tail);
  return { startSec: Math.min(startSec, from.startSec), endSec: Math.max(endSec, to.endSec) };
}

function ceilMs(sec: number): number {
  return Math.ceil(sec * 1000 - 1e-6) / 1000;
}

function floorMs(sec: number): number {
  return Math.floor(sec * 1000 + 1e-6) / 1000;
}
