import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stage } from '../../api/projects.js';
import { ClipctlError } from '../../errors.js';
import { syncFile, syncFolder } from '../../write-whole.js';
import type { DataPaths } from '../data-dir.js';
import { newId } from '../ids.js';
import { alignWords } from '../media/align-words.js';
import { analyseMedia } from '../media/analyse.js';
import { chooseInWorker } from '../media/choose-in-worker.js';
import { believeLength, cutOffNotes } from '../media/cut-off.js';
import type { Analysis, MediaInfo, MediaTools, Transcript } from '../media/media-types.js';
import { probeMedia } from '../media/probe.js';
import { readTranscript } from '../media/words.js';
import { type ClipRow, listClips, replaceClips, setRendered, setUnrendered } from '../store/clips.js';
import type { Database } from '../store/database.js';
import {
  forgetCutOffs,
  type ProjectRow,
  setProjectNotes,
  setSource,
  setStorageBytes,
} from '../store/projects.js';
import { type ImportOptions, importSource } from './import-source.js';
import { renderVersion } from './render-version.js';
import { findSidecar } from './sidecar.js';
import { makeRunFolder, makeWorkFolder, readWork, saveWork } from './work-folder.js';

export interface StageContext {
  db: Database;
  paths: DataPaths;
  now: () => Date;
  tools: MediaTools;
  imports: ImportOptions;
}

export interface StageRun {
  project: ProjectRow;
  signal: AbortSignal;
  /** Fraction of this stage, 0..1, and what is being done. */
  report(fraction: number, message: string): void;
}

type StageWork = (run: StageRun, context: StageContext) => Promise<void>;

/**
 * The stages in their order, each with what it does before the next begins. Every one may be cut off at any moment
 * and begun again: files are written whole before rows speak of them, and what is there already is not made again.
 */
export const PIPELINE = [
  { stage: 'QUEUED', work: async () => undefined },
  { stage: 'IMPORT', work: importStage },
  { stage: 'CURATE', work: curateStage },
  { stage: 'REFINE', work: refineStage },
  { stage: 'RENDER', work: renderStage },
  { stage: 'UPLOAD', work: uploadStage },
] as const satisfies readonly { stage: Stage; work: StageWork }[];

async function importStage({ project, signal, report }: StageRun, context: StageContext): Promise<void> {
  const { db, paths, tools, now } = context;
  const sourceFile = await importSource(project, { ...context, signal, report });
  const path = join(paths.root, sourceFile);
  const info = await believeLength(tools, path, await probeMedia(tools, path, { signal }), signal);
  const folder = await makeWorkFolder(paths.work, project.projectId);
  await saveWork(folder, 'info', info);
  db.transaction(() => {
    setSource(db, project.projectId, sourceFile, now().toISOString());
    setStorageBytes(db, project.projectId, info.sizeBytes);
  });
}

/** What of CURATE is done once a recogniser has heard the words. */
const RECOGNISED = 0.6;

async function curateStage({ project, signal, report }: StageRun, context: StageContext): Promise<void> {
  const { db, tools, now } = context;
  const source = await openSource(project, context, signal);
  const { path, folder, info } = source;
  report(0, 'reading the words');
  const transcript =
    (await readWork(folder, 'transcript')) ??
    (await readWords(project, source, context, signal, (fraction) =>
      report(fraction * RECOGNISED, 'recognising speech'),
    ));
  await saveWork(folder, 'transcript', transcript);
  const from = transcript.source === 'recogniser' ? RECOGNISED : 0;
  const onProgress = (fraction: number) => report(from + fraction * (0.95 - from), 'listening and looking');
  const analysis = await analyseMedia(tools, path, info, { workDir: folder, signal, onProgress });
  await saveWork(folder, 'analysis', analysis);
  report(0.95, 'choosing moments');
  const { curationPref = {}, renderPref } = project.preferences;
  const removeFillers = renderPref?.quickstartConfig?.enableRemoveFillerWords;
  const input = { info, transcript, analysis, curation: curationPref, removeFillers };
  const chosen = await chooseInWorker(input, { signal });
  if (chosen.moments.length === 0) {
    throw new ClipctlError('rejected', `no clips: ${chosen.reason ?? 'no moment fits the preferences'}`);
  }
  const notes = [
    ...brandNotes(project),
    ...cutOffNotes(info),
    ...transcript.notes,
    ...chosen.notes,
    ...(chosen.reason ? [chosen.reason] : []),
  ];
  db.transaction(() => {
    setProjectNotes(db, project.projectId, notes);
    const planned = chosen.moments.map((moment) => ({ clipId: newId('clip'), moment }));
    replaceClips(db, project.projectId, planned, now().toISOString());
  });
}

/** Words get the times at which they are heard; captions and censoring use these. */
async function refineStage({ project, signal }: StageRun, context: StageContext): Promise<void> {
  const { folder, transcript, analysis } = await openAll(project, context, signal);
  await saveWork(folder, 'transcript', alignWords(transcript, analysis.dips));
}

