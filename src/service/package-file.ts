import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of a file of this package, from the sources and from the bundle; undefined when it is missing. */
export function packageFile(...names: string[]): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let depth = 0; depth < 6; depth += 1) {
    const path = join(folder, ...names);
    if (existsSync(path)) return path;
    folder = dirname(folder);
  }
  return undefined;
}
