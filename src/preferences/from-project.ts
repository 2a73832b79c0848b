import { findPreferenceProblems } from './files.js';
import { isPlainObject, type JsonObject, memberAt } from './merge.js';

/** Members of a project that are also members of a preference file. */
const SHARED = ['curationPref', 'renderPref', 'importPref', 'brandTemplateId'] as const;

/**
 * The preferences a project was made with, as far as they can be sent again: empty members are left away, and what
 * the document does not let a caller send is dropped and named.
 */
export function preferencesOfProject(project: JsonObject): { preferences: JsonObject; dropped: string[] } {
  let preferences: JsonObject = {};
  for (const name of SHARED) {
    const value = withoutEmpty(project[name]);
    if (value !== undefined) preferences[name] = value;
  }
  // Deprecated, and always sent as false.
  preferences = withoutPath(preferences, ['renderPref', 'enableVisualHook']);
  const dropped: string[] = [];
  for (;;) {
    const problem = firstProblem(preferences);
    if (problem === undefined) return { preferences, dropped };
    const path = upToPresent(preferences, problem.split('.'));
    dropped.push(path.join('.'));
    preferences = withoutPath(preferences, path);
  }
}

/** The path of something that keeps these preferences from being sent; also what contradicts the model. */
function firstProblem(preferences: JsonObject): string | undefined {
  const [problem] = findPreferenceProblems(preferences);
  if (problem) return problem.path;
  const { model, topicKeywords, customPrompt } = isPlainObject(preferences.curationPref)
    ? preferences.curationPref
    : {};
  if (model === 'ClipAnything' && topicKeywords !== undefined) return 'curationPref.topicKeywords';
  if (model !== undefined && model !== 'ClipAnything' && customPrompt !== undefined) {
    return 'curationPref.customPrompt';
  }
  return undefined;
}

/**
 * What to drop for a problem at a path: the whole list for a part of one, which is no use by itself; the parent
 * for a member that is missing.
 */
function upToPresent(preferences: JsonObject, path: readonly string[]): string[] {
  for (let length = 1; length <= path.length; length++) {
    const value = memberAt(preferences, path.slice(0, length).join('.'));
    if (value === undefined) return path.slice(0, Math.max(1, length - 1));
    if (!isPlainObject(value)) return path.slice(0, length);
  }
  return [...path];
}

/** Without nulls and what holds nothing; undefined when nothing is left. */
function withoutEmpty(value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined;
  if (Array.isArray(value)) return value.length > 0 ? value : undefined;
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value)
    .map(([key, member]): [string, unknown] => [key, withoutEmpty(member)])
    .filter(([, member]) => member !== undefined);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function withoutPath(object: JsonObject, [head = '', ...rest]: readonly string[]): JsonObject {
  const { [head]: value, ...others } = object;
  if (rest.length === 0 || !isPlainObject(value)) return rest.length === 0 ? others : object;
  const left = withoutPath(value, rest);
  return Object.keys(left).length > 0 ? { ...object, [head]: left } : others;
}
