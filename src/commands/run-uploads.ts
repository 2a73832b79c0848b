import { basename } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Project, ProjectPreferences } from '../api/projects.js';
import type { Connection, Context } from '../context.js';
import { ClipctlError, messageOf, usageError } from '../errors.js';
import type { NewEntry } from '../history/journal.js';
import { nearest } from '../nearest.js';
import { PROGRESS_MODES, type ProgressMode } from '../terminal/transfer-progress.js';
import type { UploadOutcome } from '../transfer/upload-many.js';
import { errorOfItems } from './each-item.js';
import { recordHistory } from './record-history.js';
import { type WaitFlags, waitAndDownload } from './wait-and-download.js';

/** What `upload` and `uploads resume` share: the transfer of several files, and how its outcomes are told. */

const DEFAULT_CONCURRENCY = 2;

export interface TransferFlags {
  concurrency?: string;
  limitRate?: string;
  restart?: true;
  progress?: string;
}

export function registerTransferFlags(command: CommandUnknownOpts): void {
  command
    .option('--concurrency <n>', `files at the same time (${DEFAULT_CONCURRENCY})`)
    .option('--limit-rate <bytes/s>', 'for all files together, for example 4MiB')
    .option('--progress <how>', `${PROGRESS_MODES.join(', ')} (auto)`);
}

/** One file to upload, and the preferences of its project; null for an upload only. */
export interface UploadJob {
  path: string;
  body: ProjectPreferences | null;
}

export interface TransferOptions {
  concurrency: number;
  limitBytesPerSec?: number;
  retries: number;
  restart: boolean;
  progress: ProgressMode;
}

/** The flags checked and turned into values, before anything is sent. */
export async function readTransferFlags(
  flags: TransferFlags,
  { settings }: Pick<Context, 'settings'>,
): Promise<TransferOptions> {
  const { parseBytes } = await import('../durations.js');
  const concurrency = flags.concurrency === undefined ? DEFAULT_CONCURRENCY : Number(flags.concurrency);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 64) {
    throw usageError(`--concurrency ${JSON.stringify(flags.concurrency)} is not a number of files`, {
      hint: 'from 1 to 64',
    });
  }
  const progress = PROGRESS_MODES.find((mode) => mode === (flags.progress ?? 'auto'));
  if (progress === undefined) {
    const near = nearest(flags.progress ?? '', PROGRESS_MODES);
    throw usageError(`--progress ${JSON.stringify(flags.progress)} is not a way to show progress`, {
      hint: near ? `did you mean ${near}?` : `one of ${PROGRESS_MODES.join(', ')}`,
    });
  }
  return {
    concurrency,
    limitBytesPerSec: flags.limitRate === undefined ? undefined : parseBytes(flags.limitRate, '--limit-rate'),
    retries: settings.get('retries') ?? 4,
    restart: flags.restart === true,
    progress,
  };
}

/** Uploads the files with progress, and writes down each as soon as it is done. */
export async function runUploads(
  jobs: readonly UploadJob[],
  options: TransferOptions,
  connection: Connection,
  context: Context,
): Promise<UploadOutcome[]> {
  const { api, connector, accountKey } = connection;
  const { io, notes, dirs, signal } = context;
  const { uploadFiles } = await import('../transfer/upload-many.js');
  const { createProgress } = await import('../terminal/transfer-progress.js');
  const progress = await createProgress(io, notes, options.progress, {
    verb: 'uploading',
    files: jobs.length,
  });
  const titles = new Map(jobs.map(({ path, body }) => [path, body?.uploadedVideoAttr?.title]));
  const written: Promise<void>[] = [];
  try {
    return await uploadFiles(
      jobs.map(({ path, body }) => ({ path, body: () => body })),
      {
        api,
        connector,
        stateDir: dirs.state,
        accountKey: await accountKey(),
        now: () => io.now().getTime(),
        signal,
        onEvent: (event) => {
          progress.onEvent(event);
          // Written down at once: the other files may take hours, or be interrupted.
          if (event.type === 'done')
            written.push(recordHistory(context, connection, ...entriesOf(event, titles.get(event.path))));
        },
        warn: (text) => notes.warn(text),
      },
      options,
    );
  } finally {
    progress.end();
    await Promise.all(written);
  }
}

