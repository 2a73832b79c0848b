import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Project } from '../api/projects.js';
import { ClipctlError, messageOf } from '../errors.js';
import { namesIn } from '../names-in.js';
import { TEMPORARY_SUFFIX } from '../write-whole.js';
import { createBatchWriter } from './batch-writer.js';
import { type FileLock, isLocked, takeLock } from './file-lock.js';
import { isFinished, type JournalEntry, parseEntry, printEntry, printProject } from './journal-entry.js';
import { markOfThisProcess } from './process-mark.js';

/*
 * The journal of unfinished uploads: one file an upload in {stateDir}/uploads, named by account and real path, so
 * that the same command finds it again and a changed file is seen to be changed. One process at a time owns an entry.
 */

/** The right to upload one file: its entry is ours until `release`. */
export interface Claim {
  /** What an earlier run left, as it is on disk now. */
  readonly entry: JournalEntry | undefined;
  /** Whether what is saved outlives this process. */
  readonly isKept: boolean;
  /** Writes the entry, so that it outlives a power cut. */
  save(entry: JournalEntry): Promise<void>;
  /** Adds the project to the saved entry. It outlives the process; after a power cut the entry may be as before. */
  addProject(project: Project): Promise<void>;
  remove(): Promise<void>;
  /** Throws `unfinished` when another process has taken the upload over. */
  assertOwned(): void;
  release(): Promise<void>;
}

export interface JournalDeps {
  stateDir: string;
  accountKey: string;
  now: () => number;
  /** A line for people on stderr. */
  warn: (text: string) => void;
}

export interface Journal {
  /** Takes the upload of a file for this process. Throws `unfinished`, naming the pid, when another one has it. */
  claim(realPath: string): Promise<Claim>;
}

/** Opens the journal. Where it cannot be written, uploads go on without it and `warn` says so once. */
export async function openJournal(deps: JournalDeps): Promise<Journal> {
  const folder = folderOf(deps.stateDir);
  const mark = await markOfThisProcess();
  const write = createBatchWriter(folder);
  let usable = true;
  const giveUp = (error: unknown) => {
    if (usable) deps.warn(`uploads cannot be resumed: ${folder} cannot be written (${messageOf(error)})`);
    usable = false;
  };
  await mkdir(folder, { recursive: true, mode: 0o700 })
    .then(() => removeOld(folder, deps.now()))
    .catch(giveUp);
  return {
    async claim(realPath) {
      if (!usable) return claimWithoutJournal();
      const file = join(folder, `${entryName(deps.accountKey, realPath)}.json`);
      try {
        const taken = await takeLock(lockOf(file), mark, deps.now);
        if ('heldBy' in taken) throw heldError(realPath, taken.heldBy?.pid);
        return claimOf(file, taken.lock, { warn: deps.warn, now: deps.now, giveUp, realPath, write });
      } catch (error) {
        if (error instanceof ClipctlError) throw error;
        giveUp(error);
        return claimWithoutJournal();
      }
    },
  };
}

interface ClaimContext {
  warn: (text: string) => void;
  now: () => number;
  giveUp: (error: unknown) => void;
  realPath: string;
  write: (path: string, text: string) => Promise<void>;
}

function claimOf(file: string, lock: FileLock, context: ClaimContext): Claim {
  let entry: JournalEntry | undefined;
  try {
    entry = readEntry(file, context);
  } catch (error) {
    lock.release();
    throw error;
  }
  let kept = true;
  // One write after the other: a late one of the loop's must not undo what came after it.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void> | void) => {
    last = last.then(work).catch((error) => {
      kept = false;
      context.giveUp(error);
    });
    return last;
  };
  return {
    get entry() {
      return entry;
    },
    get isKept() {
      return kept;
    },
    save(next) {
      entry = next;
      return inTurn(() => context.write(file, printEntry(next)));
    },
    addProject: (project) => inTurn(() => appendFileSync(file, printProject(project))),
    remove() {
      entry = undefined;
      return inTurn(() => rmSync(file, { force: true }));
    },
    assertOwned() {
      if (!lock.isHeld()) throw heldError(context.realPath, undefined);
    },
    release: () => inTurn(() => lock.release()),
  };
}

function claimWithoutJournal(): Claim {
  return {
    entry: undefined,
    isKept: false,
    save: async () => {},
    addProject: async () => {},
    remove: async () => {},
    assertOwned: () => {},
    release: async () => {},
  };
}

/** The entry of a file, or undefined. What cannot be read is set aside and said, never overwritten. */
function readEntry(file: string, context: Pick<ClaimContext, 'warn' | 'now'>): JournalEntry | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  const entry = parseEntry(text);
  if (entry) return entry;
  const aside = `${file}.damaged-${new Date(context.now()).toISOString().replaceAll(':', '')}`;
  renameSync(file, aside);
  context.warn(
    `the record of an unfinished upload cannot be read; it was set aside as ${aside} and the upload starts afresh`,
  );
  return undefined;
}

