import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, messageOf, usageError } from '../errors.js';
import { nearest } from '../nearest.js';
import { writeWhole } from '../write-whole.js';
import { parsePreferences } from './files.js';
import type { JsonObject } from './merge.js';
import { toYaml } from './yaml.js';

/** Saved preferences: a YAML file a name, in the interface document's names, so that people can edit them. */

const EXTENSION = '.yaml';
/** What `--preset` takes for a name: with `/` or `.` it is a file. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** File names Windows keeps for devices, with any extension. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

export function isPresetName(text: string): boolean {
  return NAME.test(text) && !DEVICES.test(text);
}

export function checkPresetName(name: string): string {
  if (isPresetName(name)) return name;
  throw usageError(`${JSON.stringify(name)} is no name for a preset`, {
    hint: 'use letters, digits, - and _, at most 64, and begin with a letter or digit',
  });
}

export function presetPath(dir: string, name: string): string {
  return join(dir, checkPresetName(name) + EXTENSION);
}

/** A preset by its name; a text with `/` or `.` in it is a preference file. */
export async function readPreset(
  deps: { presetsDir: string; readText(path: string): Promise<string> },
  nameOrPath: string,
): Promise<JsonObject> {
  if (/[/\\.]/.test(nameOrPath)) return parsePreferences(await deps.readText(nameOrPath), nameOrPath);
  return parsePreferences(await readPresetText(deps.presetsDir, nameOrPath), `preset ${nameOrPath}`);
}

/** The file of a preset as it is. Throws a usage error with the nearest name when there is none. */
export async function readPresetText(dir: string, name: string): Promise<string> {
  if (!isPresetName(name)) throw await unknownPreset(dir, name);
  try {
    return await readFile(presetPath(dir, name), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw await unknownPreset(dir, name, error);
    throw usageError(`cannot read preset ${name}`, { reason: messageOf(error), cause: error });
  }
}

async function unknownPreset(dir: string, name: string, cause?: unknown) {
  const names = await listPresets(dir);
  const near = nearest(name, names);
  return usageError(`there is no preset ${JSON.stringify(name)}`, {
    reason: names.length > 0 ? `saved presets: ${names.join(', ')}` : 'no preset was saved yet',
    hint: near ? `did you mean ${near}?` : 'a file is named with its path, like ./look.yaml',
    cause,
  });
}

/** The names of the saved presets, sorted. */
export async function listPresets(dir: string): Promise<string[]> {
  const files = await readdir(dir).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return files
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
    .filter(isPresetName)
    .sort();
}

/** Keeps preferences under a name, written whole. Returns the path. */
export async function savePreset(
  dir: string,
  name: string,
  preferences: JsonObject,
  options: { overwrite: boolean },
): Promise<string> {
  const path = presetPath(dir, name);
  if (!options.overwrite && (await isThere(path))) {
    throw usageError(`there is a preset ${name} already`, { hint: 'replace it with --overwrite' });
  }
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeWhole(path, toYaml(preferences));
  } catch (error) {
    throw usageError(`cannot write ${path}`, { reason: messageOf(error), cause: error });
  }
  return path;
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Throws a usage error with the nearest name when there is none. */
export async function deletePreset(dir: string, name: string): Promise<void> {
  await readPresetText(dir, name);
  await rm(presetPath(dir, name));
}
