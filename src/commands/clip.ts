import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { Clip } from '../api/clips.js';
import type { Context } from '../context.js';
import { formatDuration } from '../durations.js';
import { ClipctlError, usageError } from '../errors.js';
import { type ClipId, checkId, readClipIds } from './clip-ids.js';
import { planRequest, showDryRun } from './dry-run.js';
import { finishItems } from './each-item.js';
import { addHelp } from './help-text.js';
import { checkFolder, fileNameOf, saveClips } from './wait-and-download.js';

export function registerClip(command: Command, context: Context): void {
  const list = command
    .command('list <projectId>')
    .description('list the clips of a project (not in the interface document)')
    .action(async (projectId) => listClips(projectId, context));
  addHelp(list, {
    about: 'The path is config endpoints.clip-list; a service without it gives exit 5.',
    examples: ['clip list P123', "clip list P123 --query '[].id'"],
    exitCodes: [3, 5, 8],
  });
  const download = command
    .command('download [clip...]')
    .description('download clips of a project (not in the interface document)')
    .option('--project <id>', 'the project of bare clip ids; without clips: all of its clips')
    .option('--dir <dir>', 'where to put them (the current directory)')
    .option('--overwrite', 'replace files that are there')
    .action(async (clips, options) => downloadNamed(clips, options, context));
  addHelp(download, {
    about: 'Files are named {projectId}.{curationId}.mp4. A partial download goes on where it stopped.',
    examples: ['clip download --project P123 --dir clips', 'clip download P123.C1 P123.C2'],
    exitCodes: [3, 5, 8, 12],
  });
}

async function listClips(projectId: string, context: Context): Promise<void> {
  checkId(projectId, 'project id');
  const { output, notes } = context;
  const { api } = await context.connect();
  const clips = await api.listClips(projectId);
  if (clips.length === 0) notes.note(`project ${projectId} has no clips (yet)`);
  await output.result({
    json: clips,
    table: {
      header: ['CLIP', 'LENGTH', 'TITLE'],
      rows: clips.map(({ id, durationMs, title }) => [
        id,
        typeof durationMs === 'number' ? formatDuration(durationMs / 1000) : '',
        title ?? '',
      ]),
      pipeRows: clips.map(({ id, durationMs, title }) => [
        id,
        typeof durationMs === 'number' ? String(durationMs / 1000) : '',
        title ?? '',
      ]),
    },
  });
}

interface DownloadFlags {
  project?: string;
  dir?: string;
  overwrite?: true;
}

async function downloadNamed(
  texts: readonly string[],
  flags: DownloadFlags,
  context: Context,
): Promise<void> {
  const wanted = texts.length > 0 ? await readClipIds(texts, flags.project, context) : [];
  const project = texts.length > 0 ? undefined : wholeProject(flags, context);
  const dir = flags.dir ?? '.';
  await checkFolder(dir, context);
  if (!flags.overwrite) await refuseSaved(wanted, dir, context);
  const projects = project === undefined ? new Set(wanted.map(({ projectId }) => projectId)) : [project];
  if (context.flags.dryRun) return showListRequests([...projects], context);
  const connection = await context.connect();
  const lists = new Map<string, Clip[]>();
  for (const id of projects) lists.set(id, await connection.api.listClips(id));
  const clips =
    project === undefined ? wanted.map((clip) => findClip(clip, lists)) : (lists.get(project) ?? []);
  if (clips.length === 0) throw new ClipctlError('not-found', `project ${project} has no clips`);
  const outcomes = await saveClips(clips, dir, flags, connection, context);
  const saved = outcomes.flatMap((outcome) =>
    outcome.ok ? [{ id: outcome.item.id, path: outcome.value }] : [],
  );
  await finishItems(outcomes, context, {
    name: ({ id }) => id,
    print: () => context.output.result({ json: saved, lines: saved.map(({ path }) => path) }),
  });
}

/** Clips that are all there already are refused before anything is sent. */
async function refuseSaved(
  clips: readonly ClipId[],
  dir: string,
  { io }: Pick<Context, 'io'>,
): Promise<void> {
  const { refuseExisting } = await import('../transfer/download.js');
  const names = clips.map(({ contentId }) => fileNameOf(contentId));
  await refuseExisting(names, resolve(io.cwd, dir));
}

function wholeProject({ project }: DownloadFlags, { io }: Pick<Context, 'io'>): string {
  const id = project ?? io.env.CLIPCTL_PROJECT;
  if (id) return checkId(id, 'project id');
  throw usageError('no clip was named', {
    hint: 'name clips, or give --project <id> for all clips of a project',
  });
}

/** The addresses of the files come with the lists, so the lists are all that can be planned. */
async function showListRequests(projects: readonly string[], context: Context): Promise<void> {
  const { CLIP_QUERY, clipRoutes } = await import('../api/clips.js');
  const path = context.settings.get('endpoints.clip-list');
  const plan = projects.map((projectId) =>
    planRequest(
      context.shownBaseUrl,
      clipRoutes.listClips,
      path === null ? { query: { q: CLIP_QUERY, projectId } } : { path, params: { projectId } },
    ),
  );
  await showDryRun(context, await Promise.all(plan));
}

/** A clip of the lists. Its file is named by the full id, whatever form the service lists it in. */
function findClip({ projectId, clipId, contentId }: ClipId, lists: ReadonlyMap<string, Clip[]>): Clip {
  const clip = lists.get(projectId)?.find(({ id }) => id === contentId || id === clipId);
  if (clip) return { ...clip, id: contentId };
  throw new ClipctlError('not-found', `project ${projectId} has no clip ${clipId}`, {
    hint: `clipctl clip list ${projectId} shows its clips`,
  });
}
