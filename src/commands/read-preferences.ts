import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ProjectPreferences } from '../api/projects.js';
import type { Context } from '../context.js';
import { messageOf, usageError } from '../errors.js';
import type { ResolveDeps } from '../preferences/resolve.js';
import { readStdin } from '../terminal/io.js';

/** Where presets are kept. */
export function presetsDir(context: Pick<Context, 'dirs'>): string {
  return join(context.dirs.config, 'presets');
}

type PreferenceContext = Pick<Context, 'io' | 'settings' | 'dirs'>;

/** What `mergeSources` and `resolvePreferences` need of a command. */
export async function preferenceDeps(context: PreferenceContext): Promise<ResolveDeps> {
  return {
    readText: (path) => readTextFile(path, context.io),
    presetsDir: presetsDir(context),
    defaults: await mergedDefaults(context.settings.defaults()),
    renderSend: context.settings.get('render.send') ?? 'complete',
  };
}

/**
 * The preferences of a command line: config defaults, presets, files and flags, merged and checked. Notes are said
 * on stderr. `lookGiven`: something of the look of the clips was chosen, so nobody needs to be asked.
 */
export async function readPreferences(
  values: Record<string, unknown>,
  context: PreferenceContext & Pick<Context, 'notes'>,
): Promise<{ preferences: ProjectPreferences; lookGiven: boolean }> {
  const { resolvePreferences } = await import('../preferences/resolve.js');
  const { preferences, notes, lookGiven } = await resolvePreferences(values, await preferenceDeps(context));
  for (const note of notes) context.notes.note(note);
  return { preferences, lookGiven };
}

async function mergedDefaults(objects: Record<string, unknown>[]): Promise<unknown> {
  if (objects.length === 0) return undefined;
  const { mergePreferences } = await import('../preferences/merge.js');
  return mergePreferences(objects);
}

/** A named text file, or stdin for `-`. */
export async function readTextFile(path: string, io: Context['io']): Promise<string> {
  if (path === '-') return readStdin(io);
  try {
    return await readFile(resolve(io.cwd, path), 'utf8');
  } catch (error) {
    throw usageError(`cannot read ${path}`, {
      reason: messageOf(error),
      hint: 'check the path',
      cause: error,
    });
  }
}
