import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Files being written; left behind only by a crash. */
export const TEMPORARY_SUFFIX = '.tmp';

/**
 * Writes a file so that a reader, or the machine after a power cut, finds the old content or the new, never a part:
 * temporary file, fsync, rename, fsync of the folder. Mode 0600.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${randomBytes(4).toString('hex')}${TEMPORARY_SUFFIX}`,
  );
  const handle = await open(temporary, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Makes a file's bytes durable before a row speaks of it. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes names in a folder durable. Where the system cannot do that for a folder, it is not needed. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  try {
    await handle?.sync();
  } catch {
    // Some file systems refuse to sync a folder; the rename itself was atomic.
  } finally {
    await handle?.close();
  }
}
