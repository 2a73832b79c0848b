import type { Command } from '@commander-js/extra-typings';
import type { Connection, Context } from '../context.js';
import { type ClipId, checkId, readClipIds } from './clip-ids.js';
import { planRequest, showDryRun } from './dry-run.js';
import { eachItem, finishItems, type ItemOutcome } from './each-item.js';
import { addHelp } from './help-text.js';
import { recordHistory } from './record-history.js';
import { guardShortForm } from './short-form.js';
import { readWaitFlags } from './wait-and-download.js';
import { waitForJob } from './wait-for-job.js';

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
    .action(async (clips, options) => createCensorJobs(clips, options, context));
  guardShortForm(create);
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
  const { api } = connection;
  const created = await eachItem(clips, async (clip) => {
    const job: CensorJob = await api.createCensorJob(bodyOf(clip));
    tellCreated(clip, job, context);
    const { projectId, clipId } = clip;
    if (job.jobId)
      await recordHistory(context, connection, { kind: 'censor', id: job.jobId, projectId, clipId });
    return job;
  });
  const outcomes = flags.wait ? await waitForAll(created, timeoutMs, api, context) : created;
  const first = outcomes.find((outcome) => outcome.ok && outcome.value.jobId);
  if (!flags.wait && first?.ok) context.notes.next(`clipctl censor status ${first.value.jobId}`);
  const { errorAsJson } = await import('../terminal/report-error.js');
  const documents = outcomes.map((outcome) =>
    outcome.ok
      ? { jobId: null, ...outcome.value }
      : { contentId: outcome.item.contentId, ...outcome.value, ...errorAsJson(outcome.error) },
  );
  await finishItems(outcomes, context, {
    name: ({ contentId }) => contentId,
    print: () => context.output.document(clips.length > 1 ? documents : documents[0]),
  });
}

/** The id as soon as it is known: a wait that is broken off must not lose it. */
function tellCreated(
  clip: ClipId,
  { jobId, message }: CensorJob,
  { output, notes }: Pick<Context, 'output' | 'notes'>,
): void {
  if (jobId) output.lines([jobId]);
  else notes.tell(`${clip.contentId}: no job was needed${message ? `: ${message}` : ''}`);
}

/** All jobs are waited for at the same time; each ends in its own way. */
function waitForAll(
  created: readonly ItemOutcome<ClipId, CensorJob>[],
  timeoutMs: number | undefined,
  api: Connection['api'],
  context: Pick<Context, 'signal' | 'notes'>,
): Promise<ItemOutcome<ClipId, CensorJob>[]> {
  return Promise.all(
    created.map(async (outcome) => {
      const id = outcome.ok ? outcome.value.jobId : undefined;
      if (!outcome.ok || !id) return outcome;
      const { item } = outcome;
      let value: CensorJob = outcome.value;
      const ask = async () => {
        const state = await api.getCensorJob(id, { signal: context.signal });
        value = { ...value, ...state };
        return state;
      };
      const job = { id, kind: 'censor', again: `clipctl censor status ${id}`, timeoutMs };
      return waitForJob(job, ask, context).then(
        () => ({ item, ok: true as const, value }),
        (error: unknown) => ({ item, ok: false as const, value, error }),
      );
    }),
  );
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