function heldError(path: string, pid: number | undefined): ClipctlError {
  return new ClipctlError('unfinished', `${path} is being uploaded by another process`, {
    reason:
      pid === undefined ? 'it holds the lock of this upload' : `process ${pid} holds the lock of this upload`,
    hint: 'wait for it, or stop it and run this again: it goes on where that one was',
  });
}

/** An unfinished upload as it is on disk. */
export interface ListedUpload {
  entry: JournalEntry;
  /** The process that works on it now. */
  pid?: number;
  isActive: boolean;
}

/** All unfinished uploads, oldest first, and the names of records that cannot be read. */
export async function listEntries(
  stateDir: string,
  nowMs: number,
): Promise<{ uploads: ListedUpload[]; damaged: string[] }> {
  const folder = folderOf(stateDir);
  const uploads: ListedUpload[] = [];
  const damaged: string[] = [];
  for (const name of await namesIn(folder)) {
    if (name.includes('.json.damaged-')) damaged.push(join(folder, name));
    if (!name.endsWith('.json')) continue;
    const file = join(folder, name);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const entry = parseEntry(text);
    if (!entry) {
      damaged.push(file);
      continue;
    }
    const holder = await isLocked(lockOf(file), nowMs);
    uploads.push({
      entry,
      isActive: holder !== undefined,
      ...(typeof holder === 'object' ? { pid: holder.pid } : {}),
    });
  }
  uploads.sort((a, b) => (a.entry.createdAt < b.entry.createdAt ? -1 : 1));
  return { uploads, damaged };
}

/** The entries that an upload id, a path or a damaged record's file name means; several accounts may share a path. */
export async function entriesNamed(
  stateDir: string,
  idOrPath: string,
  nowMs: number,
): Promise<ListedUpload[]> {
  const { uploads } = await listEntries(stateDir, nowMs);
  const path = resolve(idOrPath);
  return uploads.filter(({ entry }) => entry.uploadId === idOrPath || entry.file.realPath === path);
}

/**
 * Removes the records of uploads that are finished, once the command they were of is: until then they keep the same
 * command from uploading these files a second time.
 */
export function removeFinished(stateDir: string, accountKey: string, realPaths: readonly string[]): void {
  for (const realPath of realPaths) {
    const file = join(folderOf(stateDir), `${entryName(accountKey, realPath)}.json`);
    try {
      const entry = parseEntry(readFileSync(file, 'utf8'));
      if (entry && isFinished(entry)) rmSync(file, { force: true });
    } catch {
      // Without a journal there is nothing to remove.
    }
  }
}

/** Removes the record of an upload. */
export async function removeEntry(stateDir: string, entry: JournalEntry): Promise<void> {
  const name = entryName(entry.accountKey, entry.file.realPath);
  await rm(join(folderOf(stateDir), `${name}.json`), { force: true });
}

const DAY_MS = 86_400_000;
/** A session of the storage lives about a week; after two its record only names bytes that are gone. */
const SESSION_DAYS = 14;
/** A finished file of a command that did not finish; it answers the repeated command for this long. */
const FINISHED_DAYS = 30;

/**
 * Removes what cannot be of use: left-over temporary files, and records of sessions that have long expired.
 * `uploaded` and `creating` stay: the first still saves an upload, the second keeps a second project from being made.
 */
async function removeOld(folder: string, nowMs: number): Promise<void> {
  for (const name of await namesIn(folder)) {
    const file = join(folder, name);
    const days = await stat(file).then(
      (stats) => (nowMs - stats.mtimeMs) / DAY_MS,
      () => 0,
    );
    if (name.endsWith(TEMPORARY_SUFFIX) && days > 1) await rm(file, { force: true });
    if (!name.endsWith('.json') || days <= SESSION_DAYS) continue;
    if ((await isLocked(lockOf(file), nowMs)) !== undefined) continue;
    const entry = parseEntry(await readFile(file, 'utf8').catch(() => ''));
    if (!entry) continue;
    if (entry.stage === 'started' || (isFinished(entry) && days > FINISHED_DAYS))
      await rm(file, { force: true });
  }
}

function folderOf(stateDir: string): string {
  return join(stateDir, 'uploads');
}

/** Where the journal keeps the upload of a file. */
export function entryName(accountKey: string, realPath: string): string {
  return createHash('sha256').update(`${accountKey}\0${realPath}`).digest('hex').slice(0, 32);
}

function lockOf(file: string): string {
  return file.replace(/\.json$/, '.lock');
}
