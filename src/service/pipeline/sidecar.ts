import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { DataPaths } from '../data-dir.js';
import type { ProjectRow } from '../store/projects.js';

const EXTENSIONS = ['.srt', '.vtt'];

/**
 * Subtitles that came beside the video. The interface has no place for them, so they are laid into the folder
 * `subtitles` of the data directory, called like the project's title or the file of its address: `talk.srt` for
 * `talk.mp4`. The folder is listed and names are compared, so that a title never becomes a path.
 */
export async function findSidecar(project: ProjectRow, paths: DataPaths): Promise<string | undefined> {
  const names = [project.title, nameOfAddress(project.source)];
  const files = await readdir(paths.subtitles).catch(() => []);
  const found = files.find(
    (file) =>
      EXTENSIONS.includes(extname(file).toLowerCase()) && names.includes(basename(file, extname(file))),
  );
  return found === undefined ? undefined : join(paths.subtitles, found);
}

/** `talk` of `https://example.com/videos/talk.mp4?x=1`; undefined for what is no address. */
function nameOfAddress(videoUrl: string): string | undefined {
  if (!URL.canParse(videoUrl)) return undefined;
  const last = new URL(videoUrl).pathname.split('/').at(-1) ?? '';
  return basename(last, extname(last)) || undefined;
}
