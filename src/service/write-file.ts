import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newToken } from './ids.js';

/** Writes a file whole or not at all: temporary file, fsync, rename, fsync of the folder. Mode 0600 unless told. */
export async function writeFileWhole(path: string, data: string | Uint8Array, mode = 0o600): Promise<void> {
  const partPath = `${path}.${newToken().slice(0, 8)}.part`;
  try {
    const handle = await open(partPath, 'wx', mode);
    try {
      await handle.writeFile(data);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partPath, path);
  } catch (error) {
    await rm(partPath, { force: true });
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

/** Makes a rename or a new file durable. Where folders cannot be opened (Windows) there is nothing to do. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return;
  try {
    await handle.sync();
  } catch {
    // some file systems refuse fsync on a folder; the rename itself has happened
  } finally {
    await handle.close();
  }
}
