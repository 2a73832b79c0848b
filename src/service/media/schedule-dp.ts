/** Something that takes the time from start to end and is worth `value` (> 0). */
export interface Interval {
  startSec: number;
  endSec: number;
  value: number;
}

/**
 * The set of at most `maxCount` intervals without overlap whose values add up to most (weighted interval
 * scheduling by dynamic programming), in time order. Touching intervals do not overlap.
 */
export function bestSchedule<T extends Interval>(intervals: readonly T[], maxCount: number): T[] {
  const sorted = [...intervals].sort((a, b) => a.endSec - b.endSec || a.startSec - b.startSec);
  const ends = sorted.map((interval) => interval.endSec);
  const before = sorted.map((interval) => countUpTo(ends, interval.startSec));
  const rows = Math.min(maxCount, sorted.length);
  const best: Float64Array[] = [new Float64Array(sorted.length + 1)];
  for (let count = 1; count <= rows; count += 1) {
    const row = new Float64Array(sorted.length + 1);
    const fewer = best[count - 1];
    for (const [index, interval] of sorted.entries()) {
      const taken = interval.value + (fewer?.[before[index] ?? 0] ?? 0);
      row[index + 1] = Math.max(row[index] ?? 0, taken);
    }
    best.push(row);
  }
  return trace(sorted, before, best);
}

function trace<T extends Interval>(
  sorted: readonly T[],
  before: readonly number[],
  best: readonly Float64Array[],
): T[] {
  const chosen: T[] = [];
  let count = best.length - 1;
  let index = sorted.length;
  while (count > 0 && index > 0) {
    const interval = sorted[index - 1];
    const row = best[count];
    if (interval !== undefined && (row?.[index] ?? 0) > (row?.[index - 1] ?? 0)) {
      chosen.push(interval);
      index = before[index - 1] ?? 0;
      count -= 1;
    } else index -= 1;
  }
  return chosen.reverse();
}

/** How many of the ascending `ends` are at or before `sec`. */
function countUpTo(ends: readonly number[], sec: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= sec + 1e-9) low = middle + 1;
    else high = middle;
  }
  return low;
}
