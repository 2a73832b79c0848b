import { isIdText } from '../ids.js';
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
