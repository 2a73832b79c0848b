import { basename } from 'node:path';
import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import type { ProjectPreferences } from '../api/projects.js';
import type { Connection, Context } from '../context.js';
import { ClipctlError, messageOf, usageError } from '../errors.js';
import type { NewEntry } from '../history/journal.js';
import { nearest } from '../nearest.js';
import { registerPreferenceFlags } from '../preferences/flags.js';
import { PROGRESS_MODES, type ProgressMode } from '../terminal/transfer-progress.js';
import type { CheckedFile } from '../transfer/local-file.js';
import type { UploadOutcome } from '../transfer/upload-many.js';
import { type PlannedRequest, planRequest, showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';
import { recordHistory } from './record-history.js';
import { choosePreferences } from './render-question.js';
import { readWaitFlags, registerWaitFlags, type WaitFlags, waitAndDownload } from './wait-and-download.js';

const DEFAULT_CONCURRENCY = 2;

interface UploadFlags extends WaitFlags {
  create: boolean;
  concurrency?: string;
  recursive?: true;
  limitRate?: string;
  restart?: true;
  progress?: string;
  title?: string | boolean;
}

export function registerUpload(command: Command, context: Context): void {
  const declared = command
    .argument('<file...>', 'video files; with --recursive also folders; patterns are expanded')
    .option('--no-create', 'only upload; print the upload id instead of creating a project')
    .option('--concurrency <n>', `files at the same time (${DEFAULT_CONCURRENCY})`)
    .option('--recursive', 'take the videos of folders, and of the folders in them')
    .option('--limit-rate <bytes/s>', 'for all files together, for example 4MiB')
    .option('--restart', 'forget what an earlier run uploaded and start at the first byte')
    .option('-i, --interactive', 'ask for the preferences, with what was given as the answers offered')
    .option('--progress <how>', `${PROGRESS_MODES.join(', ')} (auto)`);
  registerWaitFlags(command);
  registerPreferenceFlags(command);
  // After --title, or commander would make true its default.
  command.option('--no-title', 'do not send the file name as the title');
  declared.action(async (paths, options, self) =>
    upload(paths, options as unknown as UploadFlags, { context, command: self as CommandUnknownOpts }),
  );
  addHelp(command, {
    about:
      'Uploads each file and creates a project of it; prints the project id. When the network breaks the upload goes\n' +
      'on where the storage stopped; after a kill or a reboot the same command does.',
    examples: [
      'upload talk.mp4 --genre Podcast',
      'upload talk.mp4 --duration 30-60 --caption --aspect square --wait --download clips',
      'upload *.mp4 --concurrency 4 --limit-rate 4MiB --json',
      '--local upload talk.mp4 --wait --download clips',
    ],
    exitCodes: [3, 7, 8, 9, 10, 11, 12, 130],
  });
}

/** All checks first, on all files; then the uploads, the projects, and what `--wait` asks for. */
async function upload(
  paths: readonly string[],
  flags: UploadFlags,
  { context, command }: { context: Context; command: CommandUnknownOpts },
): Promise<void> {
  const options = await readTransferFlags(flags, context);
  const wait = { ...flags, ...(await readWaitFlags(flags)) };
  if (!flags.create && flags.wait) {
    throw usageError('--no-create makes no project that --wait could wait for', {
      hint: 'leave one of them away',
    });
  }
  const files = await findFiles(paths, flags);
  const preferences = await choosePreferences({ ...flags }, command, context);
  const bodyOf = (file: CheckedFile) => (flags.create ? withTitle(preferences, file, flags.title) : null);
  if (context.flags.dryRun) return showUploadPlan(files, bodyOf, context);
  const connection = await context.connect();
  const outcomes = await transfer(files, bodyOf, options, connection, context);
  if (outcomes.length === 1 && outcomes[0]) return finishOne(outcomes[0], flags, wait, connection, context);
  return finishMany(outcomes, flags, wait, connection, context);
}

interface TransferOptions {
  concurrency: number;
  limitBytesPerSec?: number;
  retries: number;
  restart: boolean;
  progress: ProgressMode;
}

async function readTransferFlags(
  flags: UploadFlags,
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

/** The files meant by the arguments, each checked; the same file named twice is one upload. */
async function findFiles(paths: readonly string[], flags: UploadFlags): Promise<CheckedFile[]> {
  const { expandInputs } = await import('../transfer/expand-inputs.js');
  const { checkLocalFile } = await import('../transfer/local-file.js');
  const files = new Map<string, CheckedFile>();
  for (const path of await expandInputs(paths, { recursive: flags.recursive === true })) {
    const file = await checkLocalFile(path);
    if (!files.has(file.realPath)) files.set(file.realPath, file);
  }
  return [...files.values()];
}

/** The file name is the title, unless one was given anywhere or `--no-title` was. */
function withTitle(
  preferences: ProjectPreferences,
  file: CheckedFile,
  title: string | boolean | undefined,
): ProjectPreferences {
  if (title === false || preferences.uploadedVideoAttr !== undefined) return preferences;
  const name = file.path.replace(/^.*[\\/]/, '');
  return { ...preferences, uploadedVideoAttr: { title: name.replace(/(.)\.[^.]*$/, '$1') } };
}

type BodyOf = (file: CheckedFile) => ProjectPreferences | null;

async function transfer(
  files: readonly CheckedFile[],
  bodyOf: BodyOf,
  options: TransferOptions,
  connection: Connection,
  context: Context,
): Promise<UploadOutcome[]> {
  const { api, connector, accountKey } = connection;
  const { io, notes, dirs, signal } = context;
  const { uploadFiles } = await import('../transfer/upload-many.js');
  const { createProgress } = await import('../terminal/transfer-progress.js');
  const progress = await createProgress(io, notes, options.progress, 'uploading');
  const titles = new Map(files.map((file) => [file.path, bodyOf(file)?.uploadedVideoAttr?.title]));
  const written: Promise<void>[] = [];
  try {
    return await uploadFiles(
      files.map((file) => ({ path: file.path, body: () => bodyOf(file) })),
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

type Wait = WaitFlags & { timeoutMs?: number };

async function finishOne(
  outcome: UploadOutcome,
  flags: UploadFlags,
  wait: Wait,
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
  if (flags.wait) last = await waitAndDownload(project, wait, connection, context);
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
  flags: UploadFlags,
  wait: Wait,
  connection: Connection,
  context: Context,
): Promise<void> {
  const { output, notes } = context;
  const { errorAsJson } = await import('../terminal/report-error.js');
  const finished: UploadOutcome[] = [];
  for (const outcome of outcomes) {
    finished.push(
      outcome.ok && outcome.project && flags.wait
        ? await waitFor(outcome, wait, connection, context)
        : outcome,
    );
  }
  await output.result({
    json: finished.map((outcome) =>
      outcome.ok
        ? { ok: true, path: outcome.path, uploadId: outcome.uploadId, project: outcome.project }
        : { ok: false, path: outcome.path, uploadId: outcome.uploadId, ...errorAsJson(outcome.error) },
    ),
    table: {
      header: ['PROJECT', 'UPLOAD', 'FILE'],
      rows: finished.flatMap((outcome) =>
        outcome.ok ? [[outcome.project?.id ?? '', outcome.uploadId, outcome.path]] : [],
      ),
    },
  });
  const failed = finished.flatMap((outcome) => (outcome.ok ? [] : [outcome]));
  if (failed.length === 0) return;
  for (const { path, error } of failed) {
    const hint = error instanceof ClipctlError && error.details.hint ? `; ${error.details.hint}` : '';
    notes.warn(`${path}: ${messageOf(error)}${hint}`);
  }
  if (context.signal.aborted) throw context.signal.reason;
  throw new ClipctlError('partial', `${failed.length} of ${finished.length} files failed`, {
    hint: 'run the same command again: what was uploaded goes on, what is done is named above',
  });
}

/** Waits for one of several; its failure is its own. */
async function waitFor(
  outcome: Extract<UploadOutcome, { ok: true }>,
  wait: Wait,
  connection: Connection,
  context: Context,
): Promise<UploadOutcome> {
  if (!outcome.project) return outcome;
  try {
    return { ...outcome, project: await waitAndDownload(outcome.project, wait, connection, context) };
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { ok: false, path: outcome.path, uploadId: outcome.uploadId, error };
  }
}

/** The four requests of each file, with the names of what earlier answers would give in braces. */
async function showUploadPlan(
  files: readonly CheckedFile[],
  bodyOf: BodyOf,
  context: Context,
): Promise<void> {
  const { LOCAL_UPLOAD, STORAGE_HEADERS, uploadRoutes } = await import('../api/uploads.js');
  const { projectRoutes, UPLOAD_ID_HEADER } = await import('../api/projects.js');
  const base = context.shownBaseUrl;
  const requests: PlannedRequest[] = [];
  for (const file of files) {
    requests.push(
      await planRequest(base, uploadRoutes.createUploadLink, { body: { video: { usecase: LOCAL_UPLOAD } } }),
      {
        method: 'POST',
        url: '{upload_url}',
        headers: { [STORAGE_HEADERS.resumable]: 'start', 'Content-Length': '0' },
        body: null,
      },
      {
        method: 'PUT',
        url: '{location}',
        headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': String(file.sizeBytes) },
        body: `@${file.path}`,
      },
    );
    const preferences = bodyOf(file);
    if (preferences === null) continue;
    const headers = { [UPLOAD_ID_HEADER]: '{uploadId}' };
    const body = { videoUrl: '{uploadId}', ...preferences };
    requests.push(await planRequest(base, projectRoutes.createProject, { body, headers }));
  }
  await showDryRun(context, requests);
}
