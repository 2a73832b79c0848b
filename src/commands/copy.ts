import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { usageError } from '../errors.js';
import { chooseAccount } from './accounts.js';
import { checkId, readOneClip } from './clip-ids.js';
import { planRequest, showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';
import { recordHistory } from './record-history.js';
import { guardShortForm } from './short-form.js';
import { readWaitFlags } from './wait-and-download.js';
import { waitForJob } from './wait-for-job.js';

interface CopyFlags {
  project?: string;
  account?: string;
  subAccount?: string;
  prompt?: string;
  forceRegenerate?: true;
  wait?: true;
  waitTimeout?: string;
}

export function registerCopy(command: Command, context: Context): void {
  const create = command
    .command('create <clip>', { isDefault: true })
    .description('ask for social copy of a clip; prints the job id')
    .option('--account <postAccountId>', 'the account the copy is for')
    .option('--sub-account <id>', 'page or business account of it')
    .option('--project <id>', 'the project of a bare clip id')
    .option('--prompt <text>', 'style or tone')
    .option('--force-regenerate', 'do not take a result that is already there')
    .option('--wait', 'wait for the copy and print it')
    .option('--wait-timeout <duration>', 'with --wait: give up after this long (exit 9)')
    .action(async (clip, options) => createCopy(clip, options, context));
  guardShortForm(create);
  addHelp(create, {
    about: 'clipctl copy <clip> is short for clipctl copy create <clip>.',
    examples: [
      'copy create P123.C1 --account A1 --prompt "short and dry" --wait',
      'copy P123.C1 --account A1',
    ],
    exitCodes: [3, 5, 8, 9, 10, 11],
  });
  const get = command
    .command('get <jobId>')
    .description('show a social copy job (not in the interface document)')
    .action(async (jobId) => getCopy(jobId, context));
  addHelp(get, { examples: ['copy get J123 --json'], exitCodes: [3, 5, 8] });
}

async function createCopy(text: string, flags: CopyFlags, context: Context): Promise<void> {
  const { timeoutMs } = await readWaitFlags({ wait: flags.wait, waitTimeout: flags.waitTimeout });
  const { projectId, clipId } = await readOneClip(text, flags.project, context);
  if (flags.prompt?.trim() === '') throw usageError('--prompt is empty');
  const body = {
    projectId,
    clipId,
    ...(await chooseAccount(flags, context)),
    ...(flags.prompt === undefined ? {} : { prompt: flags.prompt }),
    ...(flags.forceRegenerate ? { forceRegenerate: true } : {}),
  };
  if (context.flags.dryRun) {
    const { jobRoutes } = await import('../api/jobs.js');
    return showDryRun(context, [await planRequest(context.shownBaseUrl, jobRoutes.createCopyJob, { body })]);
  }
  const connection = await context.connect();
  const { api } = connection;
  const job = await api.createCopyJob(body);
  await recordHistory(context, connection, {
    kind: 'copy',
    id: job.jobId,
    projectId,
    clipId,
    accountId: body.postAccountId,
    subAccountId: body.subAccountId,
  });
  context.output.lines([job.jobId]);
  if (!flags.wait) {
    context.notes.next(`clipctl copy get ${job.jobId}`);
    return context.output.document(job);
  }
  const { signal } = context;
  const again = `clipctl copy get ${job.jobId}`;
  const ask = () => api.getCopyJob(job.jobId, { signal });
  const done = await waitForJob({ id: job.jobId, kind: 'social copy', again, timeoutMs }, ask, context);
  context.notes.say(printable(done).join('\n'));
  await context.output.document({ ...job, ...done });
}

/** The members of the answer for a person, whatever they are called. */
function printable(job: object): string[] {
  return Object.entries(job)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

async function getCopy(jobId: string, context: Context): Promise<void> {
  checkId(jobId, 'job id');
  const { api } = await context.connect();
  const job = await api.getCopyJob(jobId);
  if (context.output.json) return context.output.document(job);
  context.output.text(`${printable(job).join('\n')}\n`);
}