/** The history's lines of a finished upload: one for it and, when there is one, one for its project. */
function entriesOf({ path, uploadId, projectId }: Finished, title: string | undefined): NewEntry[] {
  if (uploadId === undefined) return [];
  const file = basename(path);
  const upload: NewEntry = { kind: 'upload', id: uploadId, file, projectId };
  return projectId === undefined
    ? [upload]
    : [upload, { kind: 'project', id: projectId, uploadId, file, title }];
}

interface Finished {
  path: string;
  uploadId?: string;
  projectId?: string;
}

export type WaitOptions = WaitFlags & { timeoutMs?: number };

/** Prints what came of the uploads: of one its id, of several a table; waits first where that was asked for. */
export async function printOutcomes(
  outcomes: readonly UploadOutcome[],
  wait: WaitOptions,
  connection: Connection,
  context: Context,
): Promise<void> {
  const [only, ...more] = outcomes;
  if (only && more.length === 0) return finishOne(only, wait, connection, context);
  return finishMany(outcomes, wait, connection, context);
}

async function finishOne(
  outcome: UploadOutcome,
  wait: WaitOptions,
  connection: Connection,
  context: Context,
): Promise<void> {
  if (!outcome.ok) throw outcome.error;
  const { output, notes } = context;
  const file = { path: outcome.path, size: outcome.sizeBytes };
  const { uploadId, project, resumed } = outcome;
  if (!project) {
    notes.next(`clipctl project create --upload-id ${uploadId}`);
    return output.result({ json: { uploadId, file }, lines: [uploadId] });
  }
  output.lines([project.id]);
  let last = project;
  if (wait.wait) last = await waitAndDownload(project, wait, connection, context);
  else sayNext(project.id, connection, context);
  await output.document({ uploadId, project: last, file, resumed });
}

function sayNext(projectId: string, connection: Connection, { notes }: Pick<Context, 'notes'>): void {
  if (connection.embedded) {
    notes.note('the local service stops with this command; the project goes on when it runs again');
  }
  notes.next(`clipctl project wait ${projectId} --download clips`);
}

/** Several files: a table of those that succeeded, the others on stderr, exit 12 when some failed. */
async function finishMany(
  outcomes: readonly UploadOutcome[],
  wait: WaitOptions,
  connection: Connection,
  context: Context,
): Promise<void> {
  const { output, notes } = context;
  const { errorAsJson } = await import('../terminal/report-error.js');
  const finished: WaitedOutcome[] = [];
  for (const outcome of outcomes) {
    finished.push(
      outcome.ok && outcome.project && wait.wait
        ? await waitFor(outcome, wait, connection, context)
        : outcome,
    );
  }
  await output.result({
    json: finished.map((outcome) =>
      outcome.ok
        ? { ok: true, path: outcome.path, uploadId: outcome.uploadId, project: outcome.project }
        : {
            ok: false,
            path: outcome.path,
            uploadId: outcome.uploadId,
            project: outcome.project,
            ...errorAsJson(outcome.error),
          },
    ),
    table: {
      header: ['PROJECT', 'UPLOAD', 'FILE'],
      whole: [0, 1],
      rows: finished.flatMap((outcome) =>
        outcome.ok ? [[outcome.project?.id ?? '', outcome.uploadId, outcome.path]] : [],
      ),
    },
  });
  const failed = finished.flatMap((outcome) => (outcome.ok ? [] : [outcome]));
  if (failed.length === 0) return;
  // Under --json they are in the document, and stderr keeps to its one line.
  for (const { path, error } of output.json ? [] : failed) {
    const hint = error instanceof ClipctlError && error.details.hint ? `; ${error.details.hint}` : '';
    notes.warn(`${path}: ${messageOf(error)}${hint}`);
  }
  if (context.signal.aborted) throw context.signal.reason;
  throw errorOfItems(
    failed.map(({ error }) => error),
    finished.length,
    'run the same command again: what was uploaded goes on, what is done is named above',
  );
}

/** One that was uploaded and whose project then failed has both: the project and the error. */
type WaitedOutcome = UploadOutcome & { project?: Project | null };

/** Waits for one of several; its failure is its own. */
async function waitFor(
  outcome: Extract<UploadOutcome, { ok: true }>,
  wait: WaitOptions,
  connection: Connection,
  context: Context,
): Promise<WaitedOutcome> {
  const { path, uploadId, project } = outcome;
  if (!project) return outcome;
  try {
    return { ...outcome, project: await waitAndDownload(project, wait, connection, context) };
  } catch (error) {
    return { ok: false, path, uploadId, project, error };
  }
}
