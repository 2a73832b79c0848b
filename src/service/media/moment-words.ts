import { type FeatureName, type Features, featureNames, worthOf } from './features.js';

const TITLE_CHARS = 60;

/** What each feature says about a clip when it spoke for it. */
const PRAISE: Partial<Record<FeatureName, string>> = {
  keywords: 'says what was asked for',
  centrality: 'is close to what the whole talk is about',
  hook: 'opens with a hook',
  pauseBefore: 'starts after a pause',
  pauseAfter: 'ends at a pause',
  topicStart: 'starts where a topic starts',
  topicEnd: 'ends where a topic ends',
  sceneStart: 'starts with a new scene',
  loudness: 'is spoken with energy',
};

/** One sentence: why this moment, by the two or three features that did most for it. */
export function explain(features: Features, opening: string, hasWords: boolean): string {
  const best = featureNames()
    .map((name) => ({ name, worth: worthOf(name, features) }))
    .filter(
      ({ name, worth }) =>
        worth > 0.1 && PRAISE[name] !== undefined && (hasWords || !WORD_FEATURES.has(name)),
    )
    .sort((a, b) => b.worth - a.worth)
    .slice(0, 3)
    .map(({ name }) =>
      name === 'hook' && /\?\W*$/.test(opening) ? 'opens with a question' : (PRAISE[name] ?? ''),
    );
  if (best.length === 0) return 'It fits the asked length and is cut at pauses.';
  const last = best.at(-1) ?? '';
  const list = best.length === 1 ? last : `${best.slice(0, -1).join(', ')} and ${last}`;
  return `It ${list}.`;
}

const WORD_FEATURES: ReadonlySet<FeatureName> = new Set([
  'keywords',
  'centrality',
  'hook',
  'topicStart',
  'topicEnd',
]);

/** A headline from the moment's own words: its first sentence when that asks something, else its most central one. */
export function titleOf(
  sentences: readonly string[],
  centrality: readonly number[],
  fallback: string,
): string {
  const opening = sentences[0];
  if (opening === undefined || opening === '') return fallback;
  const best = sentences.reduce(
    (top, _, index) => ((centrality[index] ?? 0) > (centrality[top] ?? 0) ? index : top),
    0,
  );
  const chosen = /\?\W*$/.test(opening) ? opening : (sentences[best] ?? opening);
  return shorten(withoutStart(chosen)) || fallback;
}

/** Takes hesitation and joining words off the front. */
function withoutStart(text: string): string {
  const bare = text.replace(
    /^(?:(?:um+|uh+|er|erm|so|and|but|well|okay|ok|now|then|because|you know)\b[\s,.…]*)+/i,
    '',
  );
  const kept = bare.length >= 8 ? bare : text;
  return kept.charAt(0).toUpperCase() + kept.slice(1);
}

function shorten(text: string): string {
  const clean = text.replace(/[.,;:\s]+$/u, '');
  if (clean.length <= TITLE_CHARS) return clean;
  const clause = /^(.{20,60}?)[,;:—–]\s/u.exec(clean)?.[1];
  if (clause !== undefined) return clause;
  const cut = clean.slice(0, TITLE_CHARS - 1);
  const atWord = cut.lastIndexOf(' ');
  return `${cut.slice(0, atWord > 20 ? atWord : cut.length).replace(/[.,;:\s]+$/u, '')}…`;
}
