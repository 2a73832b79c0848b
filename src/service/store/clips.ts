import type { CensoredWord } from '../media/censor-words.js';
import type { Moment, RenderedClip } from '../media/media-types.js';
import type { Database, Row } from './database.js';

export interface ClipRow {
  /** Bare clip id (`curationId`). */
  clipId: string;
  projectId: string;
  /** Place in the project, from 0. */
  position: number;
  /** Where in the source it lies, and why it was chosen. */
  moment: Moment;
  /** What censor jobs have taken out of it so far. */
  censored: CensoredWord[];
  /** Name in the clips folder; null until rendered. */
  file: string | null;
  /** 1 for the first rendering; a censored one is a new version. */
  version: number;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  sizeBytes: number | null;
  notes: string[];
  createdAt: string;
  renderedAt: string | null;
}

/** Replaces the planned clips of a project. Only before any is rendered. */
export function replaceClips(
  db: Database,
  projectId: string,
  clips: readonly { clipId: string; moment: Moment }[],
  at: string,
): void {
  db.run('DELETE FROM clips WHERE project_id = ?', projectId);
  clips.forEach(({ clipId, moment }, position) => {
    db.run(
      `INSERT INTO clips (clip_id, project_id, position, moment, version, notes, created_at) VALUES (?, ?, ?, ?, 0, '[]', ?)`,
      clipId,
      projectId,
      position,
      JSON.stringify(moment),
      at,
    );
  });
}

export function listClips(db: Database, projectId: string): ClipRow[] {
  return db.all('SELECT * FROM clips WHERE project_id = ? ORDER BY position', projectId).map(toClip);
}

/** Files of the rendered clips of finished projects. */
export function listClipFiles(db: Database): { projectId: string; file: string }[] {
  const sql = `SELECT project_id, file FROM clips JOIN projects USING (project_id)
               WHERE stage = 'COMPLETE' AND file IS NOT NULL`;
  return db.all(sql).map((row) => ({ projectId: String(row.project_id), file: String(row.file) }));
}

export function findClip(db: Database, projectId: string, clipId: string): ClipRow | undefined {
  const row = db.get('SELECT * FROM clips WHERE clip_id = ? AND project_id = ?', clipId, projectId);
  return row && toClip(row);
}

export function findClipById(db: Database, clipId: string): ClipRow | undefined {
  const row = db.get('SELECT * FROM clips WHERE clip_id = ?', clipId);
  return row && toClip(row);
}

/** The file must be durable before. Answers the file name it takes the place of. */
export function setRendered(
  db: Database,
  clipId: string,
  rendered: RenderedClip & { file: string },
  at: string,
): string | undefined {
  return db.transaction(() => {
    const older = db.get('SELECT file FROM clips WHERE clip_id = ?', clipId)?.file;
    db.run(
      `UPDATE clips SET file = ?, version = version + 1, width = ?, height = ?, duration_ms = ?, size_bytes = ?, notes = ?,
         rendered_at = ? WHERE clip_id = ?`,
      rendered.file,
      rendered.width,
      rendered.height,
      Math.round(rendered.durationSec * 1000),
      rendered.sizeBytes,
      JSON.stringify(rendered.notes),
      at,
      clipId,
    );
    return typeof older === 'string' ? older : undefined;
  });
}

/** What is not heard any more must not be read any more: both change at once. */
export function setCensored(
  db: Database,
  clipId: string,
  { censored, moment }: Pick<ClipRow, 'censored' | 'moment'>,
): void {
  const sql = 'UPDATE clips SET censored = ?, moment = ? WHERE clip_id = ?';
  db.run(sql, JSON.stringify(censored), JSON.stringify(moment), clipId);
}

/** The file was lost: the clip is planned again. */
export function setUnrendered(db: Database, clipId: string): void {
  db.run('UPDATE clips SET file = NULL, rendered_at = NULL WHERE clip_id = ?', clipId);
}

export function toClip(row: Row): ClipRow {
  return {
    clipId: String(row.clip_id),
    projectId: String(row.project_id),
    position: Number(row.position),
    moment: JSON.parse(String(row.moment)),
    censored: JSON.parse(String(row.censored)),
    file: row.file as string | null,
    version: Number(row.version),
    width: row.width as number | null,
    height: row.height as number | null,
    durationMs: row.duration_ms as number | null,
    sizeBytes: row.size_bytes as number | null,
    notes: JSON.parse(String(row.notes)),
    createdAt: String(row.created_at),
    renderedAt: row.rendered_at as string | null,
  };
}
