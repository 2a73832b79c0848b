import { dot, rarity, unitVector } from './text-terms.js';

const BLOCK = 3;

/**
 * How strongly the topic changes before each text, 0..1 (TextTiling: the depth of the dip in similarity between
 * the texts before and after). Index 0 is 0: the start of a talk is no change of topic.
 */
export function topicBreaks(texts: readonly (readonly string[])[]): number[] {
  const weights = rarity(texts);
  const similarity = texts.map((_, index) => {
    if (index === 0) return 1;
    const before = texts.slice(Math.max(0, index - BLOCK), index).flat();
    const after = texts.slice(index, index + BLOCK).flat();
    return dot(unitVector(before, weights), unitVector(after, weights));
  });
  const depths = similarity.map((value, index) => {
    if (index === 0) return 0;
    return (
      Math.max(0, climb(similarity, index, -1) - value) + Math.max(0, climb(similarity, index, 1) - value)
    );
  });
  const top = Math.max(0, ...depths);
  return depths.map((depth) => (top > 0.02 ? depth / top : 0));
}

/** The height of the nearest hill from `index` on in one direction. The first value is no hill: nothing lies before it. */
function climb(values: readonly number[], index: number, step: 1 | -1): number {
  let height = values[index] ?? 0;
  for (let i = index + step; i > 0 && i < values.length; i += step) {
    const value = values[i] ?? 0;
    if (value < height) break;
    height = value;
  }
  return height;
}
