import type { Moment } from '../media/media-types.js';
import { rarity, termsOf } from '../media/text-terms.js';

/** What a post of a clip may say. */
export interface SocialCopy {
  title: string;
  description: string;
  hashtags: string[];
  /** Title, description and hashtags in one, as it would be posted. */
  text: string;
  /** How it was made. */
  madeBy: string;
  notes: string[];
}

export interface CopyInput {
  moment: Pick<Moment, 'title' | 'text'>;
  /** Texts of all clips of the project: what is common to all of them says little of this one. */
  projectTexts: readonly string[];
  platform: string;
  prompt: string;
}

export const MADE_BY_STATISTICS = 'word statistics, without a language model';

/** How long a post and how many hashtags suit a platform. Matched by the beginning of the platform's name. */
const PLATFORM_LIMITS = [
  { platform: 'TWITTER', maxChars: 280, hashtags: 2 },
  { platform: 'X', maxChars: 280, hashtags: 2 },
  { platform: 'TIKTOK', maxChars: 2200, hashtags: 5 },
  { platform: 'INSTAGRAM', maxChars: 2200, hashtags: 8 },
  { platform: 'YOUTUBE', maxChars: 5000, hashtags: 3 },
  { platform: 'LINKEDIN', maxChars: 3000, hashtags: 3 },
  { platform: 'FACEBOOK', maxChars: 5000, hashtags: 3 },
] as const;
const OTHER_LIMITS = { maxChars: 2200, hashtags: 4 } as const;
const MAX_TITLE_CHARS = 100;

/**
 * A title, a sentence and hashtags out of what is said in the clip. Pure. Of the prompt only what can be followed
 * without understanding it is followed (hashtags and length); the rest is said in `notes`.
 */
export function writeSocialCopy({ moment, projectTexts, platform, prompt }: CopyInput): SocialCopy {
  const limits =
    PLATFORM_LIMITS.find((row) => platform.toUpperCase().startsWith(row.platform)) ?? OTHER_LIMITS;
  const wishes = readPrompt(prompt, limits.hashtags);
  const title = shorten(moment.title, MAX_TITLE_CHARS);
  const hashtags = pickHashtags(moment.text, projectTexts, wishes.hashtags);
  const tags = hashtags.join(' ');
  const room = limits.maxChars - title.length - tags.length - 4;
  const sentences = sentencesOf(moment.text).filter((sentence) => !isSame(sentence, title));
  const description = shorten(sentences.slice(0, wishes.sentences).join(' '), Math.max(0, room));
  return {
    title,
    description,
    hashtags,
    text: [title, description, tags].filter((part) => part !== '').join('\n\n'),
    madeBy: MADE_BY_STATISTICS,
    notes: wishes.notes,
  };
}

function readPrompt(
  prompt: string,
  hashtags: number,
): { hashtags: number; sentences: number; notes: string[] } {
  if (prompt.trim() === '') return { hashtags, sentences: 1, notes: [] };
  const asked = /(\d{1,2})\s+hash-?tags?/i.exec(prompt)?.[1];
  const none = /\b(no|without)\s+(any\s+)?hash-?tags?/i.test(prompt);
  const isLong = /\b(long|longer|detailed)\b/i.test(prompt);
  const isShort = /\b(short|shorter|brief)\b/i.test(prompt);
  return {
    hashtags: none ? 0 : asked === undefined ? hashtags : Number(asked),
    sentences: isShort ? 0 : isLong ? 3 : 1,
    notes: [
      'of the prompt only the number of hashtags and the length are followed: there is no language model here',
    ],
  };
}

/** The terms this clip has and the others have not, as they are spoken. */
function pickHashtags(text: string, projectTexts: readonly string[], count: number): string[] {
  const weights = rarity(projectTexts.length > 0 ? projectTexts.map(termsOf) : [termsOf(text)]);
  const found = new Map<string, { spoken: string; score: number }>();
  for (const word of text.match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu) ?? []) {
    const [term] = termsOf(word);
    if (term === undefined || /^\p{N}+$/u.test(term) || term.length < 4) continue;
    const entry = found.get(term) ?? { spoken: word.toLowerCase(), score: 0 };
    entry.score += weights.get(term) ?? 1;
    found.set(term, entry);
  }
  return [...found.values()]
    .sort((a, b) => b.score - a.score || a.spoken.localeCompare(b.spoken))
    .slice(0, count)
    .map(({ spoken }) => `#${spoken.replace(/[^\p{L}\p{N}]/gu, '')}`);
}

function sentencesOf(text: string): string[] {
  return (text.match(/[^.!?…]+[.!?…]*["”’)]*/gu) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function isSame(a: string, b: string): boolean {
  const bare = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return bare(a) === bare(b);
}

/** Cut at a word's end, with an ellipsis; counted in characters as people see them. */
function shorten(text: string, maxChars: number): string {
  const chars = [...text];
  if (chars.length <= maxChars) return text;
  const cut = chars.slice(0, Math.max(0, maxChars - 1)).join('');
  return `${cut.replace(/\s+\S*$/u, '')}…`;
}
