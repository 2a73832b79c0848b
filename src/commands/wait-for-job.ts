import type { Context } from '../context.js';
import { ClipctlError } from '../errors.js';

/** What a job tells of itself. The document shows one status of one kind of job; others are taken as they come. */
export interface JobState {
  status?: string;
  error?: string | null;
}

const FAILED = /^(FAILED|FAILURE|ERROR|STALLED|CANCELL?ED|ABORTED|REJECTED)$/i;
const DONE = /^(CONCLUDED|COMPLETED?|DONE|FINISHED|READY|SUCCESS|SUCCEEDED)$/i;

const POLL_MS = 500;

/**
 * Asks until a job has ended. An answer without a status is the end too: there is nothing to wait by. A job with an
 * `error` has failed, whatever its status: `job-failed` (exit 11).
 */
export async function waitForJob<T extends JobState>(
  job: { id: string; kind: string; again: string; timeoutMs?: number },
  ask: () => Promise<T>,
  { signal, notes }: Pick<Context, 'signal' | 'notes'>,
): Promise<T> {
  const { explainBreak, pollUntil } = await import('../client/wait.js');
  let shown: string | undefined;
  const last = await pollUntil(ask, isOver, {
    signal,
    timeoutMs: job.timeoutMs,
    everyMs: POLL_MS,
    again: job.again,
    onValue: ({ status }) => {
      if (status !== undefined && status !== shown) notes.say(`${job.kind} job ${job.id}: ${status}`);
      shown = status;
    },
  }).catch((error: unknown) => {
    throw explainBreak(error, { reason: 'the job goes on at the service', hint: job.again });
  });
  if (!last.error && !FAILED.test(last.status ?? '')) return last;
  throw new ClipctlError('job-failed', `${job.kind} job ${job.id} failed`, {
    reason: last.error || `its status is ${last.status}`,
    hint: `look at it with: ${job.again} --json`,
  });
}

function isOver({ status, error }: JobState): boolean {
  return Boolean(error) || status === undefined || DONE.test(status) || FAILED.test(status);
}
