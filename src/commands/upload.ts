import { basename, extname } from 'node:path';
import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import type { ProjectPreferences } from '../api/projects.js';
import type { Context } from '../context.js';
import { usageError } from '../errors.js';
import { registerPreferenceFlags } from '../preferences/flags.js';
import type { CheckedFile } from '../transfer/local-file.js';
import { type PlannedRequest, planRequest, showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';
import { choosePreferences } from './render-question.js';
import {
  printOutcomes,
  readTransferFlags,
  registerTransferFlags,
  runUploads,
  type TransferFlags,
} from './run-uploads.js';
import { readWaitFlags, registerWaitFlags, type WaitFlags } from './wait-and-download.js';

interface UploadFlags extends WaitFlags, TransferFlags {
  create: boolean;
  recursive?: true;
  title?: string | boolean;
}

export function registerUpload(command: Command, context: Context): void {
  const declared = command
    .argument('<file...>', 'video files; with --recursive also folders; patterns are expanded')
    .option('--no-create', 'only upload; print the upload id instead of creating a project')
    .option('--recursive', 'take the videos of folders, and of the folders in them')
    .option('--restart', 'forget what an earlier run uploaded and start at the first byte')
    .option('-i, --interactive', 'ask for the preferences, with what was given as the answers offered');
  registerTransferFlags(command);
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
  const jobs = files.map((file) => ({ path: file.path, body: bodyOf(file) }));
  await printOutcomes(await runUploads(jobs, options, connection, context), wait, connection, context);
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
  return { ...preferences, uploadedVideoAttr: { title: basename(file.path, extname(file.path)) } };
}

type BodyOf = (file: CheckedFile) => ProjectPreferences | null;

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
