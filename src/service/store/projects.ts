import { FINAL_STAGES, type ProjectPreferences, type Stage } from '../../api/projects.js';
import type { Database, Row } from './database.js';

export const SOURCE_KINDS = ['upload', 'address'] as const;

export interface ProjectRow {
  projectId: string;
  /** The stage being worked on; everything before it is finished. */
  stage: Stage;
  sourceKind: (typeof SOURCE_KINDS)[number];
  /** Upload id or address. */
  source: string;
  /** Path of the video relative to the data directory, once IMPORT has found it. */
  sourceFile: string | null;
  title: string | null;
  preferences: ProjectPreferences;
  visibility: string;
  error: string | null;
  notes: string[];
  /** Failed tries of the present stage. */
  tries: number;
  /** Failed tries of all stages. */
  stallCount: number;
  /** How often the service died while it worked on this, since it last got on. */
  cutOffs: number;
  storageBytes: number;
  createdAt: string;
  updatedAt: string;
}

export type NewProject = Pick<ProjectRow, 'projectId' | 'sourceKind' | 'source' | 'title' | 'preferences'>;

const FINAL = FINAL_STAGES.map((stage) => `'${stage}'`).join(', ');

export function insertProject(db: Database, project: NewProject, at: string): void {
  db.run(
    `INSERT INTO projects (project_id, stage, source_kind, source, title, preferences, visibility, notes, tries,
       stall_count, due_at, storage_bytes, created_at, updated_at)
     VALUES (?, 'QUEUED', ?, ?, ?, ?, 'DEFAULT', '[]', 0, 0, ?, 0, ?, ?)`,
    project.projectId,
    project.sourceKind,
    project.source,
    project.title,
    JSON.stringify(project.preferences),
    at,
    at,
    at,
  );
}

export function findProject(db: Database, projectId: string): ProjectRow | undefined {
  const row = db.get('SELECT * FROM projects WHERE project_id = ?', projectId);
  return row && toProject(row);
}

export function countProjects(db: Database): number {
  return Number(db.get('SELECT COUNT(*) AS n FROM projects')?.n ?? 0);
}

export function setVisibility(db: Database, projectId: string, visibility: string, at: string): void {
  db.run(
    'UPDATE projects SET visibility = ?, updated_at = ? WHERE project_id = ?',
    visibility,
    at,
    projectId,
  );
}

/**
 * Takes the oldest project that is due and nobody's, for `leaseUntil`. One that the service died of again and again
 * comes after all others.
 */
export function claimProject(db: Database, at: string, leaseUntil: string): ProjectRow | undefined {
  return db.transaction(() => {
    const row = db.get(
      `SELECT * FROM projects WHERE stage NOT IN (${FINAL}) AND due_at <= ? AND (lease_until IS NULL OR lease_until < ?)
       ORDER BY cut_offs >= 3, due_at, created_at LIMIT 1`,
      at,
      at,
    );
    if (!row) return undefined;
    db.run('UPDATE projects SET lease_until = ? WHERE project_id = ?', leaseUntil, String(row.project_id));
    return toProject(row);
  });
}

export function extendProjectLease(db: Database, projectId: string, leaseUntil: string): void {
  db.run(
    'UPDATE projects SET lease_until = ? WHERE project_id = ? AND lease_until IS NOT NULL',
    leaseUntil,
    projectId,
  );
}

export function releaseProject(db: Database, projectId: string): void {
  db.run('UPDATE projects SET lease_until = NULL WHERE project_id = ?', projectId);
}

/** At start: the process that held these is gone, or we would not have the data directory. Answers how many. */
export function releaseCutOff(db: Database): number {
  return db.run(
    `UPDATE projects SET lease_until = NULL, cut_offs = cut_offs + 1
     WHERE lease_until IS NOT NULL AND stage NOT IN (${FINAL})`,
  ).changes;
}

/** The project has got on in the middle of a stage. */
export function forgetCutOffs(db: Database, projectId: string): void {
  db.run('UPDATE projects SET cut_offs = 0 WHERE project_id = ?', projectId);
}

/** When the next project that is not final is due, or its lease ends; undefined when there is none. */
export function nextProjectDue(db: Database): string | undefined {
  const row = db.get(
    `SELECT MIN(MAX(due_at, COALESCE(lease_until, ''))) AS due FROM projects WHERE stage NOT IN (${FINAL})`,
  );
  return typeof row?.due === 'string' ? row.due : undefined;
}

/** Moves a project on: the stage before is finished. */
export function enterStage(db: Database, projectId: string, stage: Stage, at: string): void {
  db.run(
    'UPDATE projects SET stage = ?, tries = 0, cut_offs = 0, error = NULL, updated_at = ? WHERE project_id = ?',
    stage,
    at,
    projectId,
  );
}

/** A finished project whose clips have to be made again. */
export function reopenProject(db: Database, projectId: string, at: string): void {
  enterStage(db, projectId, 'RENDER', at);
  db.run('UPDATE projects SET due_at = ? WHERE project_id = ?', at, projectId);
}

/** Answers false when it was told before: a project that is made again does not conclude again. */
export function setConcluded(db: Database, projectId: string, at: string): boolean {
  const sql = 'UPDATE projects SET concluded_at = ? WHERE project_id = ? AND concluded_at IS NULL';
  return db.run(sql, at, projectId).changes > 0;
}

export function setSource(db: Database, projectId: string, sourceFile: string, at: string): void {
  db.run(
    'UPDATE projects SET source_file = ?, updated_at = ? WHERE project_id = ?',
    sourceFile,
    at,
    projectId,
  );
}

export function setProjectNotes(db: Database, projectId: string, notes: readonly string[]): void {
  db.run('UPDATE projects SET notes = ? WHERE project_id = ?', JSON.stringify(notes), projectId);
}

export function setStorageBytes(db: Database, projectId: string, storageBytes: number): void {
  db.run('UPDATE projects SET storage_bytes = ? WHERE project_id = ?', storageBytes, projectId);
}

/** A try failed: the stage is tried again at `dueAt`, or the project is STALLED when that is null. */
export function failTry(
  db: Database,
  projectId: string,
  failure: { error: string; dueAt: string | null; at: string },
): void {
  db.run(
    `UPDATE projects SET tries = tries + 1, stall_count = stall_count + 1, error = ?, due_at = COALESCE(?, due_at),
       stage = CASE WHEN ? IS NULL THEN 'STALLED' ELSE stage END, lease_until = NULL, updated_at = ?
     WHERE project_id = ?`,
    failure.error,
    failure.dueAt,
    failure.dueAt,
    failure.at,
    projectId,
  );
}

function toProject(row: Row): ProjectRow {
  return {
    projectId: String(row.project_id),
    stage: row.stage as Stage,
    sourceKind: row.source_kind as ProjectRow['sourceKind'],
    source: String(row.source),
    sourceFile: row.source_file as string | null,
    title: row.title as string | null,
    preferences: JSON.parse(String(row.preferences)),
    visibility: String(row.visibility),
    error: row.error as string | null,
    notes: JSON.parse(String(row.notes)),
    tries: Number(row.tries),
    stallCount: Number(row.stall_count),
    cutOffs: Number(row.cut_offs),
    storageBytes: Number(row.storage_bytes),
    createdAt: String(row.created_at),
    updatedAt: String(row.updated_at),
  };
}
