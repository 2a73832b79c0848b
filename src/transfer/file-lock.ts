import { linkSync, readFileSync, renameSync, rmSync, statSync, utimes, writeFileSync } from 'node:fs';
import { errorCode } from '../errors.js';
import { TEMPORARY_SUFFIX } from '../write-whole.js';
import { isRunning, type ProcessMark, parseMark } from './process-mark.js';

/** A lock that is held. Ends with `release`, or with the process. */
export interface FileLock {
  /** Whether it is still ours: another process may have taken it for abandoned after a long sleep of this machine. */
  isHeld(): boolean;
  release(): void;
}

/** A holder on another machine shows that it lives by touching its lock this often. */
const HEARTBEAT_MS = 20_000;
/** A lock of a machine that cannot be asked is abandoned when it was not touched for this long. */
const ABANDONED_MS = 120_000;
/** A lock without readable content is being written in place; this long after its making it never will be. */
const HALF_MADE_MS = 10_000;

/**
 * Takes the lock at `path`, or says who holds it. Locks of processes that are gone are taken over.
 * Throws system errors of the folder.
 */
export async function takeLock(
  path: string,
  mark: ProcessMark,
  now: () => number,
): Promise<{ lock: FileLock } | { heldBy: ProcessMark | undefined }> {
  const text = `${JSON.stringify({ ...mark, token: Math.random() })}\n`;
  // Bounded: between a look and a take-over others may come and go, but not for ever.
  for (let round = 0; round < 20; round++) {
    if (createWith(path, text)) return { lock: holdLock(path, text, now) };
    const found = readLock(path);
    if (found === undefined) continue;
    if (!(await isAbandoned(found, now()))) return { heldBy: parseMark(found.text) };
    removeExactly(path, found.text);
  }
  return { heldBy: undefined };
}

/** Whether somebody holds the lock at `path` now. */
export async function isLocked(path: string, nowMs: number): Promise<ProcessMark | 'unknown' | undefined> {
  const found = readLock(path);
  if (found === undefined || (await isAbandoned(found, nowMs))) return undefined;
  return parseMark(found.text) ?? 'unknown';
}

/**
 * Makes the lock with its content in one step: a process killed halfway must not leave an empty one, which nobody can
 * tell from one being written. False when there is a lock already.
 */
function createWith(path: string, text: string): boolean {
  const temporary = temporaryFor(path);
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    linkSync(temporary, path);
    return true;
  } catch (error) {
    return errorCode(error) !== 'EEXIST' && createInPlace(path, text);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** For file systems without hard links; where something else is wrong, this says what. */
function createInPlace(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function temporaryFor(path: string): string {
  return `${path}.${Math.random().toString(36).slice(2)}${TEMPORARY_SUFFIX}`;
}

interface FoundLock {
  text: string;
  touchedMs: number;
}

function readLock(path: string): FoundLock | undefined {
  try {
    return { text: readFileSync(path, 'utf8'), touchedMs: statSync(path).mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function isAbandoned(found: FoundLock, nowMs: number): Promise<boolean> {
  const ageMs = nowMs - found.touchedMs;
  const mark = parseMark(found.text);
  if (mark === undefined) return ageMs > HALF_MADE_MS;
  const running = await isRunning(mark);
  return running === 'no' || (running === 'unknown' && ageMs > ABANDONED_MS);
}

/**
 * Removes the lock only if it still is the one that was looked at: it is moved away first (one mover wins), and put
 * back when it turns out to be a newer one.
 */
function removeExactly(path: string, text: string): void {
  const aside = temporaryFor(path);
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if (readFileSync(aside, 'utf8') !== text) putBack(aside, path);
  rmSync(aside, { force: true });
}

function putBack(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch {
    // A newer lock is there already: its holder and ours find out when they look (isHeld).
  }
}

function holdLock(path: string, text: string, now: () => number): FileLock {
  const heartbeat = setInterval(() => {
    const time = new Date(now());
    utimes(path, time, time, () => {}); // a late touch harms nothing
  }, HEARTBEAT_MS);
  heartbeat.unref();
  const isHeld = () => readLock(path)?.text === text;
  return {
    isHeld,
    release() {
      clearInterval(heartbeat);
      if (isHeld()) rmSync(path, { force: true });
    },
  };
}
