/** Words that say nothing about a topic. English; other languages rely on the rarity weights alone. */
const STOP_WORDS = new Set(
  `a about after all also am an and any are as at be because been before being but by can could did do does doing down
  each few for from further get got had has have having he her here hers him his how i if in into is it its itself just
  like me more most much my no nor not now of off on once one only or other our out over own really said same say she
  should so some such than that the their them then there these they thing things this those through to too under until
  up us very was way we were what when where which while who why will with would you your yes um uh know mean going go
  don't it's i'm that's you're they're we're can't won't didn't isn't there's let's`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** The words of a text that carry meaning, lower case, plural `s` off. */
export function termsOf(text: string): string[] {
  return wordsOf(text)
    .filter((word) => !STOP_WORDS.has(word) && (word.length > 2 || /[^\x00-\x7f]/.test(word)))
    .map(stem);
}

/** All words, lower case, without punctuation. */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/’/g, "'")
      .match(/[\p{L}\p{N}]+(?:'[\p{L}]+)*/gu) ?? []
  );
}

export function stem(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (word.endsWith('s') && !word.endsWith('ss') && word.length > 3) return word.slice(0, -1);
  return word;
}

/** How rare each term is: ln(texts / texts that have it) + a little. */
export function rarity(texts: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const terms of texts) for (const term of new Set(terms)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return new Map([...counts].map(([term, count]) => [term, Math.log((texts.length + 1) / count) + 0.1]));
}

/** Term weights of a text, of length 1. */
export function unitVector(
  terms: readonly string[],
  weights: ReadonlyMap<string, number>,
): Map<string, number> {
  const vector = new Map<string, number>();
  for (const term of terms) vector.set(term, (vector.get(term) ?? 0) + (weights.get(term) ?? 1));
  const norm = Math.sqrt([...vector.values()].reduce((sum, value) => sum + value * value, 0));
  if (norm > 0) for (const [term, value] of vector) vector.set(term, value / norm);
  return vector;
}

export function dot(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [term, value] of small) sum += value * (large.get(term) ?? 0);
  return sum;
}
