import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClipctlError, errorCode, messageOf } from '../errors.js';
import { writeWhole } from '../write-whole.js';
import { newToken } from './ids.js';

/** Where everything lies in the data directory. Rows hold names relative to these folders, so it can be moved. */
export interface DataPaths {
  root: string;
  store: string;
  lock: string;
  apiKey: string;
  signingKey: string;
  accounts: string;
  uploads: string;
  imports: string;
  work: string;
  clips: string;
  outbox: string;
  /** Where a user lays subtitles for the videos. */
  subtitles: string;
}

export function dataPaths(root: string): DataPaths {
  return {
    root,
    store: join(root, 'store.db'),
    lock: join(root, 'lock.db'),
    apiKey: join(root, 'api-key'),
    signingKey: join(root, 'signing-key'),
    accounts: join(root, 'accounts.json'),
    uploads: join(root, 'uploads'),
    imports: join(root, 'imports'),
    work: join(root, 'work'),
    clips: join(root, 'clips'),
    outbox: join(root, 'outbox'),
    subtitles: join(root, 'subtitles'),
  };
}

/** Makes the data directory (0700) and its folders. Throws `usage` when it cannot be written. */
export async function makeDataDir(root: string): Promise<DataPaths> {
  const paths = dataPaths(root);
  try {
    for (const folder of [
      root,
      paths.uploads,
      paths.imports,
      paths.work,
      paths.clips,
      paths.outbox,
      paths.subtitles,
    ]) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    }
  } catch (error) {
    throw new ClipctlError('usage', `the data directory cannot be used: ${root}`, {
      reason: messageOf(error),
      hint: 'choose another with --data-dir',
      cause: error,
    });
  }
  return paths;
}

/**
 * The API key: the one given, else the one kept in the data directory, made once (0600). A given one is kept there
 * too, because that is where the commands of this machine look for it.
 */
export async function readApiKey(paths: DataPaths, given?: string): Promise<string> {
  if (given !== undefined) {
    await writeWhole(paths.apiKey, `${given}\n`);
    return given;
  }
  return await readOrMake(paths.apiKey, () => `local_${randomBytes(24).toString('base64url')}`);
}

/** The key that signs media addresses. It stays in the data directory, so addresses survive a restart. */
export async function readSigningKey(paths: DataPaths): Promise<string> {
  return readOrMake(paths.signingKey, newToken);
}

async function readOrMake(path: string, make: () => string): Promise<string> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    if (text) return text;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  const made = make();
  await writeWhole(path, `${made}\n`);
  return made;
}
