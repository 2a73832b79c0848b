import type { ScheduleBody } from '../../api/schedules.js';
import type { Database, Row } from './database.js';

export const SCHEDULE_STATES = ['SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'CANCELLED', 'FAILED'] as const;
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

export interface ScheduleRow {
  scheduleId: string;
  clipId: string;
  request: ScheduleBody;
  /** ISO 8601 with milliseconds, UTC. */
  publishAt: string;
  state: ScheduleState;
  /** Name in the posts folder of the outbox. */
  folder: string | null;
  publishedAt: string | null;
  isLate: boolean;
  error: string | null;
  createdAt: string;
}

export function insertSchedule(
  db: Database,
  schedule: { scheduleId: string; clipId: string; request: ScheduleBody; publishAt: string },
  at: string,
): void {
  db.run(
    `INSERT INTO schedules (schedule_id, clip_id, request, publish_at, state, created_at) VALUES (?, ?, ?, ?, 'SCHEDULED', ?)`,
    schedule.scheduleId,
    schedule.clipId,
    JSON.stringify(schedule.request),
    schedule.publishAt,
    at,
  );
}

export function findSchedule(db: Database, scheduleId: string): ScheduleRow | undefined {
  const row = db.get('SELECT * FROM schedules WHERE schedule_id = ?', scheduleId);
  return row && toSchedule(row);
}

/** Answers false when it is not waiting any more. */
export function cancelSchedule(db: Database, scheduleId: string): boolean {
  const sql = `UPDATE schedules SET state = 'CANCELLED' WHERE schedule_id = ? AND state = 'SCHEDULED'`;
  return db.run(sql, scheduleId).changes > 0;
}

/** The next to publish. PUBLISHING are those that a crash left in between. */
export function nextSchedule(db: Database): ScheduleRow | undefined {
  const row = db.get(
    `SELECT * FROM schedules WHERE state IN ('SCHEDULED', 'PUBLISHING') ORDER BY publish_at LIMIT 1`,
  );
  return row && toSchedule(row);
}

/** From here on it cannot be cancelled. */
export function startPublishing(db: Database, scheduleId: string): void {
  db.run(`UPDATE schedules SET state = 'PUBLISHING' WHERE schedule_id = ?`, scheduleId);
}

export function setPublished(
  db: Database,
  scheduleId: string,
  { folder, at, isLate, error }: { folder: string; at: string; isLate: boolean; error: string | null },
): boolean {
  const sql = `UPDATE schedules SET state = 'PUBLISHED', folder = ?, published_at = ?, is_late = ?, error = ?
               WHERE schedule_id = ? AND state = 'PUBLISHING'`;
  return db.run(sql, folder, at, isLate ? 1 : 0, error, scheduleId).changes > 0;
}

export function setScheduleFailed(db: Database, scheduleId: string, error: string): void {
  db.run(`UPDATE schedules SET state = 'FAILED', error = ? WHERE schedule_id = ?`, error, scheduleId);
}

function toSchedule(row: Row): ScheduleRow {
  return {
    scheduleId: String(row.schedule_id),
    clipId: String(row.clip_id),
    request: JSON.parse(String(row.request)),
    publishAt: String(row.publish_at),
    state: row.state as ScheduleState,
    folder: row.folder as string | null,
    publishedAt: row.published_at as string | null,
    isLate: row.is_late === 1,
    error: row.error as string | null,
    createdAt: String(row.created_at),
  };
}
