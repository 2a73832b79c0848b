import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Every file below a folder, with what is in it. */
export async function contentsOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Promise.all(paths.map(async (path) => `${path} ${await readFile(path, 'utf8').catch(() => '')}`));
}
