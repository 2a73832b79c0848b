import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { censorClip } from '../media/censor-clip.js';
import { censoredSpans, maskText, matcherOfCensored } from '../media/censor-words.js';
import { takesWhole } from '../media/choose-moments.js';
import type { Analysis, MediaInfo, MediaTools, RenderedClip, Transcript } from '../media/media-types.js';
import { planKeep } from '../media/plan-keep.js';
import { renderClip } from '../media/render-clip.js';
import type { ClipRow } from '../store/clips.js';
import type { ProjectRow } from '../store/projects.js';

export interface VersionRequest {
  clip: Pick<ClipRow, 'moment' | 'censored'>;
  project: Pick<ProjectRow, 'preferences'>;
  source: { path: string; info: MediaInfo; transcript: Transcript; analysis: Analysis };
  outPath: string;
  /** A folder of this render's own. */
  workDir: string;
  signal: AbortSignal;
  onProgress?: ((fraction: number) => void) | undefined;
}

/** Renders a clip from the video, without what was censored in it, heard or written. */
export async function renderVersion(
  tools: MediaTools,
  { clip, project, source, outPath, workDir, signal, onProgress }: VersionRequest,
): Promise<RenderedClip> {
  const { moment, censored } = clip;
  const isCensored = matcherOfCensored(censored);
  const { spans, notes } = spansOf({ clip, project, source });
  const renderedPath = spans.length === 0 ? outPath : join(workDir, 'uncensored.mp4');
  const rendered = await renderClip(tools, {
    ...source,
    sourcePath: source.path,
    moment,
    render: project.preferences.renderPref ?? {},
    autoHook: hasHeadline(project),
    mask: (text) => maskText(text, isCensored),
    outPath: renderedPath,
    workDir,
    signal,
    onProgress,
  });
  if (spans.length === 0) return rendered;
  const made = await censorClip(tools, { clipPath: renderedPath, spans, outPath, signal });
  await rm(renderedPath, { force: true });
  return { ...made, path: outPath, notes: [...rendered.notes, ...notes] };
}

/** What of a clip must not be heard: all that censor jobs have taken out of it so far. */
export function spansOf({ clip, project, source }: Pick<VersionRequest, 'clip' | 'project' | 'source'>) {
  return censoredSpans(source.transcript, keepOf({ clip, project, source }), clip.censored);
}

export function keepOf({ clip, project, source }: Pick<VersionRequest, 'clip' | 'project' | 'source'>) {
  const render = project.preferences.renderPref ?? {};
  return planKeep({ ...source, moment: clip.moment, render }).keep;
}

/** Whether words of the clip can be read in its picture. */
export function showsWords(project: Pick<ProjectRow, 'preferences'>): boolean {
  return project.preferences.renderPref?.enableCaption === true || hasHeadline(project);
}

/** `enableAutoHook` is for moments that were chosen. */
function hasHeadline({ preferences: { curationPref = {} } }: Pick<ProjectRow, 'preferences'>): boolean {
  return curationPref.enableAutoHook === true && !takesWhole(curationPref);
}
