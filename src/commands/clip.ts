import type { Command } from '@commander-js/extra-typings';
import type { Clip } from '../api/clips.js';
import type { Connection, Context } from '../context.js';
import { formatDuration } from '../durations.js';
import { ClipctlError, usageError } from '../errors.js';
import { type ClipId, checkId, readClipIds } from './clip-ids.js';
import { addHelp } from './help-text.js';
import { downloadClips, saveClips } from './wait-and-download.js';

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
  const project = texts.length === 0 ? (flags.project ?? context.io.env.CLIPCTL_PROJECT) : undefined;
  if (texts.length === 0 && project === undefined) {
    throw usageError('no clip was named', {
      hint: 'name clips, or give --project <id> for all clips of a project',
    });
  }
  const wanted = texts.length > 0 ? await readClipIds(texts, flags.project, context) : [];
  if (project !== undefined) checkId(project, 'project id');
  const connection = await context.connect();
  const dir = flags.dir ?? '.';
  const saved =
    project !== undefined
      ? await downloadClips(project, dir, flags, connection, context)
      : await saveClips(await findClips(wanted, connection), dir, flags, connection, context);
  await context.output.result({
    json: saved.map(({ clip, path }) => ({ id: clip.id, path })),
    lines: saved.map(({ path }) => path),
  });
}

/** The clips by their ids: one list a project. */
async function findClips(wanted: readonly ClipId[], { api }: Pick<Connection, 'api'>): Promise<Clip[]> {
  const lists = new Map<string, Clip[]>();
  const found: Clip[] = [];
  for (const { projectId, clipId, contentId } of wanted) {
    const clips = lists.get(projectId) ?? (await api.listClips(projectId));
    lists.set(projectId, clips);
    const clip = clips.find(({ id }) => id === contentId || id === clipId);
    if (!clip) {
      throw new ClipctlError('not-found', `project ${projectId} has no clip ${clipId}`, {
        hint: `clipctl clip list ${projectId} shows its clips`,
      });
    }
    found.push(clip);
  }
  return found;
}
