import { join } from 'node:path';
import { ClipctlError } from '../../errors.js';
import type { ServiceContext } from '../service-context.js';
import { type ClipRow, findClipById } from '../store/clips.js';
import { claimJob, concludeJob, type JobRow, nextJobDue, requeueJob, requeueJobs } from '../store/jobs.js';
import type { LoopWork } from './loop.js';
import { describeFailure } from './project-worker.js';
import { hasFile } from './stages.js';

/** A failed job is tried so often; bad input once. */
const MAX_TRIES = 3;
const RETRY_PAUSE_MS = 1000;

/**
 * What a job does with its clip. It writes its own end to the store (with whatever else belongs to it, in one
 * transaction); an error it throws becomes the job's `error`.
 */
export type JobRunner = (job: JobRow, clip: ClipRow, signal: AbortSignal) => Promise<void>;

/** Jobs of one kind as a queue. What a crash cut off begins again. */
export function createJobWork(
  kind: JobRow['kind'],
  runJob: JobRunner,
  { db, now, log, paths }: Pick<ServiceContext, 'db' | 'now' | 'log' | 'paths'>,
): LoopWork<JobRow> {
  requeueJobs(db, kind);
  // The end of a job could not be written (a full disk): it must not look as if it were still under way.
  let hasLostEnd = false;
  return {
    takeNext() {
      if (hasLostEnd) requeueJobs(db, kind);
      hasLostEnd = false;
      return claimJob(db, kind, now().toISOString());
    },
    nextDueAt: () => nextJobDue(db, kind),
    async run(job, signal) {
      hasLostEnd = true;
      try {
        const clip = findClipById(db, job.clipId);
        if (!clip?.file || !(await hasFile(join(paths.clips, clip.file))))
          throw new ClipctlError('rejected', 'the clip is not here any more');
        await runJob(job, clip, signal);
        log(`${kind} job ${job.jobId}: concluded`);
      } catch (error) {
        const at = now();
        if (signal.aborted) {
          requeueJobs(db, kind);
        } else if (isFinal(error) || job.tries + 1 >= MAX_TRIES) {
          concludeJob(db, job.jobId, { error: describeFailure(error) }, at.toISOString());
          log(`${kind} job ${job.jobId}: ${describeFailure(error)}`);
        } else {
          requeueJob(db, job.jobId, new Date(at.getTime() + RETRY_PAUSE_MS).toISOString());
        }
      }
      hasLostEnd = false;
    },
  };
}

function isFinal(error: unknown): boolean {
  return error instanceof ClipctlError && error.kind === 'rejected';
}
