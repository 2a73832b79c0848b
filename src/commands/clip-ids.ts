import type { Context } from '../context.js';
import { usageError } from '../errors.js';
import { readStdin } from '../terminal/io.js';

/** A clip as its two halves. Collections take `contentId`, everything else the bare `clipId` and the project. */
export interface ClipId {
  projectId: string;
  clipId: string;
  /** The full id `{projectId}.{curationId}`. */
  contentId: string;
}

type IdDeps = Pick<Context, 'io' | 'notes'>;

/** An id as it may stand in a path and a body: no spaces, slashes or control characters. */
export function checkId(text: string, what: string): string {
  if (/^[^\s/\\?#\p{Cc}\p{Cf}]{1,256}$/u.test(text) && text !== '.' && text !== '..') return text;
  throw usageError(`${JSON.stringify(text)} is no ${what}`, {
    hint: 'ids have no spaces and no slashes; see clipctl history list',
  });
}

/**
 * Reads one clip: the full id split at its first dot, or a bare id with `--project` or CLIPCTL_PROJECT. An argument
 * that contradicts `--project` is refused; against the environment the full id wins.
 */
export function readClipId(text: string, project: string | undefined, { io }: Pick<IdDeps, 'io'>): ClipId {
  checkId(text, 'clip id');
  const dot = text.indexOf('.');
  const bare = dot < 0;
  const projectId = bare ? (project ?? io.env.CLIPCTL_PROJECT) : text.slice(0, dot);
  const clipId = bare ? text : text.slice(dot + 1);
  if (projectId === undefined || projectId === '') {
    throw usageError(
      bare
        ? `${text} is a bare clip id, and its project is not known`
        : `${text} has no project before its dot`,
      { hint: 'give the full id {projectId}.{curationId}, or --project <id>, or set CLIPCTL_PROJECT' },
    );
  }
  checkId(projectId, 'project id');
  if (projectId.includes('.')) {
    throw usageError(`${projectId} is no project id`, {
      hint: 'a project id has no dot; the full id of a clip is {projectId}.{curationId}',
    });
  }
  if (clipId === '')
    throw usageError(`${text} has nothing after its dot`, { hint: 'a full id is {projectId}.{curationId}' });
  if (!bare && project !== undefined && project !== projectId) {
    throw usageError(`the clip ${text} is not of project ${project}`, {
      hint: 'leave --project away, or name the clip without its project',
    });
  }
  return { projectId, clipId, contentId: `${projectId}.${clipId}` };
}

/** The clips of the arguments; `-` stands for ids on stdin, one a line or JSON lines. Each once, in order. */
export async function readClipIds(
  texts: readonly string[],
  project: string | undefined,
  deps: IdDeps,
): Promise<ClipId[]> {
  const clips = new Map<string, ClipId>();
  for (const text of await expandStdin(texts, deps)) {
    const clip = readClipId(text, project, deps);
    clips.set(clip.contentId, clip);
  }
  return [...clips.values()];
}

/** The clip of a command that takes one; `-` reads it from stdin. */
export async function readOneClip(text: string, project: string | undefined, deps: IdDeps): Promise<ClipId> {
  const [clip, ...more] = await readClipIds([text], project, deps);
  if (clip && more.length === 0) return clip;
  throw usageError(`${more.length + 1} clips were named, and this command takes one`, {
    hint: 'run it once for each',
  });
}

/** Puts the ids of stdin in the place of `-`. */
export async function expandStdin(texts: readonly string[], { io, notes }: IdDeps): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    if (text !== '-') {
      ids.push(text);
      continue;
    }
    if (io.stdin.isTTY === true) notes.say('reading ids from the terminal, one a line; end with Ctrl-D');
    const lines = (await readStdin(io)).split('\n').map((line) => line.trim());
    ids.push(...lines.filter((line) => line !== '').flatMap(idsOfLine));
  }
  if (ids.length === 0)
    throw usageError('no id was given on stdin', {
      hint: 'one id a line, or JSON lines with id or contentId',
    });
  return ids;
}

function idsOfLine(line: string): string[] {
  // TSV of our own lists: the id is the first column.
  if (!/^[{["]/.test(line)) return [line.split('\t')[0] ?? line];
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw usageError(`stdin has a line that is neither an id nor JSON: ${line.slice(0, 60)}`);
  }
  return (Array.isArray(value) ? value : [value]).map(idOfValue);
}

function idOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  const { contentId, id } = (value ?? {}) as { contentId?: unknown; id?: unknown };
  const found = contentId ?? id;
  if (typeof found === 'string') return found;
  throw usageError('stdin has JSON without id or contentId', {
    hint: 'for example the output of clipctl clip list --json',
  });
}
