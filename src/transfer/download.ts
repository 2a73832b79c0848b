import { setMaxListeners } from 'node:events';
import { access, link, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Connector } from '../client/connector.js';
import { ClipctlError, errorCode, messageOf, usageError } from '../errors.js';
import { syncFolder } from '../write-whole.js';
import { downloadPart, removePartRecord } from './download-file.js';
import type { DownloadEvent } from './events.js';
import { takeLock } from './file-lock.js';
import { markOfThisProcess, type ProcessMark } from './process-mark.js';
import { distinctNames } from './safe-file-name.js';
import type { RetryLimits } from './storage-session.js';

export interface DownloadItem {
  /** http(s). Fetched without the key; its query may be a secret and is never shown. */
  url: string;
  /** Made safe; when two items have the same, the later ones get a number. */
  fileName: string;
}

export interface DownloadFilesDeps {
  connector: Connector;
  signal: AbortSignal;
  onEvent: (event: DownloadEvent) => void;
  now: () => number;
}

export interface DownloadFilesOptions {
  /** Replace files that exist. */
  overwrite: boolean;
  concurrency: number;
  retries: number;
  stallTimeoutMs?: number;
  /** First wait of the back-off; for tests. */
  firstWaitMs?: number;
}

export type DownloadOutcome =
  | { ok: true; path: string; sizeBytes: number }
  | { ok: false; path: string; error: unknown };

const STALL_TIMEOUT_MS = 90_000;

/**
 * Downloads files into a folder, which is made if need be. Each has its own outcome, in the order given. A file gets
 * its name only when it is whole; one that exists is a usage error in its outcome unless `overwrite`.
 */
export async function downloadFiles(
  items: readonly DownloadItem[],
  dir: string,
  deps: DownloadFilesDeps,
  options: DownloadFilesOptions,
): Promise<DownloadOutcome[]> {
  await makeFolder(dir);
  setMaxListeners(0, deps.signal);
  const mark = await markOfThisProcess();
  const names = distinctNames(items.map(({ fileName }) => fileName));
  const outcomes: DownloadOutcome[] = [];
  let started = 0;
  const work = async () => {
    for (let at = started++; at < items.length; at = started++) {
      const item = items[at];
      const name = names[at];
      if (!item || name === undefined) return;
      outcomes[at] = await downloadAsOutcome(item.url, join(dir, name), mark, deps, options);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, items.length) }, work));
  return outcomes;
}

/** Throws when there is a file already under every one of the names, so that there is nothing to download. */
export async function refuseExisting(fileNames: readonly string[], dir: string): Promise<void> {
  const paths = distinctNames(fileNames).map((name) => join(dir, name));
  const found = await Promise.all(paths.map(exists));
  if (paths.length > 0 && found.every(Boolean)) throw existsError(paths);
}

async function downloadAsOutcome(
  url: string,
  path: string,
  mark: ProcessMark,
  deps: DownloadFilesDeps,
  options: DownloadFilesOptions,
): Promise<DownloadOutcome> {
  const emit = (event: Parameters<Parameters<typeof downloadPart>[2]['emit']>[0]) =>
    deps.onEvent({ v: 1, path, ...event });
  try {
    const sizeBytes = await downloadOne(url, path, mark, { ...deps, emit, random: Math.random }, options);
    emit({ type: 'done', totalBytes: sizeBytes });
    return { ok: true, path, sizeBytes };
  } catch (thrown) {
    const error = localError(thrown, path);
    const code = error instanceof ClipctlError ? error.kind : 'internal';
    emit({ type: 'error', code, message: messageOf(error) });
    return { ok: false, path, error };
  }
}

async function downloadOne(
  address: string,
  path: string,
  mark: ProcessMark,
  deps: Parameters<typeof downloadPart>[2],
  options: DownloadFilesOptions,
): Promise<number> {
  deps.signal.throwIfAborted();
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ClipctlError('service', `the download address of ${path} is not an http(s) address`);
  }
  if (!options.overwrite && (await exists(path))) throw existsError([path]);
  const partPath = `${path}.part`;
  const taken = await takeLock(`${partPath}.lock`, mark, deps.now);
  if ('heldBy' in taken) {
    throw new ClipctlError(
      'unfinished',
      `${path} is being downloaded by process ${taken.heldBy?.pid ?? '(unknown)'}`,
      {
        hint: 'wait for it, or download into another folder',
      },
    );
  }
  const limits: RetryLimits = {
    retries: options.retries,
    stallTimeoutMs: options.stallTimeoutMs ?? STALL_TIMEOUT_MS,
    firstWaitMs: options.firstWaitMs,
  };
  try {
    const sizeBytes = await downloadPart(url, partPath, deps, limits);
    await giveName(partPath, path, options.overwrite);
    await removePartRecord(partPath);
    return sizeBytes;
  } finally {
    taken.lock.release();
  }
}

/** Names a whole file. Without `overwrite` a file that came into being meanwhile is not replaced either. */
async function giveName(partPath: string, path: string, overwrite: boolean): Promise<void> {
  if (overwrite) await rename(partPath, path);
  else {
    try {
      await link(partPath, path);
      await rm(partPath);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') throw existsError([path]);
      if (await exists(path)) throw error;
      await rename(partPath, path); // a file system without hard links
    }
  }
  await syncFolder(dirname(path));
}

async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true });
  } catch (error) {
    throw usageError(`${dir} cannot be used as a folder`, {
      reason: messageOf(error),
      hint: 'name another folder to download into',
      cause: error,
    });
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function existsError(paths: readonly string[]): ClipctlError {
  return usageError(`${paths.join(', ')} ${paths.length === 1 ? 'exists' : 'exist'} already`, {
    hint: 'give --overwrite to replace it, or name another folder',
  });
}

/** Faults of the disk are not bugs: they have a fix. */
function localError(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (error instanceof ClipctlError || code === undefined) return error;
  if (!/^(ENOSPC|EDQUOT|EACCES|EPERM|EROFS|EISDIR|ENOTDIR|ENOENT|ENAMETOOLONG|EFBIG|EIO)$/.test(code))
    return error;
  return usageError(`${path} cannot be written`, {
    reason: messageOf(error),
    hint: 'check the folder and the free space of its disk, or name another folder',
    cause: error,
  });
}
