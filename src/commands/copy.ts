import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { ClipctlError, usageError } from '../errors.js';
import { chooseAccount } from './accounts.js';
import { checkId, guardMistypedVerb, readClipId } from './clip-ids.js';
import { planRequest, showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';
import { readWaitFlags } from './wait-and-download.js';

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
    .action(async (clip, options, self) => {
      guardMistypedVerb([clip], self as CommandUnknownOpts);
      await createCopy(clip, options, context);
    });
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
  const { projectId, clipId } = readClipId(text, flags.project, context);
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
  const { api } = await context.connect();
  const job = await api.createCopyJob(body);
  context.output.lines([job.jobId]);
  if (!flags.wait) {
    context.notes.next(`clipctl copy get ${job.jobId}`);
    return context.output.document(job);
  }
  const { pollUntil } = await import('../client/wait.js');
  const { signal } = context;
  const done = await pollUntil(
    () => api.getCopyJob(job.jobId, { signal }),
    (seen) => isFinal(seen),
    { signal, timeoutMs, everyMs: POLL_MS, again: `clipctl copy get ${job.jobId}` },
  );
  throwIfFailed(job.jobId, done);
  context.notes.say(printable(done));
  await context.output.document({ ...job, ...done });
}

const POLL_MS = 1000;

/** The document shows no status of these jobs: everything that does not sound like waiting ends it. */
function isFinal({ status, error }: { status?: string; error?: string | null }): boolean {
  return (
    Boolean(error) ||
    !/^(PENDING|QUEUED|PROCESSING|RUNNING|IN_?PROGRESS|STARTED|CREATED)$/i.test(status ?? 'CONCLUDED')
  );
}

function throwIfFailed(jobId: string, { status, error }: { status?: string; error?: string | null }): void {
  if (!error && !/^(FAILED|ERROR|STALLED|CANCELLED)$/i.test(status ?? '')) return;
  throw new ClipctlError('job-failed', `social copy job ${jobId} failed`, { reason: error ?? status });
}

/** The members of the answer for a person, whatever they are called. */
function printable(job: object): string {
  return Object.entries(job)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

async function getCopy(jobId: string, context: Context): Promise<void> {
  checkId(jobId, 'job id');
  const { api } = await context.connect();
  const job = await api.getCopyJob(jobId);
  context.notes.say(printable(job));
  await context.output.result({ json: job, lines: [jobId] });
}
