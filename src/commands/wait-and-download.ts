import { resolve } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Clip } from '../api/clips.js';
import type { Project } from '../api/projects.js';
import type { Connection, Context } from '../context.js';
import { ClipctlError, usageError } from '../errors.js';

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

/** Downloads a project's clips as `{projectId}.{curationId}.mp4` and says where they are. */
export async function downloadClips(
  projectId: string,
  dir: string,
  flags: { overwrite?: boolean },
  { api, connector }: Pick<Connection, 'api' | 'connector'>,
  { io, notes, signal }: WaitDeps,
): Promise<{ clip: Clip; path: string }[]> {
  const clips = await api.listClips(projectId, { signal });
  if (clips.length === 0) throw new ClipctlError('not-found', `project ${projectId} has no clips`);
  const items = clips.map((clip) => {
    if (!clip.uriForExport) {
      throw new ClipctlError('service', `the service gave no download address for clip ${clip.id}`, {
        hint: 'put the clip into a collection and export that: clipctl collection export <id> --download <dir>',
      });
    }
    return { url: clip.uriForExport, fileName: `${clip.id}.mp4` };
  });
  const { downloadFiles } = await import('../transfer/download.js');
  const { createProgress } = await import('../terminal/transfer-progress.js');
  const progress = await createProgress(io, notes, 'auto', 'downloading');
  const outcomes = await downloadFiles(
    items,
    resolve(io.cwd, dir),
    { connector, signal, onEvent: (event) => progress.onEvent(event), now: Date.now },
    { overwrite: flags.overwrite === true, concurrency: 4, retries: 4 },
  ).finally(() => progress.end());
  const saved = outcomes.flatMap((outcome, at) => {
    const clip = clips[at];
    return outcome.ok && clip ? [{ clip, path: outcome.path }] : [];
  });
  for (const { clip, path } of saved) notes.say(`saved ${path}${describeClip(clip)}`);
  const failed = outcomes.find((outcome) => !outcome.ok);
  if (failed && !failed.ok) throw failed.error;
  return saved;
}

function describeClip(clip: Clip): string {
  const seconds = typeof clip.durationMs === 'number' ? `${(clip.durationMs / 1000).toFixed(1)} s` : '';
  const parts = [seconds, clip.title ?? ''].filter((part) => part !== '');
  return parts.length > 0 ? `  (${parts.join(', ')})` : '';
}
