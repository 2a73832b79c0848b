import { distance } from 'fastest-levenshtein';

/** The candidate a person most likely meant, for "did you mean"; undefined when none is near. Case is ignored. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  let best: { name: string; steps: number } | undefined;
  for (const name of candidates) {
    const steps = distance(typed, name.toLowerCase());
    const near = steps <= Math.max(2, Math.floor(name.length * 0.4)) && steps < name.length;
    if (near && (!best || steps < best.steps)) best = { name, steps };
  }
  return best?.name;
}
