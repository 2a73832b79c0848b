import { resolve } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Clip } from '../api/clips.js';
import type { Project } from '../api/projects.js';
import type { Connection, Context } from '../context.js';
import { ClipctlError, messageOf, usageError } from '../errors.js';
import type { ItemOutcome } from './each-item.js';

export interface WaitFlags {
  wait?: true;
  waitTimeout?: string;
  download?: string;
  overwrite?: true;
}

/** `--wait` and what goes with it, the same on every command that starts a project. */
export function registerWaitFlags(command: CommandUnknownOpts): void {
  command
    .option('--wait', 'wait until the project is COMPLETE or STALLED')
    .option('--wait-timeout <duration>', 'with --wait: give up after this long (exit 9); the project goes on')
    .option('--download <dir>', 'with --wait: download the clips into this directory')
    .option('--overwrite', 'with --download: replace files that are there');
}

/** The flags checked and turned into values, before anything is sent. */
export async function readWaitFlags(flags: WaitFlags): Promise<{ timeoutMs?: number }> {
  for (const [name, value] of [
    ['--wait-timeout', flags.waitTimeout],
    ['--download', flags.download],
  ] as const) {
    if (value !== undefined && !flags.wait) {
      throw usageError(`${name} needs --wait`, { hint: 'add --wait' });
    }
  }
  if (flags.overwrite && flags.download === undefined) {
    throw usageError('--overwrite needs --download', { hint: 'add --wait --download <dir>' });
  }
  if (flags.waitTimeout === undefined) return {};
  const { parseDurationMs } = await import('../durations.js');
  return { timeoutMs: parseDurationMs(flags.waitTimeout, '--wait-timeout') };
}

const POLL_MS = 500;

type WaitDeps = Pick<Context, 'io' | 'notes' | 'settings' | 'signal'>;

/** Waits for a project with its stage shown, and downloads its clips when asked. */
export async function waitAndDownload(
  project: Project,
  flags: WaitFlags & { timeoutMs?: number },
  connection: Connection,
  deps: WaitDeps,
): Promise<Project> {
  const { explainBreak } = await import('../client/wait.js');
  try {
    const done = await waitWithStage(project.id, flags, connection, deps);
    if (flags.download !== undefined) {
      await downloadClips(done, flags.download, flags, connection, deps);
      return done;
    }
    tellNotes([done], deps);
    deps.notes.next(`clipctl clip download --project ${done.id} --dir clips`);
    return done;
  } catch (error) {
    throw explainBreak(error, {
      reason: connection.embedded
        ? 'the local service stops with this command; the project goes on when it runs again'
        : 'the project goes on at the service',
      hint: `clipctl project wait ${project.id}${await downloadWords(flags.download)}`,
    });
  }
}

async function waitWithStage(
  projectId: string,
  { timeoutMs }: { timeoutMs?: number },
  { api }: Connection,
  { io, notes, signal }: WaitDeps,
): Promise<Project> {
  const { waitForProject } = await import('../client/wait.js');
  const { StageLine } = await import('../terminal/stage-line.js');
  const line = new StageLine(io, notes);
  const onProject = (seen: Project) => line.show(seen);
  try {
    return await waitForProject(api, projectId, { signal, timeoutMs, everyMs: POLL_MS, onProject });
  } finally {
    line.end();
  }
}

/** The flag of a command line to copy. */
async function downloadWords(dir: string | undefined): Promise<string> {
  if (dir === undefined) return '';
  const { shellQuote } = await import('../preferences/to-flags.js');
  return ` --download ${shellQuote(dir)}`;
}

/** What could not be done as asked, and why. The local service says it so; each note is told once. */
function tellNotes(made: readonly (Project | Clip)[], { notes }: Pick<Context, 'notes'>): void {
  const all = made.flatMap(({ notes: given }) => (Array.isArray(given) ? given : []));
  for (const text of new Set(all)) {
    if (typeof text === 'string') notes.note(text);
  }
}

