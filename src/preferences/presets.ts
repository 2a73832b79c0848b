import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, usageError } from '../errors.js';
import { nearest } from '../nearest.js';
import { parsePreferences } from './files.js';
import type { JsonObject } from './merge.js';

/** Saved preferences: a YAML file a name. */

const EXTENSION = '.yaml';

/** A preset by its name; a text with `/` or `.` in it is a preference file. */
export async function readPreset(
  deps: { presetsDir: string; readText(path: string): Promise<string> },
  nameOrPath: string,
): Promise<JsonObject> {
  if (/[/\\.]/.test(nameOrPath)) return parsePreferences(await deps.readText(nameOrPath), nameOrPath);
  let text: string;
  try {
    text = await readFile(join(deps.presetsDir, nameOrPath + EXTENSION), 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const names = await listPresets(deps.presetsDir);
    const near = nearest(nameOrPath, names);
    throw usageError(`there is no preset ${JSON.stringify(nameOrPath)}`, {
      reason: names.length > 0 ? `saved presets: ${names.join(', ')}` : 'no preset was saved yet',
      hint: near ? `did you mean ${near}?` : 'a file is named with its path, like ./look.yaml',
      cause: error,
    });
  }
  return parsePreferences(text, `preset ${nameOrPath}`);
}

/** The names of the saved presets, sorted. */
export async function listPresets(dir: string): Promise<string[]> {
  const files = await readdir(dir).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return files
    .filter((name) => name.endsWith(EXTENSION) && !name.startsWith('.'))
    .map((name) => name.slice(0, -EXTENSION.length))
    .sort();
}
