import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { extname, isAbsolute, join } from 'node:path';
import { usageError } from '../errors.js';

/** What counts as a video when a folder is taken as a whole. A file named by itself may be called anything. */
export const VIDEO_EXTENSIONS = [
  '.mp4',
  '.m4v',
  '.mov',
  '.mkv',
  '.webm',
  '.avi',
  '.mpg',
  '.mpeg',
  '.ts',
  '.mts',
  '.m2ts',
  '.wmv',
  '.flv',
  '.3gp',
  '.ogv',
  '.mxf',
] as const;

/**
 * The files that were meant, in the order given, folders sorted by name. A folder stands for the videos in it and
 * below when `recursive`; `* ? [ {` are expanded here when no file is called so (shells without globs, quoted names).
 * Throws usage errors; whether the files can be read is checked by checkLocalFile.
 */
export async function expandInputs(
  inputs: readonly string[],
  options: { recursive: boolean },
): Promise<string[]> {
  const paths: string[] = [];
  for (const input of inputs) paths.push(...(await expandOne(input, options.recursive)));
  return paths;
}

async function expandOne(input: string, recursive: boolean): Promise<string[]> {
  const stats = statOf(input);
  if (stats?.isDirectory() && recursive) return videosIn(input);
  if (!stats && /^https?:\/\//i.test(input)) {
    throw usageError(`${input} is an address, not a file`, { hint: `use clipctl project create '${input}'` });
  }
  if (stats || !/[*?[{]/.test(input)) return [input];
  const { glob } = await import('tinyglobby');
  const matches = await glob(input, {
    onlyFiles: true,
    expandDirectories: false,
    absolute: isAbsolute(input),
  });
  if (matches.length === 0) {
    throw usageError(`nothing matches ${input}`, { hint: 'check the pattern and the folder' });
  }
  return matches.sort(byName);
}

async function videosIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const videos = entries
    .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && isVideoName(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort(byName);
  if (videos.length === 0) {
    throw usageError(`${folder} has no videos in it`, {
      reason: `looked for ${VIDEO_EXTENSIONS.join(' ')}`,
      hint: 'name files with other extensions one by one',
    });
  }
  return videos;
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // checkLocalFile says what is wrong with it
  }
}

function isVideoName(name: string): boolean {
  const extension = extname(name).toLowerCase();
  return !name.startsWith('.') && VIDEO_EXTENSIONS.some((known) => known === extension);
}

function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
