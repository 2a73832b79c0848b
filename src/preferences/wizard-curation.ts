import { DOCUMENTED_CLIP_DURATIONS, GENRES } from '../api/preference-values.js';
import { ClipctlError } from '../errors.js';
import type { Prompts } from '../terminal/prompts.js';
import { type JsonObject, memberAt, objectAt } from './merge.js';
import { PARSERS } from './parse-values.js';

/** The questions about which moments become clips. `start` holds what is known already, offered as the answers. */
export async function askCuration(prompts: Prompts, start: JsonObject): Promise<JsonObject> {
  const known = (member: string) => memberAt(start, `curationPref.${member}`);
  const model = await prompts.select<string>({
    message: 'What is in the video?',
    choices: [
      { name: 'People talking', value: 'ClipBasic', description: 'model ClipBasic' },
      { name: 'Anything', value: 'ClipAnything', description: 'model ClipAnything' },
    ],
    default: known('customPrompt') === undefined ? textOr(known('model'), 'ClipBasic') : 'ClipAnything',
  });
  const genre = await prompts.select<string>({
    message: 'Genre',
    choices: GENRES.map((name) => ({ name, value: name })),
    default: textOr(known('genre'), 'Auto'),
  });
  const clipDurations = await askDurations(prompts, known('clipDurations'));
  const subject = await askSubject(prompts, model, known);
  const range = await askRange(prompts, known('range'));
  const sourceLang = await askText(prompts, {
    message: 'Spoken language (a code such as en, or auto)',
    default: textOr(memberAt(start, 'importPref.sourceLang'), 'auto'),
    parse: (text) => PARSERS.language(text, 'the language'),
  });
  const enableAutoHook = await prompts.confirm({
    message: 'A headline over the first seconds of each clip?',
    default: known('enableAutoHook') === true,
  });
  return {
    curationPref: {
      model,
      genre,
      enableAutoHook,
      clipDurations: clipDurations.length > 0 ? clipDurations : null,
      ...subject,
      range,
    },
    ...objectAt('importPref.sourceLang', sourceLang),
  };
}

/** The documented lengths, and those given already. None means: the service's choice. */
async function askDurations(prompts: Prompts, given: unknown): Promise<unknown[]> {
  const chosen = (Array.isArray(given) ? given : []).map(String);
  const documented = DOCUMENTED_CLIP_DURATIONS.map((pair) => pair.join());
  const picked = await prompts.checkbox<string>({
    message: 'Length of the clips (none: as the service likes)',
    choices: [...new Set([...documented, ...chosen])].map((pair) => ({
      name: `${pair.replace(',', ' to ')} seconds`,
      value: pair,
      checked: chosen.includes(pair),
    })),
  });
  return picked.map((pair) => pair.split(',').map(Number));
}

/** Each model has its own way to say what to look for; what belongs to the other one is taken back. */
async function askSubject(
  prompts: Prompts,
  model: string,
  known: (member: string) => unknown,
): Promise<JsonObject> {
  if (model === 'ClipAnything') {
    const prompt = await askOptional(prompts, {
      message: 'What to look for',
      none: 'anything',
      default: textOr(known('customPrompt'), ''),
      parse: (text) => text,
    });
    return { customPrompt: prompt, topicKeywords: null };
  }
  const given = known('topicKeywords');
  const topicKeywords = await askOptional(prompts, {
    message: 'Keywords, with commas between',
    none: 'none',
    default: Array.isArray(given) ? given.join(', ') : '',
    parse: splitWords,
  });
  return { topicKeywords, customPrompt: null };
}

function splitWords(text: string): string[] | null {
  const words = text.split(',').map((word) => word.trim());
  const kept = words.filter((word) => word !== '');
  return kept.length > 0 ? kept : null;
}

/** null is the whole video. */
async function askRange(prompts: Prompts, given: unknown): Promise<unknown> {
  const [from, to] = [memberAt(given, 'startSec'), memberAt(given, 'endSec')];
  return askOptional(prompts, {
    message: 'Only a part of the video, like 1:30-12:00',
    none: 'the whole',
    default: from === undefined || to === undefined ? '' : `${String(from)}-${String(to)}`,
    parse: (text) => PARSERS.range(text.trim(), 'the range'),
  });
}

/**
 * A question that may be left open: null. Where something was given before, Enter keeps it, so "none" needs a key
 * of its own.
 */
async function askOptional<T>(
  prompts: Prompts,
  question: { message: string; none: string; default: string; parse: (text: string) => T },
): Promise<T | null> {
  const { none, parse, ...rest } = question;
  const open = rest.default === '' ? 'empty' : '-';
  return askText(prompts, {
    ...rest,
    message: `${rest.message} (${open}: ${none})`,
    parse: (text) => (['', '-'].includes(text.trim()) ? null : parse(text)),
  });
}

/** Asks until `parse` takes the text; what it throws is said at the prompt. */
export async function askText<T>(
  prompts: Prompts,
  question: { message: string; default: string; parse: (text: string) => T },
): Promise<T> {
  const { parse, ...rest } = question;
  const text = await prompts.input({ ...rest, validate: (typed) => problemOf(() => parse(typed)) });
  return parse(text);
}

function problemOf(parse: () => unknown): true | string {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof ClipctlError) return [error.message, error.details.hint].filter(Boolean).join('; ');
    throw error;
  }
}

export function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}
