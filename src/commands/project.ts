import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import type { CreationBody, ProjectPreferences } from '../api/projects.js';
import type { Context } from '../context.js';
import { usageError } from '../errors.js';
import { addressWithoutSecrets } from '../history/journal.js';
import { registerPreferenceFlags } from '../preferences/flags.js';
import { checkId } from './clip-ids.js';
import { planRequest, showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';
import { recordHistory } from './record-history.js';
import { choosePreferences, givesPreferences } from './render-question.js';
import { readWaitFlags, registerWaitFlags, type WaitFlags, waitAndDownload } from './wait-and-download.js';

export function registerProject(command: Command, context: Context): void {
  registerCreate(command, context);
  const get = command
    .command('get <projectId>')
    .description('show a project (not in the interface document)')
    .action(async (projectId) => projectGet(projectId, context));
  addHelp(get, {
    about: 'Prints the id; --json prints the whole project as the service gave it.',
    examples: ['project get P123 --json', 'project get P123 --query stage'],
    exitCodes: [3, 5, 8],
  });
  const wait = command
    .command('wait <projectId>')
    .description('wait until a project is COMPLETE or STALLED (not in the interface document)')
    .option('--wait-timeout <duration>', 'give up after this long (exit 9); the project goes on')
    .option('--download <dir>', 'then download the clips into this directory')
    .option('--overwrite', 'with --download: replace files that are there')
    .action(async (projectId, options) => projectWait(projectId, options, context));
  addHelp(wait, {
    examples: ['project wait P123', 'project wait P123 --download clips'],
    exitCodes: [3, 5, 8, 9, 11],
  });
}

function registerCreate(command: Command, context: Context): void {
  const create = command
    .command('create [url]')
    .description('create a project from a video address, or from an upload')
    .option('--upload-id <id>', 'make the project of this finished upload instead of an address')
    .option('-i, --interactive', 'ask for the preferences, with what was given as the answers offered');
  registerWaitFlags(create);
  registerPreferenceFlags(create);
  create.action(async (url, options, self) => {
    const flags: typeof options & WaitFlags = options;
    const wait = await readWaitFlags(flags);
    const own = self as CommandUnknownOpts;
    const preferences = async () =>
      (await keptPreferences(flags.uploadId, own, context)) ?? choosePreferences({ ...flags }, own, context);
    await projectCreate({ url, ...flags, ...wait }, preferences, context);
  });
  addHelp(create, {
    about:
      'The address may be a public page of a video platform, or a direct link to an MP4 file (up to 10 GB).\n' +
      'Of an upload whose project was not created, the preferences it was started with are taken, unless others are given.',
    examples: [
      'project create https://example.com/talk.mp4 --genre Podcast --duration 30-60',
      'project create --upload-id U123 --caption --aspect square --wait --download clips',
    ],
    exitCodes: [3, 7, 8, 10, 11],
  });
}

interface CreateInput extends WaitFlags {
  url?: string;
  uploadId?: string;
  timeoutMs?: number;
}

async function projectCreate(
  input: CreateInput,
  choose: () => Promise<ProjectPreferences>,
  context: Context,
): Promise<void> {
  const videoUrl = await checkSource(input);
  const preferences = await choose();
  const body: CreationBody = { videoUrl, ...preferences };
  if (context.flags.dryRun) {
    const { projectRoutes, UPLOAD_ID_HEADER } = await import('../api/projects.js');
    const headers: Record<string, string> =
      input.uploadId === undefined ? {} : { [UPLOAD_ID_HEADER]: input.uploadId };
    const planned = await planRequest(context.shownBaseUrl, projectRoutes.createProject, { body, headers });
    return showDryRun(context, [planned]);
  }
  const connection = await context.connect();
  const project = await connection.api.createProject(body, { uploadId: input.uploadId });
  if (input.uploadId !== undefined) {
    const { settleUpload } = await import('../transfer/uploads-kept.js');
    await settleUpload(context.dirs.state, input.uploadId, context.io.now().getTime());
  }
  await recordHistory(context, connection, {
    kind: 'project',
    id: project.id,
    uploadId: input.uploadId,
    title: preferences.uploadedVideoAttr?.title,
    videoUrl: addressWithoutSecrets(videoUrl),
  });
  context.output.lines([project.id]);
  let last = project;
  if (input.wait) last = await waitAndDownload(project, input, connection, context);
  else context.notes.next(`clipctl project wait ${project.id}`);
  await context.output.document(last);
}

/** Of an upload that was to become a project: the preferences kept with it, unless others are given now. */
async function keptPreferences(
  uploadId: string | undefined,
  command: CommandUnknownOpts,
  { dirs, io, notes }: Pick<Context, 'dirs' | 'io' | 'notes'>,
): Promise<ProjectPreferences | undefined> {
  if (uploadId === undefined) return undefined;
  const { listUploads } = await import('../transfer/uploads-kept.js');
  const { uploads } = await listUploads(dirs.state, io.now().getTime());
  const kept = uploads.find((upload) => upload.uploadId === uploadId);
  if (!kept?.body) return undefined;
  const what = `preferences that the upload of ${kept.file.realPath} was started with`;
  if (givesPreferences(command)) {
    notes.note(`the ${what} are not used, because others are given`);
    return undefined;
  }
  notes.note(`with the ${what}`);
  return kept.body;
}

/** The videoUrl: an http(s) address, or the id of an upload. */
async function checkSource({ url, uploadId }: CreateInput): Promise<string> {
  if (url !== undefined && uploadId !== undefined) {
    throw usageError('an address and --upload-id exclude each other', { hint: 'give only one of them' });
  }
  if (uploadId !== undefined) {
    if (uploadId.trim() === '') throw usageError('--upload-id is empty');
    return uploadId;
  }
  if (url === undefined) {
    throw usageError('no video address was given', {
      hint: 'clipctl project create <url>, or --upload-id <id>',
    });
  }
  if (/^https?:\/\/[^\s/]+/i.test(url) && URL.canParse(url)) return url;
  const { existsSync } = await import('node:fs');
  const isThere = existsSync(url);
  if (!isThere && HOST_AND_PATH.test(url)) {
    throw usageError(`${JSON.stringify(url)} is no http(s) address`, {
      hint: `did you mean https://${url}?`,
    });
  }
  if (isThere || /^(\.{0,2}\/|[A-Za-z]:\\|~)/.test(url) || !url.includes(':')) {
    throw usageError(`${JSON.stringify(url)} is a file, not an address`, {
      hint: `use clipctl upload ${url}`,
    });
  }
  throw usageError(`${JSON.stringify(url)} is no http(s) address`, {
    hint: 'give an address that starts with https://',
  });
}

/** An address as people read it out: `youtube.com/watch?v=1`, `www.example.com`. */
const HOST_AND_PATH = /^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z]{2,}(:\d+)?\/|^www\.[^/\s]+\.[a-z]{2,}$/i;

async function projectGet(projectId: string, context: Context): Promise<void> {
  checkId(projectId, 'project id');
  const { api } = await context.connect();
  const project = await api.getProject(projectId);
  context.notes.say(`stage: ${project.stage ?? 'unknown'}${project.error ? `: ${project.error}` : ''}`);
  await context.output.result({ json: project, lines: [project.id] });
}

async function projectWait(
  projectId: string,
  options: Omit<WaitFlags, 'wait'>,
  context: Context,
): Promise<void> {
  checkId(projectId, 'project id');
  const { timeoutMs } = await readWaitFlags({ ...options, wait: true });
  const connection = await context.connect();
  const project = await waitAndDownload({ id: projectId }, { ...options, timeoutMs }, connection, context);
  await context.output.result({ json: project, lines: [project.id] });
}
