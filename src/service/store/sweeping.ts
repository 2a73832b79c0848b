import { FINAL_STAGES } from '../../api/projects.js';
import type { Database } from './database.js';

/*
 * What the sweep asks the store. Names of files are asked for one at a time, by primary or unique keys, so that a
 * store of any size is swept without holding it in memory.
 */

const FINAL = FINAL_STAGES.map((stage) => `'${stage}'`).join(', ');

const has = (db: Database, sql: string, name: string) =>
  db.get(`SELECT 1 AS n FROM ${sql}`, name) !== undefined;

/** Whether a file of the uploads folder belongs to a session that is open or complete. */
export function isSessionFile(db: Database, sessionId: string): boolean {
  return has(db, `upload_sessions WHERE session_id = ? AND state <> 'cancelled'`, sessionId);
}

/** Open sessions whose time is over. */
export function listExpiredSessions(db: Database, at: string): { token: string; sessionId: string }[] {
  const sql = `SELECT token, session_id FROM upload_sessions WHERE state = 'open' AND expires_at <= ?`;
  return db.all(sql, at).map((row) => ({ token: String(row.token), sessionId: String(row.session_id) }));
}

/** Removes rows of sessions and links that ended before `at` without a file. Answers how many. */
export function deleteEndedUploads(db: Database, at: string): number {
  return db.transaction(() => {
    const sessions = db.run(
      `DELETE FROM upload_sessions WHERE state = 'cancelled' AND expires_at <= ?`,
      at,
    ).changes;
    const links = db.run(
      `DELETE FROM uploads WHERE state = 'waiting' AND expires_at <= ?
       AND NOT EXISTS (SELECT 1 FROM upload_sessions s WHERE s.upload_id = uploads.upload_id)`,
      at,
    ).changes;
    return sessions + links;
  });
}

export function isClipFile(db: Database, clipId: string, file: string): boolean {
  return db.get('SELECT 1 AS n FROM clips WHERE clip_id = ? AND file = ?', clipId, file) !== undefined;
}

export function isProject(db: Database, projectId: string): boolean {
  return has(db, 'projects WHERE project_id = ?', projectId);
}

/** Whether somebody may still be working on a project, or has been after `at`. */
export function isProjectInUse(db: Database, projectId: string, at: string): boolean {
  const sql = `SELECT 1 AS n FROM projects p WHERE project_id = ? AND (stage NOT IN (${FINAL}) OR updated_at > ?
    OR EXISTS (SELECT 1 FROM jobs j JOIN clips c USING (clip_id) WHERE c.project_id = p.project_id AND j.updated_at > ?)
    OR EXISTS (SELECT 1 FROM jobs j JOIN clips c USING (clip_id) WHERE c.project_id = p.project_id AND j.status <> 'CONCLUDED'))`;
  return db.get(sql, projectId, at, at) !== undefined;
}

/** Whether a post has yet to be published. */
export function isScheduleOpen(db: Database, scheduleId: string): boolean {
  return has(db, `schedules WHERE schedule_id = ? AND state IN ('SCHEDULED', 'PUBLISHING')`, scheduleId);
}
