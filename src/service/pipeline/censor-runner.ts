import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ClipctlError, errorCode } from '../../errors.js';
import type { DataPaths } from '../data-dir.js';
import { censorClip } from '../media/censor-clip.js';
import {
  addCensored,
  countText,
  DEFAULT_CENSOR_WORDS,
  findListed,
  isCountText,
  maskMoment,
  matcherOf,
  parseWordList,
} from '../media/censor-words.js';
import { findMediaTools } from '../media/find-tools.js';
import type { MediaTools, RenderedClip } from '../media/media-types.js';
import { type ClipRow, setCensored, setRendered } from '../store/clips.js';
import { concludeJob } from '../store/jobs.js';
import { findProject } from '../store/projects.js';
import type { JobRunner } from './job-work.js';
import { keepOf, renderVersion, showsWords, spansOf, type VersionRequest } from './render-version.js';
import { openAll, openKnown, placeClipFile, type StageContext } from './stages.js';
import { makeWorkFolder } from './work-folder.js';

/** File in the data directory with a list of one's own, one word a line; instead of the default list. */
export const CENSOR_WORDS_FILE = 'censor-words.txt';

export type CensorOptions = Omit<StageContext, 'tools'> & { env: Record<string, string | undefined> };

/** Makes a new version of a clip without the listed words, heard or written. */
export function createCensorRunner(options: CensorOptions): JobRunner {
  const { db, now, paths } = options;
  return async (job, clip, signal) => {
    const project = findProject(db, clip.projectId);
    if (!project) throw new ClipctlError('rejected', 'the project of the clip is not here any more');
    const context = { ...options, tools: await findMediaTools(options.env) };
    const open = showsWords(project) ? openAll : openKnown; // words in the picture: rendered again from the video
    const source = await open(project, context, signal);
    const reason = source.transcript.notes[0] ?? 'the video has no subtitles';
    if (source.transcript.words.length === 0)
      throw new ClipctlError('rejected', `nothing can be censored: ${reason}`);
    const isListed = matcherOf(await readWords(paths));
    const heard = findListed(source.transcript, keepOf({ clip, project, source }), isListed);
    if (heard.length === 0) {
      const result = {
        censoredWords: 0,
        message: 'no word of the list is spoken in this clip; it is unchanged',
      };
      concludeJob(db, job.jobId, { result }, now().toISOString());
      return;
    }
    const beep = job.request.beepSound !== false;
    const next = {
      ...clip,
      moment: maskMoment(clip.moment, isListed),
      censored: addCensored(clip.censored, heard, beep),
    };
    const workDir = await makeWorkFolder(source.folder, job.jobId);
    const file = `${clip.projectId}.${clip.clipId}.v${clip.version + 1}.mp4`;
    const outPath = join(workDir, file);
    const made = await (showsWords(project)
      ? renderVersion(context.tools, { clip: next, project, source, outPath, workDir, signal })
      : censorFile(context.tools, { clip: next, project, source, outPath, signal }, paths));
    await placeClipFile(outPath, paths.clips, file);
    const at = now().toISOString();
    const older = db.transaction(() => {
      setCensored(db, clip.clipId, next);
      const replaced = setRendered(db, clip.clipId, { ...made, file }, at);
      const message = countText(heard.length, beep);
      const result = { censoredWords: heard.length, message, version: clip.version + 1 };
      concludeJob(db, job.jobId, { result }, at);
      return replaced;
    });
    if (older && older !== file) await rm(join(paths.clips, older), { force: true });
    await rm(workDir, { recursive: true, force: true });
  };
}

/** No words in the picture: only the sound of the clip as it is needs to change. */
async function censorFile(
  tools: MediaTools,
  { clip, project, source, outPath, signal }: Omit<VersionRequest, 'workDir'> & { clip: ClipRow },
  paths: DataPaths,
): Promise<RenderedClip> {
  const { spans, notes } = spansOf({ clip, project, source });
  const clipPath = join(paths.clips, clip.file ?? '');
  const made = await censorClip(tools, { clipPath, spans, outPath, signal });
  const others = clip.notes.filter((note) => !isCountText(note));
  return { ...made, path: outPath, notes: [...others, ...notes] };
}

async function readWords(paths: DataPaths): Promise<readonly string[]> {
  try {
    return parseWordList(await readFile(join(paths.root, CENSOR_WORDS_FILE), 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return DEFAULT_CENSOR_WORDS;
    throw error;
  }
}
