import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceContext } from '../service-context.js';
import { listClipFiles } from '../store/clips.js';
import { findProject, type ProjectRow, reopenProject, setProjectNotes } from '../store/projects.js';
import { hasFile } from './stages.js';

/**
 * At start: a finished project with clips whose files are gone goes back to RENDER when its video is still there;
 * else its notes say what was lost. The rows stay: the files may come back.
 */
export async function reopenLost({
  db,
  paths,
  now,
  log,
}: Pick<ServiceContext, 'db' | 'paths' | 'now' | 'log'>): Promise<void> {
  const there = new Set(await readdir(paths.clips));
  const lost = new Map<string, number>();
  for (const { projectId, file } of listClipFiles(db)) {
    if (!there.has(file)) lost.set(projectId, (lost.get(projectId) ?? 0) + 1);
  }
  for (const [projectId, count] of lost) {
    const project = findProject(db, projectId);
    if (project?.stage !== 'COMPLETE') continue;
    const what = count === 1 ? 'the file of 1 clip was lost' : `the files of ${count} clips were lost`;
    const canRender = await hasSource(project, paths.root);
    const note = `${what}${canRender ? ': made again from the video' : ', and so is the video it was made of'}`;
    const notes = [...new Set([...project.notes, note])];
    db.transaction(() => {
      setProjectNotes(db, projectId, notes);
      if (canRender) reopenProject(db, projectId, now().toISOString());
    });
    log(`project ${projectId}: ${note}`);
  }
}

async function hasSource({ sourceFile }: ProjectRow, root: string): Promise<boolean> {
  return sourceFile !== null && (await hasFile(join(root, sourceFile)));
}
