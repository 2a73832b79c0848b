import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { formatBytes } from '../durations.js';
import { CancelledError, ClipctlError, usageError } from '../errors.js';
import type { KeptUpload } from '../transfer/uploads-kept.js';
import { type PlannedRequest, planRequest, showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';
import {
  printOutcomes,
  readTransferFlags,
  registerTransferFlags,
  runUploads,
  type TransferFlags,
} from './run-uploads.js';
import { readWaitFlags, registerWaitFlags, type WaitFlags } from './wait-and-download.js';

export function registerUploads(command: Command, context: Context): void {
  const list = command
    .command('list')
    .description('list the unfinished uploads of this machine')
    .action(async () => listKept(context));
  addHelp(list, { examples: ['uploads list', "uploads list --query '[].uploadId'"] });
  const resume = command
    .command('resume [id|path...]')
    .description('go on with unfinished uploads; with all, when none is named')
    .action(async (names, options) => resumeUploads(names, options as TransferFlags & WaitFlags, context));
  registerTransferFlags(resume);
  registerWaitFlags(resume);
  addHelp(resume, {
    about: 'The projects get the preferences of the command that started the upload.',
    examples: ['uploads resume', 'uploads resume ./talk.mp4 --wait --download clips'],
    exitCodes: [3, 7, 8, 9, 10, 11, 12, 130],
  });
  const forget = command
    .command('forget <id|path...>')
    .description('forget unfinished uploads, and tell the storage that their bytes are not needed')
    .action(async (names) => forgetUploads(names, context));
  addHelp(forget, { examples: ['uploads forget U123', 'uploads forget ./talk.mp4'], exitCodes: [9] });
}

/** What may be shown of an unfinished upload: everything but the secrets, which the kept record has not. */
function view({ uploadId, file, stage, acceptedBytes, updatedAt, isActive, pid }: KeptUpload) {
  return {
    uploadId,
    path: file.realPath,
    size: file.sizeBytes,
    acceptedBytes,
    stage,
    updatedAt,
    active: isActive,
    ...(pid === undefined ? {} : { pid }),
  };
}

async function listKept({ dirs, io, output, notes }: Context): Promise<void> {
  const { listUploads } = await import('../transfer/uploads-kept.js');
  const { uploads, damaged } = await listUploads(dirs.state, io.now().getTime());
  for (const path of damaged) notes.warn(`${path} cannot be read; it was left as it is`);
  const rows = uploads.map(view);
  if (rows.length === 0) notes.note('no upload is unfinished');
  else notes.next('clipctl uploads resume');
  await output.result({
    json: rows,
    table: {
      header: ['UPLOAD', 'ACCEPTED', 'SIZE', 'STAGE', 'FILE'],
      rows: rows.map((row) => [
        row.uploadId,
        formatBytes(row.acceptedBytes),
        formatBytes(row.size),
        row.active ? `${row.stage} (process ${row.pid ?? '?'})` : row.stage,
        row.path,
      ]),
      pipeRows: rows.map((row) => [
        row.uploadId,
        String(row.acceptedBytes),
        String(row.size),
        row.stage,
        row.path,
      ]),
    },
  });
}

async function resumeUploads(
  names: readonly string[],
  flags: TransferFlags & WaitFlags,
  context: Context,
): Promise<void> {
  const options = await readTransferFlags(flags, context);
  const wait = { ...flags, ...(await readWaitFlags(flags)) };
  const kept = await findKept(names, context);
  if (context.flags.dryRun) return planResumption(kept, context);
  const connection = await context.connect();
  const accountKey = await connection.accountKey();
  const mine = kept.filter((upload) => upload.accountKey === accountKey);
  if (mine.length < kept.length) {
    const others = kept.length - mine.length;
    if (names.length > 0 && mine.length === 0) {
      throw usageError('the upload belongs to another account or base address', {
        hint: 'run it with the --profile, --base-url or --local it was started with',
      });
    }
    context.notes.note(`${others} of another account or base address ${others === 1 ? 'is' : 'are'} left`);
  }
  if (mine.length === 0) {
    context.notes.note('no upload is unfinished');
    return context.output.result({ json: [], lines: [] });
  }
  const jobs = mine.map(({ file, body }) => ({ path: file.realPath, body }));
  await printOutcomes(await runUploads(jobs, options, connection, context), wait, connection, context);
}

/** What a resumption asks first, and the creation that follows the rest of the bytes. */
async function planResumption(kept: readonly KeptUpload[], context: Context): Promise<void> {
  const { projectRoutes, UPLOAD_ID_HEADER } = await import('../api/projects.js');
  const requests: PlannedRequest[] = [];
  for (const { uploadId, file, body: preferences } of kept) {
    const range = { 'Content-Range': `bytes */${file.sizeBytes}`, 'Content-Length': '0' };
    requests.push({ method: 'PUT', url: '{location}', headers: range, body: null });
    if (preferences === null) continue;
    const input = { body: { videoUrl: uploadId, ...preferences }, headers: { [UPLOAD_ID_HEADER]: uploadId } };
    requests.push(await planRequest(context.shownBaseUrl, projectRoutes.createProject, input));
  }
  await showDryRun(context, requests);
}

/** Those that the names mean, or all. */
async function findKept(
  names: readonly string[],
  { dirs, io }: Pick<Context, 'dirs' | 'io'>,
): Promise<KeptUpload[]> {
  const { findUploads, listUploads } = await import('../transfer/uploads-kept.js');
  const nowMs = io.now().getTime();
  if (names.length === 0) return (await listUploads(dirs.state, nowMs)).uploads;
  const found = await Promise.all(names.map((name) => findUploads(dirs.state, name, nowMs)));
  return [...new Map(found.flat().map((upload) => [upload.uploadId, upload])).values()];
}

async function forgetUploads(names: readonly string[], context: Context): Promise<void> {
  const { dirs, io, notes, signal } = context;
  const kept = await findKept(names, context);
  const active = kept.find(({ isActive }) => isActive);
  if (active) {
    throw new ClipctlError(
      'unfinished',
      `${active.file.realPath} is being uploaded by process ${active.pid ?? '?'}`,
      {
        hint: 'stop it first',
      },
    );
  }
  if (context.flags.dryRun) {
    const started = kept.filter(({ stage }) => stage === 'started');
    const requests = started.map(() => ({ method: 'DELETE', url: '{location}', headers: {}, body: null }));
    return showDryRun(context, requests);
  }
  const what = kept.length === 1 ? `the upload of ${kept[0]?.file.realPath}` : `${kept.length} uploads`;
  if (!(await context.confirm(`Forget ${what}?`)))
    throw new CancelledError('SIGINT', 'nothing was forgotten');
  const { createConnector } = await import('../client/connector.js');
  const { forgetUpload } = await import('../transfer/uploads-kept.js');
  const connector = createConnector(io.env);
  try {
    for (const { uploadId } of kept) {
      const deps = { connector, nowMs: io.now().getTime(), signal };
      for (const { upload, isCancelled } of await forgetUpload(dirs.state, uploadId, deps)) {
        if (upload.stage === 'started' && !isCancelled) {
          notes.note(
            `the storage did not confirm that ${uploadId} is cancelled; it goes by itself in about a week`,
          );
        }
      }
    }
  } finally {
    connector.close();
  }
  await context.output.result({
    json: kept.map(({ uploadId, file }) => ({ uploadId, path: file.realPath, forgotten: true })),
    lines: kept.map(({ uploadId }) => uploadId),
  });
}
