import { rarity, unitVector } from './text-terms.js';

const DAMPING = 0.85;
const ROUNDS = 25;
/** Sentences further apart than this are not compared: a long talk stays quick. */
const WINDOW = 400;
const MIN_SIMILARITY = 0.05;

/**
 * How central each text is among all (TextRank over shared terms), scaled to 0..1 with the most central at 1.
 * Texts without terms get 0.
 */
export function rankTexts(texts: readonly (readonly string[])[]): number[] {
  const edges = similarities(texts);
  const strength = edges.map((list) => list.reduce((sum, edge) => sum + edge.weight, 0));
  let ranks = new Array<number>(texts.length).fill(1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Array<number>(texts.length).fill(1 - DAMPING);
    for (const [from, list] of edges.entries()) {
      const total = strength[from] ?? 0;
      if (total === 0) continue;
      const share = (DAMPING * (ranks[from] ?? 0)) / total;
      for (const { to, weight } of list) next[to] = (next[to] ?? 0) + share * weight;
    }
    ranks = next;
  }
  const top = Math.max(...ranks.map((rank, index) => ((strength[index] ?? 0) > 0 ? rank : 0)), 0);
  return ranks.map((rank, index) => (top > 0 && (strength[index] ?? 0) > 0 ? rank / top : 0));
}

/** For each text the texts it shares terms with, found through an index of terms and not by comparing all pairs. */
function similarities(texts: readonly (readonly string[])[]): { to: number; weight: number }[][] {
  const weights = rarity(texts);
  const vectors = texts.map((terms) => unitVector(terms, weights));
  const holders = new Map<string, number[]>();
  const edges: { to: number; weight: number }[][] = texts.map(() => []);
  for (const [index, vector] of vectors.entries()) {
    const shared = new Map<number, number>();
    for (const [term, value] of vector) {
      const list = holders.get(term) ?? [];
      for (let i = list.length - 1; i >= 0; i -= 1) {
        const other = list[i] ?? 0;
        if (index - other > WINDOW) break;
        shared.set(other, (shared.get(other) ?? 0) + value * (vectors[other]?.get(term) ?? 0));
      }
      list.push(index);
      holders.set(term, list);
    }
    for (const [other, weight] of shared) {
      if (weight < MIN_SIMILARITY) continue;
      edges[index]?.push({ to: other, weight });
      edges[other]?.push({ to: index, weight });
    }
  }
  return edges;
}
