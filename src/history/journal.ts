import { constants } from 'node:fs';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, messageOf, usageError } from '../errors.js';

/**
 * The journal of what this machine created: `history.jsonl`, a JSON line each. The service offers no lists, so this
 * is where ids are found again. Lines are only ever added, each with one write to a file opened with O_APPEND, so
 * that several processes can add at once. No secrets: no keys, no addresses of uploads, downloads and exports.
 */
export const HISTORY_KINDS = ['upload', 'project', 'collection', 'censor', 'schedule', 'copy'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

export interface HistoryEntry {
  /** When it was written down, ISO 8601 in UTC. */
  time: string;
  kind: HistoryKind;
  /** The id of what was made: of the project, collection, job or schedule; of the upload for `upload`. */
  id: string;
  /** `cancelled` follows a `created` line of the same id. */
  event: 'created' | 'cancelled';
  /** Where it was made: a base address, or `local`. */
  baseUrl: string;
  profile?: string;
  uploadId?: string;
  projectId?: string;
  clipId?: string;
  title?: string;
  /** Name of the uploaded file, without its folder. */
  file?: string;
  /** Address of the video, without query, user and password: those may be secrets. */
  videoUrl?: string;
  accountId?: string;
  subAccountId?: string;
  /** When a schedule publishes, ISO 8601 in UTC. */
  publishAt?: string;
}

/** In place of a base address: the local service, wherever it listens. */
export const LOCAL_SERVICE = 'local';

/** An entry before it is written down. */
export type NewEntry = Omit<HistoryEntry, 'time' | 'event' | 'baseUrl' | 'profile'> & {
  event?: HistoryEntry['event'];
};

export function historyPath(stateDir: string): string {
  return join(stateDir, 'history.jsonl');
}

/** Adds lines. Throws what the file system throws. */
export async function appendHistory(stateDir: string, entries: readonly HistoryEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const path = historyPath(stateDir);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  const handle = await open(path, O_APPEND | O_CREAT | O_RDWR, 0o600);
  try {
    const start = (await endsInLine(handle)) ? '' : '\n';
    await handle.write(Buffer.from(start + entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')));
  } finally {
    await handle.close();
  }
}

/** A line cut by a crash or a full disk must not swallow the next one. */
async function endsInLine(handle: Awaited<ReturnType<typeof open>>): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] === 0x0a;
}

/** All lines, oldest first; `damaged` counts those that cannot be read, which are left out. */
export async function readHistory(stateDir: string): Promise<{ entries: HistoryEntry[]; damaged: number }> {
  let text: string;
  try {
    text = await readFile(historyPath(stateDir), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { entries: [], damaged: 0 };
    throw usageError(`cannot read ${historyPath(stateDir)}`, { reason: messageOf(error), cause: error });
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const entries = lines.flatMap((line) => parseLine(line) ?? []);
  return { entries, damaged: lines.length - entries.length };
}

function parseLine(line: string): HistoryEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is HistoryEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { time, kind, id } = value as Record<string, unknown>;
  return typeof time === 'string' && typeof kind === 'string' && typeof id === 'string';
}

/** Forgets everything. */
export async function clearHistory(stateDir: string): Promise<void> {
  await rm(historyPath(stateDir), { force: true });
}

/** A video's address as it may be kept: without query, fragment, user and password. */
export function addressWithoutSecrets(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}
