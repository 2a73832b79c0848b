import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ClipctlError } from '../../errors.js';
import type { DataPaths } from '../data-dir.js';
import type { MediaTools } from '../media/media-types.js';
import type { Database } from '../store/database.js';
import type { ProjectRow } from '../store/projects.js';
import { findUpload } from '../store/uploads.js';
import { downloadPage } from './download-page.js';
import { fetchLink } from './fetch-link.js';

/** How videos are fetched by address. */
export interface ImportOptions {
  /** Let addresses point into private networks and to this machine. */
  allowPrivate: boolean;
  /** The interface names 10 GB. */
  maxBytes: number;
  /** A download may take so long in all. */
  maxMs: number;
  /** For yt-dlp on the PATH. */
  env: Record<string, string | undefined>;
}

export interface ImportRun {
  db: Database;
  paths: DataPaths;
  tools: MediaTools;
  imports: ImportOptions;
  signal: AbortSignal;
  report(fraction: number, message: string): void;
}

/** Brings a project's video into the data directory. Answers its path relative to that. */
export async function importSource(project: ProjectRow, run: ImportRun): Promise<string> {
  if (project.sourceKind === 'upload') return uploadedFile(project.source, run);
  const target = join(run.paths.imports, project.projectId);
  run.report(0, 'downloading');
  const fetched = await fetchLink(project.source, target, run.imports, run);
  if (fetched === 'page') await downloadPage(project.source, target, run.imports, run);
  return relative(run.paths.root, target);
}

async function uploadedFile(uploadId: string, { db, paths }: ImportRun): Promise<string> {
  const upload = findUpload(db, uploadId);
  if (!upload?.file) throw new ClipctlError('rejected', `upload ${uploadId} is not complete`);
  const path = join(paths.uploads, upload.file);
  if (!(await stat(path).catch(() => undefined))) {
    throw new ClipctlError('rejected', 'the uploaded video is gone from the data directory');
  }
  return relative(paths.root, path);
}
