import { CENSOR_CONCLUDED } from '../../api/jobs.js';
import type { Database, Row } from './database.js';

export const JOB_KINDS = ['censor', 'copy'] as const;
/** The document shows CONCLUDED only; a failed job is concluded too, with `error`. */
export const JOB_STATUSES = ['QUEUED', 'PROCESSING', CENSOR_CONCLUDED] as const;

export interface JobRow {
  jobId: string;
  kind: (typeof JOB_KINDS)[number];
  clipId: string;
  request: Record<string, unknown>;
  status: (typeof JOB_STATUSES)[number];
  error: string | null;
  result: Record<string, unknown> | null;
  tries: number;
  createdAt: string;
  updatedAt: string;
}

export interface NewJob {
  jobId: string;
  kind: JobRow['kind'];
  clipId: string;
  request: Record<string, unknown>;
}

export function insertJob(db: Database, job: NewJob, at: string): void {
  db.run(
    `INSERT INTO jobs (job_id, kind, clip_id, request, status, due_at, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'QUEUED', ?, ?, ?)`,
    job.jobId,
    job.kind,
    job.clipId,
    JSON.stringify(job.request),
    at,
    at,
    at,
  );
}

export function findJob(db: Database, kind: JobRow['kind'], jobId: string): JobRow | undefined {
  const row = db.get('SELECT * FROM jobs WHERE job_id = ? AND kind = ?', jobId, kind);
  return row && toJob(row);
}

/** The newest good result made for the same question. */
export function findCached(db: Database, cacheKey: string): Record<string, unknown> | undefined {
  const row = db.get(
    `SELECT result FROM jobs WHERE cache_key = ? AND status = 'CONCLUDED' AND error IS NULL ORDER BY created_at DESC LIMIT 1`,
    cacheKey,
  );
  return typeof row?.result === 'string' ? JSON.parse(row.result) : undefined;
}

/** Takes the oldest job of a kind that is due. */
export function claimJob(db: Database, kind: JobRow['kind'], at: string): JobRow | undefined {
  return db.transaction(() => {
    const sql = `SELECT * FROM jobs WHERE kind = ? AND status = 'QUEUED' AND due_at <= ? ORDER BY due_at, created_at LIMIT 1`;
    const row = db.get(sql, kind, at);
    if (!row) return undefined;
    db.run(`UPDATE jobs SET status = 'PROCESSING', updated_at = ? WHERE job_id = ?`, at, String(row.job_id));
    return toJob({ ...row, status: 'PROCESSING' });
  });
}

export function nextJobDue(db: Database, kind: JobRow['kind']): string | undefined {
  const due = db.get(`SELECT MIN(due_at) AS due FROM jobs WHERE kind = ? AND status = 'QUEUED'`, kind)?.due;
  return typeof due === 'string' ? due : undefined;
}

/** At start: what was under way when the last process ended is done again. */
export function requeueJobs(db: Database, kind: JobRow['kind']): void {
  db.run(`UPDATE jobs SET status = 'QUEUED' WHERE kind = ? AND status = 'PROCESSING'`, kind);
}

export function requeueJob(db: Database, jobId: string, dueAt: string): void {
  db.run(`UPDATE jobs SET status = 'QUEUED', tries = tries + 1, due_at = ? WHERE job_id = ?`, dueAt, jobId);
}

export function concludeJob(
  db: Database,
  jobId: string,
  end: { result?: Record<string, unknown>; error?: string; cacheKey?: string },
  at: string,
): void {
  db.run(
    `UPDATE jobs SET status = 'CONCLUDED', result = ?, error = ?, cache_key = ?, updated_at = ? WHERE job_id = ?`,
    end.result ? JSON.stringify(end.result) : null,
    end.error ?? null,
    end.cacheKey ?? null,
    at,
    jobId,
  );
}

function toJob(row: Row): JobRow {
  return {
    jobId: String(row.job_id),
    kind: row.kind as JobRow['kind'],
    clipId: String(row.clip_id),
    request: JSON.parse(String(row.request)),
    status: row.status as JobRow['status'],
    error: row.error as string | null,
    result: typeof row.result === 'string' ? JSON.parse(row.result) : null,
    tries: Number(row.tries),
    createdAt: String(row.created_at),
    updatedAt: String(row.updated_at),
  };
}
