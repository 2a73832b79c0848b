import { requireAccount } from '../accounts-file.js';
import { isIdText, newId } from '../ids.js';
import type { ServiceContext } from '../service-context.js';
import { ServiceError } from '../service-error.js';
import type { Database } from '../store/database.js';
import { findJob, insertJob, type JobRow } from '../store/jobs.js';
import { requireClipFile } from './find-or-refuse.js';
import type { RouteHandlers } from './route-types.js';

type JobRoutes = Pick<RouteHandlers, 'createCensorJob' | 'getCensorJob' | 'createCopyJob' | 'getCopyJob'>;

const MAX_PROMPT_CHARS = 4000;

export function createJobRoutes(context: ServiceContext): JobRoutes {
  const { db, now, paths, wake } = context;
  return {
    async createCensorJob({ body }) {
      const { clipId } = await requireClipFile(context, body.projectId, body.clipId);
      const jobId = newId('censorJob');
      insertJob(db, { jobId, kind: 'censor', clipId, request: body.options ?? {} }, now().toISOString());
      wake();
      return { jobId, message: 'the censor job is queued' };
    },
    getCensorJob({ params }) {
      const { jobId, status, error, result } = requireJob(db, 'censor', params.jobId);
      return { ...result, jobId, status, error };
    },
    async createCopyJob({ body }) {
      const { prompt = '' } = body;
      if (prompt.length > MAX_PROMPT_CHARS) {
        throw new ServiceError('InvalidRequest', `prompt: longer than ${MAX_PROMPT_CHARS} characters`);
      }
      const { clipId } = await requireClipFile(context, body.projectId, body.clipId);
      const account = await requireAccount(paths, body);
      const jobId = newId('copyJob');
      const { postAccountId, platform = '' } = account;
      const { subAccountId = '', forceRegenerate = false } = body;
      const request = { prompt, platform, postAccountId, subAccountId, forceRegenerate };
      insertJob(db, { jobId, kind: 'copy', clipId, request }, now().toISOString());
      wake();
      return { jobId };
    },
    getCopyJob({ params }) {
      const { jobId, status, error, result } = requireJob(db, 'copy', params.jobId);
      return { cached: false, ...result, jobId, status, error };
    },
  };
}

function requireJob(db: Database, kind: JobRow['kind'], jobId: string | undefined): JobRow {
  const job = jobId !== undefined && isIdText(jobId) ? findJob(db, kind, jobId) : undefined;
  if (!job) throw new ServiceError('NotFound', 'no such job');
  return job;
}
