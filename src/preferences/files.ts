import { findProblems, keysAt, type Problem } from '../api/describe-issue.js';
import { RETURNED_ONLY_RENDER } from '../api/preferences.js';
import { ProjectPreferences } from '../api/projects.js';
import { messageOf, usageError } from '../errors.js';
import { DEFAULT_RENDER } from './defaults.js';
import { isPlainObject, type JsonObject, memberAt, mergePreferences, objectAt } from './merge.js';
import { findGenre } from './parse-values.js';
import { findTextProblems } from './text-checks.js';
import { parseYaml } from './yaml.js';

/**
 * The preferences in a YAML or JSON text: the creation body without `videoUrl`, in the document's names.
 * Throws one usage error that names everything that is wrong, each with its path. `name` is for that error.
 */
export function parsePreferences(text: string, name: string): JsonObject {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    throw usageError(`${name} is neither YAML nor JSON`, { reason: messageOf(error), cause: error });
  }
  if (value === null || value === undefined) throw usageError(`${name} is empty`);
  return checkPreferences(value, name);
}

/** Checks an object as a preference file; also for `config set defaults.…` and what a project returned. */
export function checkPreferences(given: unknown, name: string): JsonObject {
  if (!isPlainObject(given)) throw usageError(`${name} must hold members like curationPref and renderPref`);
  const value = withGenre(given);
  const { videoUrl, importPreference, ...known } = value;
  const problems = [
    ...knownMistakes(value),
    ...findPreferenceProblems(known).map(
      ({ path, message }) => `${path}: ${message}${whereElse(path, message)}`,
    ),
  ];
  if (problems.length === 0) return value;
  throw usageError(`${name} has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}`, {
    reason: problems.join('\n'),
    hint: 'clipctl help preferences shows the members',
  });
}

/** The genre in any case and spelling that its flag takes, as the document writes it. */
function withGenre(preferences: JsonObject): JsonObject {
  const genre = memberAt(preferences, 'curationPref.genre');
  const known = typeof genre === 'string' ? findGenre(genre) : undefined;
  if (known === undefined) return preferences;
  return mergePreferences([preferences, objectAt('curationPref.genre', known)]);
}

function knownMistakes(value: JsonObject): string[] {
  const mistakes: string[] = [];
  if ('videoUrl' in value)
    mistakes.push('videoUrl: does not belong here; the video is named on the command line');
  if ('importPreference' in value) mistakes.push('importPreference: unknown; did you mean importPref?');
  return mistakes;
}

/** Where an unknown member at the top belongs: `genre` into `curationPref`. */
function whereElse(path: string, message: string): string {
  if (message !== 'unknown' || path.includes('.')) return '';
  const section = ['curationPref', 'renderPref', 'importPref'].find((name) =>
    keysAt(ProjectPreferences, [name]).includes(path),
  );
  return section ? `; it belongs in ${section}` : '';
}

/** What may not be sent like that. Fonts and highlight colours may be given in part: the rest comes from the defaults. */
export function findPreferenceProblems(value: JsonObject): Problem[] {
  const render = isPlainObject(value.renderPref) ? value.renderPref : undefined;
  const parts = render && {
    ...(isPlainObject(render.font) ? { font: mergePreferences([DEFAULT_RENDER.font, render.font]) } : {}),
    ...(isPlainObject(render.highlightColor)
      ? { highlightColor: mergePreferences([DEFAULT_RENDER.highlightColor, render.highlightColor]) }
      : {}),
  };
  const whole = render ? { ...value, renderPref: { ...render, ...parts } } : value;
  return [...findProblems(ProjectPreferences, whole), ...findTextProblems(value)];
}

/** The members of a renderPref that the document shows only in answers; they are passed on, with a note. */
export function returnedOnlyMembers(preferences: JsonObject): string[] {
  const render = memberAt(preferences, 'renderPref');
  return isPlainObject(render) ? Object.keys(render).filter((key) => RETURNED_ONLY_RENDER.includes(key)) : [];
}
