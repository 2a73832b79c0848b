import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isIdText } from '../ids.js';
import type { ServiceContext } from '../service-context.js';
import { ServiceError } from '../service-error.js';
import { type ClipRow, findClip } from '../store/clips.js';
import type { Database } from '../store/database.js';
import { findProject, type ProjectRow } from '../store/projects.js';

/** Throws NotFound for an id that is unknown or cannot be one. */
export function requireProject(db: Database, projectId: string | undefined): ProjectRow {
  const found = projectId !== undefined && isIdText(projectId) ? findProject(db, projectId) : undefined;
  if (!found) throw new ServiceError('NotFound', 'no such project');
  return found;
}

/** A rendered clip by its project and bare id. Throws NotFound. */
export function requireClip(db: Database, projectId: string, clipId: string): ClipRow & { file: string } {
  const found = isIdText(projectId) && isIdText(clipId) ? findClip(db, projectId, clipId) : undefined;
  if (!found?.file) throw new ServiceError('NotFound', 'no such clip in that project');
  return { ...found, file: found.file };
}

/** A clip whose video is really there. Throws NotFound, and Conflict when its file was lost. */
export async function requireClipFile(
  { db, paths }: Pick<ServiceContext, 'db' | 'paths'>,
  projectId: string,
  clipId: string,
): Promise<ClipRow> {
  const clip = requireClip(db, projectId, clipId);
  if (!(await hasClipFile(clip, paths))) throw new ServiceError('Conflict', lostClips([clip]));
  return clip;
}

/** Whether the file of a rendered clip is there. */
export async function hasClipFile({ file }: ClipRow, paths: ServiceContext['paths']): Promise<boolean> {
  return file !== null && (await stat(join(paths.clips, file)).catch(() => undefined)) !== undefined;
}

export function lostClips(clips: readonly ClipRow[]): string {
  const names = clips.map(({ projectId, clipId }) => `${projectId}.${clipId}`).join(', ');
  return `the video file is gone from the data directory: ${names}; the next start of the service makes it again when the source video is there`;
}
