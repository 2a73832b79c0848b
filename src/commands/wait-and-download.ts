import { resolve } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Clip } from '../api/clips.js';
import type { Project } from '../api/projects.js';
import type { Connection, Context } from '../context.js';
import { ClipctlError, messageOf, usageError } from '../errors.js';

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

type WaitDeps = Pick<Context, 'io' | 'notes' | 'signal'>;

/** Waits for a project with its stage shown, and downloads its clips when asked. */
export async function waitAndDownload(
  project: Project,
  flags: WaitFlags & { timeoutMs?: number },
  connection: Connection,
  deps: WaitDeps,
): Promise<Project> {
  const { waitForProject } = await import('../client/wait.js');
  const { StageLine } = await import('../terminal/stage-line.js');
  const line = new StageLine(deps.io, deps.notes);
  let done: Project;
  try {
    done = await waitForProject(connection.api, project.id, {
      signal: deps.signal,
      timeoutMs: flags.timeoutMs,
      everyMs: POLL_MS,
      onProject: (seen) => line.show(seen),
    });
  } finally {
    line.end();
  }
  if (flags.download !== undefined) await downloadClips(done.id, flags.download, flags, connection, deps);
  else deps.notes.next(`clipctl clip download --project ${done.id} --dir clips`);
  return done;
}

/** Downloads all clips of a project and says where they are. */
export async function downloadClips(
  projectId: string,
  dir: string,
  flags: { overwrite?: boolean },
  connection: Pick<Connection, 'api' | 'connector'>,
  deps: WaitDeps,
): Promise<{ clip: Clip; path: string }[]> {
  const clips = await connection.api.listClips(projectId, { signal: deps.signal });
  if (clips.length === 0) throw new ClipctlError('not-found', `project ${projectId} has no clips`);
  return saveClips(clips, dir, flags, connection, deps);
}

/** Downloads clips as `{projectId}.{curationId}.mp4`. When some fail the others are saved, and the first error thrown. */
export async function saveClips(
  clips: readonly Clip[],
  dir: string,
  flags: { overwrite?: boolean },
  connection: Pick<Connection, 'connector'>,
  deps: WaitDeps,
): Promise<{ clip: Clip; path: string }[]> {
  const outcomes = await downloadItems(clips.map(downloadOf), dir, flags, connection, deps);
  const saved = outcomes.flatMap((outcome, at) => {
    const clip = clips[at];
    return outcome.ok && clip ? [{ clip, path: outcome.value }] : [];
  });
  for (const { clip, path } of saved) deps.notes.say(`saved ${path}${describeClip(clip)}`);
  const failed = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  if (failed.length > 0 && saved.length > 0) {
    for (const error of failed) deps.notes.warn(messageOf(error));
    throw new ClipctlError('partial', `${failed.length} of ${clips.length} clips were not downloaded`, {
      hint: 'run it again: partial files go on, and give --overwrite for those that are there',
    });
  }
  if (failed.length > 0) throw failed[0];
  return saved;
}

function downloadOf(clip: Clip): { url: string; fileName: string } {
  if (clip.uriForExport) return { url: clip.uriForExport, fileName: `${clip.id}.mp4` };
  throw new ClipctlError('service', `the service gave no download address for clip ${clip.id}`, {
    hint: 'put the clip into a collection and export that: clipctl collection export <id> --download <dir>',
  });
}

/** Downloads addresses into a directory with progress; an outcome an item, in order. */
export async function downloadItems(
  items: readonly { url: string; fileName: string }[],
  dir: string,
  flags: { overwrite?: boolean },
  { connector }: Pick<Connection, 'connector'>,
  { io, notes, signal }: WaitDeps,
): Promise<({ ok: true; value: string } | { ok: false; error: unknown })[]> {
  const { downloadFiles } = await import('../transfer/download.js');
  const { createProgress } = await import('../terminal/transfer-progress.js');
  const progress = await createProgress(io, notes, 'auto', 'downloading');
  const outcomes = await downloadFiles(
    items,
    resolve(io.cwd, dir),
    { connector, signal, onEvent: (event) => progress.onEvent(event), now: Date.now },
    { overwrite: flags.overwrite === true, concurrency: 4, retries: 4 },
  ).finally(() => progress.end());
  return outcomes.map((outcome) =>
    outcome.ok ? { ok: true, value: outcome.path } : { ok: false, error: outcome.error },
  );
}

function describeClip(clip: Clip): string {
  const seconds = typeof clip.durationMs === 'number' ? `${(clip.durationMs / 1000).toFixed(1)} s` : '';
  const parts = [seconds, clip.title ?? ''].filter((part) => part !== '');
  return parts.length > 0 ? `  (${parts.join(', ')})` : '';
}
