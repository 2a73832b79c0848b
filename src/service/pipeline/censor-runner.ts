import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ClipctlError, errorCode } from '../../errors.js';
import type { DataPaths } from '../data-dir.js';
import { censorClip } from '../media/censor-clip.js';
import {
  censoredSpans,
  DEFAULT_CENSOR_WORDS,
  type IsCensored,
  maskMoment,
  maskText,
  matcherOf,
  parseWordList,
} from '../media/censor-words.js';
import { findMediaTools } from '../media/find-tools.js';
import { planKeep } from '../media/plan-keep.js';
import { renderClip } from '../media/render-clip.js';
import { type ClipRow, setMoment, setRendered } from '../store/clips.js';
import { concludeJob } from '../store/jobs.js';
import { findProject, type ProjectRow } from '../store/projects.js';
import type { JobRunner } from './job-work.js';
import { openAll, placeClipFile, type StageContext } from './stages.js';
import { makeRunFolder } from './work-folder.js';

/** File in the data directory with a list of one's own, one word a line; instead of the default list. */
export const CENSOR_WORDS_FILE = 'censor-words.txt';

export type CensorOptions = Omit<StageContext, 'tools'> & { env: Record<string, string | undefined> };
type Source = Awaited<ReturnType<typeof openAll>>;

/** Makes a new version of a clip without the listed words, heard or written. */
export function createCensorRunner(options: CensorOptions): JobRunner {
  const { db, now, paths } = options;
  return async (job, clip, signal) => {
    const project = findProject(db, clip.projectId);
    if (!project) throw new ClipctlError('rejected', 'the project of the clip is not here any more');
    const context = { ...options, tools: await findMediaTools(options.env) };
    const source = await openAll(project, context, signal);
    const reason = source.transcript.notes[0] ?? 'the video has no subtitles';
    if (source.transcript.words.length === 0)
      throw new ClipctlError('rejected', `nothing can be censored: ${reason}`);
    const isCensored = matcherOf(await readWords(paths));
    const { keep } = planKeep({
      ...source,
      moment: clip.moment,
      render: project.preferences.renderPref ?? {},
    });
    const { spans, wordCount } = censoredSpans(source.transcript, keep, isCensored);
    if (spans.length === 0) {
      const result = {
        censoredWords: 0,
        message: 'no word of the list is spoken in this clip; it is unchanged',
      };
      concludeJob(db, job.jobId, { result }, now().toISOString());
      return;
    }
    const workDir = await makeRunFolder(source.folder, job.jobId);
    const base = await baseClip({ clip, project, source, isCensored, context, workDir, signal });
    const file = `${clip.projectId}.${clip.clipId}.v${clip.version + 1}.mp4`;
    const outPath = join(workDir, file);
    const beep = job.request.beepSound !== false;
    const made = await censorClip(context.tools, { clipPath: base.path, spans, beep, outPath, signal });
    await placeClipFile(outPath, paths.clips, file);
    const words = wordCount === 1 ? '1 word' : `${wordCount} words`;
    const how = beep ? 'beeped over' : 'silenced';
    const at = now().toISOString();
    const older = db.transaction(() => {
      setMoment(db, clip.clipId, maskMoment(clip.moment, isCensored));
      const notes = [...base.notes, `${words} ${how}`];
      const replaced = setRendered(db, clip.clipId, { ...made, path: outPath, notes, file }, at);
      const result = { censoredWords: wordCount, message: `${words} ${how}`, version: clip.version + 1 };
      concludeJob(db, job.jobId, { result }, at);
      return replaced;
    });
    if (older && older !== file) await rm(join(paths.clips, older), { force: true });
    await rm(workDir, { recursive: true, force: true });
  };
}

/** The clip to take the sound out of: rendered again when the words can be read in the picture. */
async function baseClip(run: {
  clip: ClipRow;
  project: ProjectRow;
  source: Source;
  isCensored: IsCensored;
  context: StageContext;
  workDir: string;
  signal: AbortSignal;
}): Promise<{ path: string; notes: string[] }> {
  const { clip, project, source, isCensored, context, workDir, signal } = run;
  const render = project.preferences.renderPref ?? {};
  const autoHook = project.preferences.curationPref?.enableAutoHook;
  if (render.enableCaption !== true && autoHook !== true) {
    return { path: join(context.paths.clips, clip.file ?? ''), notes: clip.notes };
  }
  return renderClip(context.tools, {
    sourcePath: source.path,
    info: source.info,
    transcript: source.transcript,
    analysis: source.analysis,
    moment: clip.moment,
    render,
    autoHook,
    mask: (text) => maskText(text, isCensored),
    outPath: join(workDir, 'masked.mp4'),
    workDir,
    signal,
  });
}

async function readWords(paths: DataPaths): Promise<readonly string[]> {
  try {
    return parseWordList(await readFile(join(paths.root, CENSOR_WORDS_FILE), 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return DEFAULT_CENSOR_WORDS;
    throw error;
  }
}
