import type { Stage } from '../../api/projects.js';
import type { Database, Row } from '../store/database.js';
import { type DeliveryRow, toDelivery } from '../store/deliveries.js';
import type { JobRow } from '../store/jobs.js';

/*
 * What the pages read beyond the store's own questions: only the columns they show, always with a LIMIT, and page by
 * page from a known row on, so that a page in the middle of 10,000 costs what the first one does.
 */

/** Where the page before ended: the next one begins after it. */
export interface Cursor {
  at: string;
  id: string;
}

export interface PageOf<T> {
  rows: T[];
  /** Undefined on the last page. */
  next: Cursor | undefined;
}

export interface ProjectLine {
  projectId: string;
  stage: Stage;
  title: string | null;
  sourceKind: string;
  source: string;
  error: string | null;
  createdAt: string;
  /** Chosen moments; 0 before they are chosen. */
  clipCount: number;
  renderedCount: number;
}

const PROJECT_PAGE = `
  SELECT project_id, stage, title, source_kind, source, error, created_at,
    (SELECT COUNT(*) FROM clips WHERE clips.project_id = projects.project_id) AS clip_count,
    (SELECT COUNT(file) FROM clips WHERE clips.project_id = projects.project_id) AS rendered_count
  FROM projects
  WHERE created_at <= ? AND (created_at < ? OR project_id > ?)
  ORDER BY created_at DESC, project_id LIMIT ?`;

/** Newest first. */
export function pageOfProjects(db: Database, after: Cursor | undefined, limit: number): PageOf<ProjectLine> {
  const from = after ?? BEGINNING;
  const rows = db.all(PROJECT_PAGE, from.at, from.at, from.id, limit + 1).map((row) => ({
    projectId: String(row.project_id),
    stage: row.stage as Stage,
    title: row.title as string | null,
    sourceKind: String(row.source_kind),
    source: String(row.source),
    error: row.error as string | null,
    createdAt: String(row.created_at),
    clipCount: Number(row.clip_count),
    renderedCount: Number(row.rendered_count),
  }));
  return cutPage(rows, limit, (row) => ({ at: row.createdAt, id: row.projectId }));
}

/** Later than every time, so that everything comes after it. */
const BEGINNING: Cursor = { at: '~', id: '' };

/** Newest first. Bodies are cut: a page is no place for megabytes. */
export function pageOfDeliveries(
  db: Database,
  after: Cursor | undefined,
  limit: number,
): PageOf<DeliveryRow> {
  const from = after ?? BEGINNING;
  const sql = `SELECT *, substr(body, 1, 4000) AS shown FROM deliveries
               WHERE created_at <= ? AND (created_at < ? OR delivery_id > ?)
               ORDER BY created_at DESC, delivery_id LIMIT ?`;
  const rows = db
    .all(sql, from.at, from.at, from.id, limit + 1)
    .map(({ shown = null, ...row }) => toDelivery({ ...row, body: shown }));
  return cutPage(rows, limit, (row) => ({ at: row.createdAt, id: row.deliveryId }));
}

function cutPage<T>(rows: T[], limit: number, cursorOf: (row: T) => Cursor): PageOf<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > limit && last ? cursorOf(last) : undefined };
}

export interface ScheduleLine {
  scheduleId: string;
  projectId: string;
  clipId: string;
  clipTitle: string;
  postTitle: string | null;
  account: string;
  publishAt: string;
  state: string;
  publishedAt: string | null;
  isLate: boolean;
  /** Name in the posts folder of the outbox, once published. */
  folder: string | null;
  error: string | null;
}

const SCHEDULE_COLUMNS = `
  SELECT schedules.*, clips.project_id, clips.moment ->> '$.title' AS clip_title,
    request ->> '$.postDetail.title' AS post_title, request ->> '$.postAccountId' AS account
  FROM schedules JOIN clips USING (clip_id)`;

/** From a time up to another one, in order of time. */
export function schedulesBetween(db: Database, from: string, to: string, limit: number): ScheduleLine[] {
  const sql = `${SCHEDULE_COLUMNS} WHERE publish_at >= ? AND publish_at < ? ORDER BY publish_at LIMIT ?`;
  return db.all(sql, from, to, limit).map(toScheduleLine);
}

/** Those still waiting, the next one first. */
export function schedulesWaiting(db: Database, limit: number): ScheduleLine[] {
  const sql = `${SCHEDULE_COLUMNS} WHERE state = 'SCHEDULED' ORDER BY publish_at LIMIT ?`;
  return db.all(sql, limit).map(toScheduleLine);
}

/** Those that were published, the latest first. */
export function publishedPosts(db: Database, limit: number): ScheduleLine[] {
  const sql = `${SCHEDULE_COLUMNS} WHERE state = 'PUBLISHED' ORDER BY published_at DESC LIMIT ?`;
  return db.all(sql, limit).map(toScheduleLine);
}

/** Posts of one project's clips. */
export function schedulesOfProject(db: Database, projectId: string, limit: number): ScheduleLine[] {
  const sql = `${SCHEDULE_COLUMNS} WHERE clips.project_id = ? ORDER BY publish_at LIMIT ?`;
  return db.all(sql, projectId, limit).map(toScheduleLine);
}

function toScheduleLine(row: Row): ScheduleLine {
  return {
    scheduleId: String(row.schedule_id),
    projectId: String(row.project_id),
    clipId: String(row.clip_id),
    clipTitle: String(row.clip_title ?? ''),
    postTitle: row.post_title === null ? null : String(row.post_title),
    account: String(row.account),
    publishAt: String(row.publish_at),
    state: String(row.state),
    publishedAt: row.published_at as string | null,
    isLate: row.is_late === 1,
    folder: row.folder as string | null,
    error: row.error as string | null,
  };
}

/** The collections that a project's clips are in. */
export function collectionsOfProject(
  db: Database,
  projectId: string,
): { clipId: string; collectionId: string; name: string }[] {
  const sql = `SELECT clip_id, collection_id, name FROM clips
               JOIN collection_contents USING (clip_id) JOIN collections USING (collection_id)
               WHERE project_id = ? ORDER BY name LIMIT 200`;
  return db.all(sql, projectId).map((row) => ({
    clipId: String(row.clip_id),
    collectionId: String(row.collection_id),
    name: String(row.name),
  }));
}

export interface JobLine {
  jobId: string;
  clipId: string;
  kind: JobRow['kind'];
  status: string;
  error: string | null;
  createdAt: string;
  /** Of censor jobs: what was done. */
  message: string | null;
  /** Of copy jobs. Cut, as bodies are. */
  text: string | null;
  madeBy: string | null;
  platform: string | null;
}

/** Jobs of one project's clips, newest first. */
export function jobsOfProject(db: Database, projectId: string, limit: number): JobLine[] {
  const sql = `SELECT job_id, clip_id, kind, status, error, jobs.created_at, result ->> '$.message' AS message,
                 substr(result ->> '$.text', 1, 4000) AS text, result ->> '$.madeBy' AS made_by,
                 request ->> '$.platform' AS platform
               FROM clips JOIN jobs USING (clip_id) WHERE project_id = ?
               ORDER BY jobs.created_at DESC, job_id LIMIT ?`;
  return db.all(sql, projectId, limit).map((row) => ({
    jobId: String(row.job_id),
    clipId: String(row.clip_id),
    kind: row.kind as JobRow['kind'],
    status: String(row.status),
    error: row.error as string | null,
    createdAt: String(row.created_at),
    message: row.message as string | null,
    text: row.text as string | null,
    madeBy: row.made_by as string | null,
    platform: row.platform as string | null,
  }));
}
