import { closeSync, fsync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Files being written; left behind only by a crash. */
export const TEMPORARY_SUFFIX = '.tmp';

export interface WriteWholeOptions {
  /** Makes the new name durable; give one made by createFolderSync when many files of a folder are written at once. */
  syncFolder?: () => Promise<void>;
  /** False: whole for every reader too, but a power cut may bring the old content back. */
  durable?: boolean;
}

/**
 * Writes a small file so that a reader, or the machine after a power cut, finds the old content or the new, never a
 * part: temporary file, fsync, rename, fsync of the folder. Mode 0600.
 *
 * Only the syncs are asynchronous: for a few hundred bytes the other calls are cheaper than handing them to a thread,
 * which counts when a thousand small files are uploaded.
 */
export async function writeWhole(path: string, text: string, options: WriteWholeOptions = {}): Promise<void> {
  const { durable = true, syncFolder = createFolderSync(dirname(path)) } = options;
  const unique = Math.random().toString(36).slice(2);
  const temporary = join(dirname(path), `.${basename(path)}.${unique}${TEMPORARY_SUFFIX}`);
  const fd = openSync(temporary, 'wx', 0o600);
  try {
    try {
      writeFileSync(fd, text);
      if (durable) await promisify(fsync)(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (durable) await syncFolder();
}

/**
 * Makes names in a folder durable; calls that come while one is under way share the next. Where the system cannot do
 * that for a folder, it is not needed.
 */
export function createFolderSync(folder: string): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  return function sync(): Promise<void> {
    if (running) {
      next ??= running.then(() => {
        next = undefined;
        return sync();
      });
      return next;
    }
    running = syncOnce(folder).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function syncOnce(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  try {
    await handle?.sync();
  } catch {
    // Some file systems refuse to sync a folder; the rename itself was atomic.
  } finally {
    await handle?.close();
  }
}