async function renderStage({ project, signal, report }: StageRun, context: StageContext): Promise<void> {
  const source = await openAll(project, context, signal);
  const clips = listClips(context.db, project.projectId);
  for (const [index, clip] of clips.entries()) {
    const say = (fraction: number) =>
      report((index + fraction) / clips.length, `clip ${index + 1} of ${clips.length}`);
    say(0);
    if (clip.file && (await hasFile(join(context.paths.clips, clip.file)))) continue;
    await renderOne(clip, project, source, context, { signal, onProgress: say });
  }
}

async function renderOne(
  clip: ClipRow,
  project: ProjectRow,
  source: OpenedSource & { transcript: Transcript; analysis: Analysis },
  { db, paths, tools, now }: StageContext,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (fraction: number) => void },
): Promise<void> {
  const workDir = await makeRunFolder(source.folder, clip.clipId);
  const file = `${project.projectId}.${clip.clipId}.mp4`;
  const outPath = join(workDir, file);
  const rendered = await renderVersion(tools, {
    clip,
    project,
    source,
    outPath,
    workDir,
    signal,
    onProgress,
  });
  await placeClipFile(rendered.path, paths.clips, file);
  setRendered(db, clip.clipId, { ...rendered, file }, now().toISOString());
  forgetCutOffs(db, project.projectId);
  await rm(workDir, { recursive: true, force: true });
}

/** Moves a finished clip to where it is served from, durable before its row says so. */
export async function placeClipFile(from: string, clipsFolder: string, file: string): Promise<void> {
  await syncFile(from);
  await rename(from, join(clipsFolder, file));
  await syncFolder(clipsFolder);
}

/** Nothing is sent anywhere: the clips lie where they are served from. What is checked is that they really do. */
async function uploadStage({ project }: StageRun, { db, paths }: StageContext): Promise<void> {
  let clipBytes = 0;
  for (const clip of listClips(db, project.projectId)) {
    const path = join(paths.clips, clip.file ?? 'missing');
    if (!clip.file || !(await hasFile(path))) {
      setUnrendered(db, clip.clipId);
      throw new LostClipError(clip.clipId);
    }
    clipBytes += clip.sizeBytes ?? 0;
  }
  const source = await stat(join(paths.root, project.sourceFile ?? '')).catch(() => undefined);
  setStorageBytes(db, project.projectId, (source?.size ?? 0) + clipBytes);
}

/** A clip's file has vanished: the worker goes back to RENDER. */
export class LostClipError extends Error {
  constructor(clipId: string) {
    super(`the file of clip ${clipId} was lost; it is rendered again`);
    this.name = 'LostClipError';
  }
}

interface OpenedSource {
  path: string;
  folder: string;
  info: MediaInfo;
}

async function openSource(
  project: ProjectRow,
  { paths, tools }: StageContext,
  signal: AbortSignal,
): Promise<OpenedSource> {
  const path = sourcePath(project, paths);
  if (!(await hasFile(path))) {
    throw new ClipctlError('rejected', 'the source video is gone from the data directory');
  }
  const folder = await makeWorkFolder(paths.work, project.projectId);
  const info =
    (await readWork(folder, 'info')) ??
    (await believeLength(tools, path, await probeMedia(tools, path, { signal }), signal));
  return { path, folder, info };
}

function sourcePath({ projectId, sourceFile }: ProjectRow, paths: DataPaths): string {
  if (!sourceFile) throw new Error(`project ${projectId} has no source file after IMPORT`);
  return join(paths.root, sourceFile);
}

/** The words of subtitles beside the video or of its own subtitle track, or those a recogniser hears. */
async function readWords(
  project: ProjectRow,
  { path, folder, info }: OpenedSource,
  { tools, paths }: StageContext,
  signal: AbortSignal,
  onRecognising?: (fraction: number) => void,
): Promise<Transcript> {
  const sidecarPath = await findSidecar(project, paths);
  const language = project.preferences.importPref?.sourceLang;
  return readTranscript(tools, path, info, { sidecarPath, language, workDir: folder, signal, onRecognising });
}

/** What is known of the source once REFINE is done; the video itself is needed only when the work folder was lost. */
export async function openKnown(project: ProjectRow, context: StageContext, signal: AbortSignal) {
  const folder = await makeWorkFolder(context.paths.work, project.projectId);
  const info = await readWork(folder, 'info');
  const transcript = await readWork(folder, 'transcript');
  const analysis = await readWork(folder, 'analysis');
  if (!info || !transcript || !analysis) return openAll(project, context, signal);
  return { path: sourcePath(project, context.paths), folder, info, transcript, analysis };
}

/** The source with what CURATE left; made again when the work folder was lost. */
export async function openAll(project: ProjectRow, context: StageContext, signal: AbortSignal) {
  const source = await openSource(project, context, signal);
  const { path, folder, info } = source;
  const analysis =
    (await readWork(folder, 'analysis')) ??
    (await analyseMedia(context.tools, path, info, { workDir: folder, signal }));
  const transcript =
    (await readWork(folder, 'transcript')) ??
    alignWords(await readWords(project, source, context, signal), analysis.dips);
  return { ...source, transcript, analysis };
}

function brandNotes({ preferences }: ProjectRow): string[] {
  if (!preferences.brandTemplateId) return [];
  return [
    `brandTemplateId ${preferences.brandTemplateId} has no effect: the local service has no brand templates`,
  ];
}

export async function hasFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size > 0;
}
