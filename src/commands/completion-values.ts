import { ASPECT_RATIOS, FONT_SIZES, FONT_TYPES, GENRES, MODELS } from '../api/preference-values.js';
import type { Context } from '../context.js';
import type { HistoryKind } from '../history/journal.js';
import { isObject } from '../settings/config-store.js';
import { SETTINGS } from '../settings/table.js';
import { presetsDir } from './read-preferences.js';

/** One proposal: what is inserted, and a few words beside it. */
export interface Proposal {
  value: string;
  about?: string;
}

/** Everything comes from this machine: a TAB never waits for a network. */
type Source = (context: Context) => Promise<Proposal[]> | Proposal[];

/** `files` lets the shell complete file names. */
type Values = Source | 'files';

const list =
  (values: readonly string[]): Source =>
  () =>
    values.map((value) => ({ value }));

/** Ids of the history, newest first. */
const recent =
  (...kinds: HistoryKind[]): Source =>
  async (context) => {
    const rows = await remembered(context);
    return rows
      .filter(({ kind, event }) => kinds.includes(kind) && event !== 'cancelled')
      .slice(0, RECENT)
      .map((row) => ({ value: row.id, about: row.title ?? row.file ?? row.kind }));
  };
const RECENT = 20;

async function remembered({ dirs }: Pick<Context, 'dirs'>) {
  const { readHistory } = await import('../history/journal.js');
  const { foldHistory } = await import('../history/select.js');
  return foldHistory((await readHistory(dirs.state)).entries);
}

const clips: Source = async (context) => {
  const ids = (await remembered(context)).flatMap(({ projectId, clipId }) =>
    projectId && clipId ? [`${projectId}.${clipId}`] : [],
  );
  return [...new Set(ids)].slice(0, RECENT).map((value) => ({ value }));
};

const accounts: Source = async (context) => {
  const ids = (await remembered(context)).flatMap(({ accountId }) => accountId ?? []);
  return [...new Set(ids)].slice(0, RECENT).map((value) => ({ value }));
};

const allIds: Source = async (context) =>
  (await remembered(context)).slice(0, RECENT).map(({ id, kind }) => ({ value: id, about: kind }));

const presets: Source = async (context) => {
  const { listPresets } = await import('../preferences/presets.js');
  return (await listPresets(presetsDir(context))).map((value) => ({ value, about: 'preset' }));
};

const profiles: Source = ({ settings }) => {
  const known = settings.config.profiles;
  return isObject(known) ? Object.keys(known).map((value) => ({ value, about: 'profile' })) : [];
};

const profilesAndDefault: Source = async (context) => [
  ...(await profiles(context)),
  { value: 'default', about: 'no profile' },
];

const settingKeys: Source = () => SETTINGS.map(({ key, about }) => ({ value: key, about }));

const topics: Source = async () => {
  const { TOPICS } = await import('./help-topics.js');
  return TOPICS.map(({ name, about }) => ({ value: name, about }));
};

/** Values of options, by their long form. */
const OPTION_VALUES: Record<string, Values> = {
  '--genre': list(GENRES),
  '--model': list(MODELS),
  '--aspect': list(ASPECT_RATIOS),
  '--font-size': list(FONT_SIZES),
  '--font-type': list(FONT_TYPES),
  '--font-decoration': list(['none', 'underline', 'line-through']),
  '--duration': list(['0-30', '30-60', '60-90', '90-180', '0-90', '0-180']),
  '--preset': presets,
  '--profile': profiles,
  '--project': recent('project'),
  '--from-project': recent('project'),
  '--upload-id': recent('upload'),
  '--account': accounts,
  '--kind': list(['upload', 'project', 'collection', 'censor', 'schedule', 'copy']),
  '--progress': list(['auto', 'bar', 'plain', 'json', 'none']),
  '--since': list(['1d', '7d', '30d']),
  ...Object.fromEntries(
    [
      '--prefs',
      '--prompt-file',
      '--description-file',
      '--api-key-file',
      '--faults',
      '--input',
      '--download',
      '--dir',
      '--data-dir',
    ].map((flag) => [flag, 'files' as const]),
  ),
};

const projects = recent('project');
const collections = recent('collection');

/** Values of arguments, by the command's words; the last one is of all that follow. */
const ARGUMENT_VALUES: Record<string, readonly Values[]> = {
  upload: ['files'],
  'uploads resume': ['files'],
  'uploads forget': ['files'],
  'project get': [projects],
  'project wait': [projects],
  visibility: [projects, list(['default', 'public'])],
  'clip list': [projects],
  'clip download': [clips],
  'collection add': [collections, clips],
  'collection remove': [collections, clips],
  'collection export': [collections],
  'censor create': [clips],
  'censor status': [recent('censor')],
  'schedule create': [clips],
  'schedule cancel': [recent('schedule')],
  'copy create': [clips],
  'copy get': [recent('copy')],
  'batch run': ['files'],
  'batch status': ['files'],
  'preset show': [presets],
  'preset delete': [presets],
  'history show': [allIds],
  'profile use': [profilesAndDefault],
  'profile delete': [profiles],
  'config get': [settingKeys],
  'config set': [settingKeys],
  'config unset': [settingKeys],
  api: [list(['GET', 'POST', 'DELETE'])],
  completion: [list(['bash', 'zsh', 'fish', 'powershell'])],
  help: [topics],
};

export async function valuesOfOption(long: string, context: Context): Promise<Proposal[] | 'files'> {
  return read(OPTION_VALUES[long], context);
}

/** Values of the argument number `at` of a command. */
export async function valuesOfArgument(
  command: string,
  at: number,
  context: Context,
): Promise<Proposal[] | 'files'> {
  const rows = ARGUMENT_VALUES[command];
  return read(rows?.[at] ?? rows?.at(-1), context);
}

/** What cannot be read (a damaged config, say) is no proposal: a TAB is no place for an error. */
async function read(values: Values | undefined, context: Context): Promise<Proposal[] | 'files'> {
  if (values === undefined) return [];
  if (values === 'files') return values;
  try {
    return await values(context);
  } catch {
    return [];
  }
}
