import { dataPaths } from '../../../src/service/data-dir.js';
import { newId } from '../../../src/service/ids.js';
import { type Database, openDatabase } from '../../../src/service/store/database.js';
import type { TestService } from '../../helpers/local-service.js';

/** Runs `work` on the store of a running service, as another process would. */
export async function withStore<T>({ dataDir }: TestService, work: (db: Database) => T): Promise<T> {
  const db = await openDatabase(dataPaths(dataDir).store);
  try {
    return db.transaction(() => work(db));
  } finally {
    db.close();
  }
}

export interface SeedProject {
  title: string;
  stage?: string;
  error?: string;
  source?: string;
  createdAt?: string;
}

/** A project that no worker touches: it is not due before the year 9999. */
export function seedProject(db: Database, project: SeedProject): string {
  const projectId = newId('project');
  const at = project.createdAt ?? new Date().toISOString();
  db.run(
    `INSERT INTO projects (project_id, stage, source_kind, source, title, preferences, visibility, error, notes, tries,
       stall_count, due_at, storage_bytes, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, '{}', 'DEFAULT', ?, '[]', 0, 0, '9999-01-01T00:00:00.000Z', 0, ?, ?)`,
    projectId,
    project.stage ?? 'COMPLETE',
    project.source ? 'address' : 'upload',
    project.source ?? 'Usample',
    project.title,
    project.error ?? null,
    at,
    at,
  );
  return projectId;
}

/** A clip that was chosen and not rendered. */
export function seedClip(
  db: Database,
  projectId: string,
  words: { title: string; reason?: string; text?: string; position?: number; notes?: string[] },
): string {
  const clipId = newId('clip');
  const moment = {
    startSec: 3,
    endSec: 21.5,
    score: 1.2,
    features: { hook: 0.8, silence: 0.2 },
    reason: words.reason ?? 'It opens with a hook.',
    title: words.title,
    text: words.text ?? '',
  };
  db.run(
    `INSERT INTO clips (clip_id, project_id, position, moment, version, notes, created_at) VALUES (?, ?, ?, ?, 0, ?, ?)`,
    clipId,
    projectId,
    words.position ?? 0,
    JSON.stringify(moment),
    JSON.stringify(words.notes ?? []),
    new Date().toISOString(),
  );
  return clipId;
}

export function seedSchedule(
  db: Database,
  clipId: string,
  post: { publishAt: string; title: string; state?: string; isLate?: boolean },
): void {
  db.run(
    `INSERT INTO schedules (schedule_id, clip_id, request, publish_at, state, is_late, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    newId('schedule'),
    clipId,
    JSON.stringify({ postAccountId: 'sample-account', postDetail: { title: post.title } }),
    post.publishAt,
    post.state ?? 'SCHEDULED',
    post.isLate ? 1 : 0,
    new Date().toISOString(),
  );
}

export function seedJob(
  db: Database,
  clipId: string,
  job: { kind: 'censor' | 'copy'; status?: string; error?: string; platform?: string; result?: object },
): void {
  const at = new Date().toISOString();
  db.run(
    `INSERT INTO jobs (job_id, kind, clip_id, request, status, error, result, due_at, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, '9999-01-01T00:00:00.000Z', ?, ?)`,
    newId(job.kind === 'censor' ? 'censorJob' : 'copyJob'),
    job.kind,
    clipId,
    JSON.stringify({ platform: job.platform }),
    job.status ?? 'CONCLUDED',
    job.error ?? null,
    job.result ? JSON.stringify(job.result) : null,
    at,
    at,
  );
}

export function seedDelivery(
  db: Database,
  delivery: { subject: string; target: string; body: string; state?: string; error?: string; kind?: string },
): void {
  db.run(
    `INSERT INTO deliveries (delivery_id, kind, target, subject, body, state, tries, due_at, last_error, created_at)
     VALUES (?, ?, ?, ?, ?, ?, 1, '9999-01-01T00:00:00.000Z', ?, ?)`,
    newId('delivery'),
    delivery.kind ?? 'WEBHOOK',
    delivery.target,
    delivery.subject,
    delivery.body,
    delivery.state ?? 'DELIVERED',
    delivery.error ?? null,
    new Date().toISOString(),
  );
}

export function seedCollection(db: Database, name: string, clipIds: readonly string[]): string {
  const collectionId = newId('collection');
  const at = new Date().toISOString();
  db.run('INSERT INTO collections VALUES (?, ?, ?, ?)', collectionId, name, at, at);
  for (const clipId of clipIds)
    db.run('INSERT INTO collection_contents VALUES (?, ?, ?)', collectionId, clipId, at);
  return collectionId;
}
