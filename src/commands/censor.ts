import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Connection, Context } from '../context.js';
import { ClipctlError } from '../errors.js';
import { type ClipId, checkId, guardMistypedVerb, readClipIds } from './clip-ids.js';
import { planRequest, showDryRun } from './dry-run.js';
import { eachItem, throwFailures } from './each-item.js';
import { addHelp } from './help-text.js';
import { readWaitFlags } from './wait-and-download.js';

interface CensorFlags {
  project?: string;
  beep?: boolean;
  wait?: true;
  waitTimeout?: string;
}

export function registerCensor(command: Command, context: Context): void {
  const create = command
    .command('create <clip...>', { isDefault: true })
    .description('censor words in clips; prints the job ids')
    .option('--project <id>', 'the project of bare clip ids')
    .option('--beep', 'a beep over the words')
    .option('--no-beep', 'silence instead of a beep')
    .option('--wait', 'wait until the jobs are concluded')
    .option('--wait-timeout <duration>', 'with --wait: give up after this long (exit 9)')
    .action(async (clips, options, self) => {
      guardMistypedVerb(clips, self as CommandUnknownOpts);
      await createCensorJobs(clips, options, context);
    });
  addHelp(create, {
    about: 'clipctl censor <clip> is short for clipctl censor create <clip>.',
    examples: ['censor create P123.C1 --beep --wait', 'censor P123.C1 P123.C2 --no-beep'],
    exitCodes: [3, 5, 8, 9, 10, 11, 12],
  });
  const status = command
    .command('status <jobId>')
    .description('show a censor job')
    .action(async (jobId) => showCensorJob(jobId, context));
  addHelp(status, {
    examples: ['censor status J123', 'censor status J123 --query status'],
    exitCodes: [3, 5, 8],
  });
}

interface CensorJob {
  jobId?: string | null;
  message?: string | null;
}

async function createCensorJobs(
  texts: readonly string[],
  flags: CensorFlags,
  context: Context,
): Promise<void> {
  const { timeoutMs } = await readWaitFlags({ wait: flags.wait, waitTimeout: flags.waitTimeout });
  const clips = await readClipIds(texts, flags.project, context);
  const bodyOf = ({ projectId, clipId }: ClipId) => ({
    projectId,
    clipId,
    ...(flags.beep === undefined ? {} : { options: { beepSound: flags.beep } }),
  });
  if (context.flags.dryRun) {
    const { jobRoutes } = await import('../api/jobs.js');
    const plan = clips.map((clip) =>
      planRequest(context.shownBaseUrl, jobRoutes.createCensorJob, { body: bodyOf(clip) }),
    );
    return showDryRun(context, await Promise.all(plan));
  }
  const connection = await context.connect();
  const outcomes = await eachItem(clips, async (clip) => {
    const job: CensorJob = await connection.api.createCensorJob(bodyOf(clip));
    if (job.jobId) context.output.lines([job.jobId]);
    else context.notes.tell(`${clip.contentId}: no job was needed${job.message ? `: ${job.message}` : ''}`);
    if (!flags.wait || !job.jobId) return job;
    return { ...job, ...(await waitForJob(job.jobId, timeoutMs, connection, context)) };
  });
  const made = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []));
  if (!flags.wait && made.some(({ jobId }) => jobId))
    context.notes.next(`clipctl censor status ${made[0]?.jobId ?? ''}`);
  if (clips.length > 1 || made.length > 0) await context.output.document(clips.length > 1 ? made : made[0]);
  throwFailures(outcomes, context, ({ contentId }) => contentId);
}

const POLL_MS = 1000;

/** Waits until a job is concluded; its `error` is the command's. */
async function waitForJob(
  jobId: string,
  timeoutMs: number | undefined,
  { api }: Pick<Connection, 'api'>,
  { signal }: Pick<Context, 'signal'>,
): Promise<{ status?: string; error?: string | null }> {
  const { CENSOR_CONCLUDED } = await import('../api/jobs.js');
  const { pollUntil } = await import('../client/wait.js');
  const job = await pollUntil(
    () => api.getCensorJob(jobId, { signal }),
    ({ status, error }) => status === CENSOR_CONCLUDED || Boolean(error),
    { signal, timeoutMs, everyMs: POLL_MS, again: `clipctl censor status ${jobId}` },
  );
  if (job.error) throw new ClipctlError('job-failed', `censor job ${jobId} failed`, { reason: job.error });
  return job;
}

async function showCensorJob(jobId: string, context: Context): Promise<void> {
  checkId(jobId, 'job id');
  const { api } = await context.connect();
  const job = await api.getCensorJob(jobId);
  await context.output.result({
    json: { jobId, ...job },
    table: { header: ['JOB', 'STATUS', 'ERROR'], rows: [[jobId, job.status ?? '', job.error ?? '']] },
  });
}
