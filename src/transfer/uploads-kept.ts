import type { Connector } from '../client/connector.js';
import { ClipctlError, usageError } from '../errors.js';
import { entriesNamed, type ListedUpload, listEntries, removeEntry } from './journal.js';
import { isFinished, type JournalEntry } from './journal-entry.js';
import { cancelSession } from './storage-session.js';

/** An unfinished upload for people and commands: everything of its record but the secret location. */
export type KeptUpload = Omit<JournalEntry, 'location' | 'version'> & { isActive: boolean; pid?: number };

/**
 * All unfinished uploads of this machine (not those that are only kept for a command to be repeated), oldest first, and
 * files of records that cannot be read.
 */
export async function listUploads(
  stateDir: string,
  nowMs: number,
): Promise<{ uploads: KeptUpload[]; damaged: string[] }> {
  const { uploads, damaged } = await listEntries(stateDir, nowMs);
  return { uploads: uploads.filter(({ entry }) => !isFinished(entry)).map(withoutSecret), damaged };
}

/** Those that an upload id or a path means. Throws a usage error when there is none. */
export async function findUploads(stateDir: string, idOrPath: string, nowMs: number): Promise<KeptUpload[]> {
  return (await named(stateDir, idOrPath, nowMs)).map(withoutSecret);
}

/**
 * Forgets an unfinished upload and tells the storage that its bytes are not needed. A finished file stays at the
 * service. Returns what was forgotten and whether the storage confirmed. Throws `unfinished` when a process works on it.
 */
export async function forgetUpload(
  stateDir: string,
  idOrPath: string,
  deps: { connector: Connector; nowMs: number; signal?: AbortSignal },
): Promise<{ upload: KeptUpload; isCancelled: boolean }[]> {
  const forgotten: { upload: KeptUpload; isCancelled: boolean }[] = [];
  for (const found of await named(stateDir, idOrPath, deps.nowMs)) {
    const { entry } = found;
    if (found.isActive) throw activeError(found);
    const isCancelled =
      entry.stage === 'started' &&
      (await cancelSession(new URL(entry.location), deps.connector, deps.signal));
    await removeEntry(stateDir, entry);
    forgotten.push({ upload: withoutSecret(found), isCancelled });
  }
  return forgotten;
}

/** Removes the record of an upload whose project was created by another way: nothing of it is left to do. */
export async function settleUpload(stateDir: string, uploadId: string, nowMs: number): Promise<void> {
  for (const { entry, isActive } of await entriesNamed(stateDir, uploadId, nowMs)) {
    if (!isActive && entry.uploadId === uploadId && entry.stage !== 'started')
      await removeEntry(stateDir, entry);
  }
}

async function named(stateDir: string, idOrPath: string, nowMs: number): Promise<ListedUpload[]> {
  const found = await entriesNamed(stateDir, idOrPath, nowMs);
  if (found.length > 0) return found;
  throw usageError(`no unfinished upload is called ${idOrPath}`, {
    hint: 'clipctl uploads list shows them, with their ids and paths',
  });
}

function withoutSecret({ entry, isActive, pid }: ListedUpload): KeptUpload {
  const { location: _location, version: _version, ...rest } = entry;
  return { ...rest, isActive, ...(pid === undefined ? {} : { pid }) };
}

function activeError({ entry, pid }: ListedUpload): ClipctlError {
  return new ClipctlError(
    'unfinished',
    `${entry.file.realPath} is being uploaded by ${pid === undefined ? 'another process' : `process ${pid}`}`,
    {
      hint: 'stop it first',
    },
  );
}
