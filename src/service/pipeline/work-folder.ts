import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../errors.js';
import { writeWhole } from '../../write-whole.js';
import type { Analysis, MediaInfo, Transcript } from '../media/media-types.js';

/** What the stages of a project leave for the next, one JSON file each, so that a restart does not do it again. */
export interface WorkFiles {
  info: MediaInfo;
  transcript: Transcript;
  analysis: Analysis;
}

export function workFolder(workRoot: string, projectId: string): string {
  return join(workRoot, projectId);
}

export async function makeWorkFolder(workRoot: string, projectId: string): Promise<string> {
  const folder = workFolder(workRoot, projectId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * A folder that no other run has: after a crash of the service an ffmpeg of the run before may still be writing into
 * that one's.
 */
export function makeRunFolder(folder: string, name: string): Promise<string> {
  return mkdtemp(join(folder, `${name}-`));
}

export async function saveWork<K extends keyof WorkFiles>(
  folder: string,
  name: K,
  value: WorkFiles[K],
): Promise<void> {
  await writeWhole(join(folder, `${name}.json`), JSON.stringify(value));
}

/** Undefined when the stage that makes it has not finished. */
export async function readWork<K extends keyof WorkFiles>(
  folder: string,
  name: K,
): Promise<WorkFiles[K] | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as WorkFiles[K];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