/** Downloads all clips of a project and says where they are. */
async function downloadClips(
  project: Project,
  dir: string,
  flags: { overwrite?: boolean },
  connection: Pick<Connection, 'api' | 'connector'>,
  deps: WaitDeps,
): Promise<void> {
  const projectId = project.id;
  const clips = await connection.api.listClips(projectId, { signal: deps.signal });
  if (clips.length === 0) throw new ClipctlError('not-found', `project ${projectId} has no clips`);
  tellNotes([project, ...clips], deps);
  const outcomes = await saveClips(clips, dir, flags, connection, deps);
  const failed = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome]));
  if (failed.length === 0) return;
  if (failed.length === outcomes.length) throw failed[0]?.error;
  throw new ClipctlError('partial', `${failed.length} of ${clips.length} clips were not downloaded`, {
    reason: failed.map(({ item, error }) => `${item.id}: ${messageOf(error)}`).join('\n'),
    hint: `the others are there; for these: clipctl clip download --project ${projectId} --dir ${dir}`,
  });
}

/** Downloads clips as `{projectId}.{curationId}.mp4`; an outcome a clip. */
export async function saveClips(
  clips: readonly Clip[],
  dir: string,
  flags: { overwrite?: boolean },
  connection: Pick<Connection, 'connector'>,
  deps: WaitDeps,
): Promise<ItemOutcome<Clip, string>[]> {
  const outcomes = await downloadItems(clips, fileOfClip, dir, flags, connection, deps);
  for (const outcome of outcomes) {
    if (outcome.ok) deps.notes.say(`saved ${outcome.value}${describeClip(outcome.item)}`);
  }
  return outcomes;
}

interface DownloadedFile {
  url: string;
  fileName: string;
}

/** Of a full id. */
export function fileNameOf(contentId: string): string {
  return `${contentId}.mp4`;
}

function fileOfClip(clip: Clip): DownloadedFile {
  if (clip.uriForExport) return { url: clip.uriForExport, fileName: fileNameOf(clip.id) };
  throw new ClipctlError('service', `the service gave no download address for clip ${clip.id}`, {
    hint: 'put the clip into a collection and export that: clipctl collection export <id> --download <dir>',
  });
}

/** Refuses what can never be downloaded into, before anything is sent. */
export async function checkFolder(dir: string, { io }: Pick<Context, 'io'>): Promise<void> {
  const { stat } = await import('node:fs/promises');
  const found = await stat(resolve(io.cwd, dir)).catch(() => undefined);
  if (found && !found.isDirectory()) {
    throw usageError(`${dir} is a file, not a folder`, { hint: 'name a folder to download into' });
  }
}

/** Downloads what items name into a folder with progress; the path of each in its outcome, in order. */
export async function downloadItems<T>(
  items: readonly T[],
  fileOf: (item: T) => DownloadedFile,
  dir: string,
  flags: { overwrite?: boolean },
  { connector }: Pick<Connection, 'connector'>,
  { io, notes, settings, signal }: WaitDeps,
): Promise<ItemOutcome<T, string>[]> {
  const { downloadFiles } = await import('../transfer/download.js');
  const { createProgress } = await import('../terminal/transfer-progress.js');
  const files = items.map(fileOf);
  const progress = await createProgress(io, notes, 'auto', { verb: 'downloading', files: items.length });
  const outcomes = await downloadFiles(
    files,
    resolve(io.cwd, dir),
    { connector, signal, onEvent: (event) => progress.onEvent(event), now: Date.now },
    { overwrite: flags.overwrite === true, concurrency: 4, retries: settings.get('retries') ?? 4 },
  ).finally(() => progress.end());
  return outcomes.flatMap((outcome, at): ItemOutcome<T, string>[] => {
    const item = items[at];
    if (item === undefined) return [];
    return [outcome.ok ? { item, ok: true, value: outcome.path } : { item, ok: false, error: outcome.error }];
  });
}

function describeClip(clip: Clip): string {
  const seconds = typeof clip.durationMs === 'number' ? `${(clip.durationMs / 1000).toFixed(1)} s` : '';
  const parts = [seconds, clip.title ?? ''].filter((part) => part !== '');
  return parts.length > 0 ? `  (${parts.join(', ')})` : '';
}
