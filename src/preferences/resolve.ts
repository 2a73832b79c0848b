import { usageError } from '../errors.js';
import { type BuiltPreferences, buildPreferences } from './build.js';
import { checkPreferences, parsePreferences } from './files.js';
import { applyNotifyFailure, readPreferenceFlags } from './flags.js';
import { isPlainObject, type JsonObject, mergePreferences, withoutNulls } from './merge.js';
import { readPreset } from './presets.js';

export interface ResolveDeps {
  /** Reads a text file, or stdin for `-`. Throws usage errors. */
  readText(path: string): Promise<string>;
  presetsDir: string;
  /** Config `defaults.*`, or undefined. */
  defaults: unknown;
  renderSend: 'complete' | 'partial';
  /**
   * What a person chose when asked (wizard.ts): a preset counts like `--preset`, answers win over flags, and a null
   * among them takes back what another source said.
   */
  chosen?: { preset?: string; answers?: JsonObject };
}

/**
 * Preferences of a command line: config defaults < presets < preference files < flags, merged, checked and ready
 * to send. `values` is what commander gives. Throws usage errors; nothing has been sent then.
 */
export async function resolvePreferences(values: JsonObject, deps: ResolveDeps): Promise<BuiltPreferences> {
  return buildPreferences(await mergeSources(values, deps), deps.renderSend);
}

/** The same before it is checked as a whole and completed: what a preset keeps. */
export async function mergeSources(
  values: JsonObject,
  deps: Omit<ResolveDeps, 'renderSend'>,
): Promise<JsonObject> {
  const { preset, answers } = deps.chosen ?? {};
  const presets = [...listOf(values.preset), ...(preset === undefined ? [] : [preset])];
  const files = listOf(values.prefs);
  if ([...files, values.promptFile].filter((path) => path === '-').length > 1) {
    throw usageError('stdin (-) can be read only once', { hint: 'name a file for the others' });
  }
  const flags = readPreferenceFlags(values);
  const sources: JsonObject[] = [];
  if (isPlainObject(deps.defaults)) sources.push(checkPreferences(deps.defaults, 'defaults of the config'));
  for (const name of presets) sources.push(await readPreset(deps, name));
  for (const path of files) {
    sources.push(parsePreferences(await deps.readText(path), path === '-' ? 'stdin' : path));
  }
  const given = mergePreferences([...sources, flags, await promptFromFile(values, deps)]);
  return applyNotifyFailure(answers ? withoutNulls(mergePreferences([given, answers])) : given, values);
}

async function promptFromFile(
  { prompt, promptFile }: JsonObject,
  deps: Pick<ResolveDeps, 'readText'>,
): Promise<JsonObject> {
  if (promptFile === undefined) return {};
  if (prompt !== undefined)
    throw usageError('--prompt and --prompt-file exclude each other', { hint: 'give only one of them' });
  const text = (await deps.readText(String(promptFile))).trim();
  if (text === '') throw usageError(`the prompt in ${String(promptFile)} is empty`);
  return { curationPref: { customPrompt: text } };
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
