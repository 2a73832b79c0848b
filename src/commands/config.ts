import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { messageOf, usageError } from '../errors.js';
import { nearest } from '../nearest.js';
import { changeStore, getDotted, setDotted, storePath } from '../settings/config-store.js';
import type { Found } from '../settings/settings.js';
import { SETTINGS, type Setting } from '../settings/table.js';
import { showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';

export function registerConfig(command: Command, context: Context): void {
  const get = command
    .command('get <key>')
    .description('print the value of a setting that is in use')
    .action(async (key) => configGet(key, context));
  addHelp(get, { examples: ['config get base_url', 'config get defaults.curationPref.genre'] });
  const set = command
    .command('set <key> <value>')
    .description('keep a setting; with --profile in that profile')
    .action(async (key, value) => configSet(key, value, context));
  addHelp(set, {
    about:
      'Keys are those of clipctl config list, and defaults.<member> for preferences that every upload and project\n' +
      "starts from, in the interface document's names.",
    examples: [
      'config set timeout 90s',
      'config set defaults.curationPref.genre Podcast',
      'config set render.send partial',
    ],
  });
  const unset = command
    .command('unset <key>')
    .description('forget a setting')
    .action(async (key) => configUnset(key, context));
  addHelp(unset, { examples: ['config unset timeout'] });
  const list = command
    .command('list')
    .description('list all settings with their values')
    .option('--origin', 'say where each value came from')
    .action(async (options) => configList(options, context));
  addHelp(list, { examples: ['config list', 'config list --origin'] });
  const path = command
    .command('path')
    .description('print where the config file is')
    .action(async () => {
      const at = storePath({ name: 'config', dir: context.dirs.config });
      await context.output.result({ json: { path: at }, lines: [at] });
    });
  addHelp(path, { examples: ['config path'] });
}

type ConfigContext = Pick<Context, 'settings' | 'output' | 'notes' | 'dirs' | 'flags'>;

function findSetting(key: string): Setting {
  const setting = SETTINGS.find((row) => row.key === key);
  if (setting) return setting;
  if (/^(api_?)?key$/i.test(key)) {
    throw usageError('the API key is not kept in the config file', {
      hint: 'store it with: clipctl auth login',
    });
  }
  const near = nearest(
    key,
    SETTINGS.map((row) => row.key),
  );
  throw usageError(`there is no setting ${JSON.stringify(key)}`, {
    hint: near ? `did you mean ${near}?` : 'clipctl config list shows them all',
  });
}

const isDefault = (key: string) => key.startsWith('defaults.');

async function configGet(key: string, { settings, output }: ConfigContext): Promise<void> {
  if (isDefault(key)) {
    const value = getDotted({ defaults: await mergedDefaults(settings) }, key);
    return output.result({
      json: { key, value: value ?? null },
      lines: value === undefined ? [] : [show(value)],
    });
  }
  const { value, origin } = settings.find(findSetting(key).key as never);
  await output.result({ json: { key, value, origin }, lines: value === null ? [] : [show(value)] });
}

/** Default preferences as a command uses them. */
async function mergedDefaults(settings: Context['settings']): Promise<Record<string, unknown>> {
  const { mergePreferences } = await import('../preferences/merge.js');
  return mergePreferences(settings.defaults());
}

function originOfDefault(key: string, settings: Context['settings']): Pick<Found, 'origin' | 'from'> {
  const profile = settings.profile();
  return profile && getDotted(profile.settings, key) !== undefined
    ? { origin: 'profile', from: `profile ${profile.name}` }
    : { origin: 'config', from: 'the config file' };
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Where a key is kept: at the top, or in the profile that `--profile` or CLIPCTL_PROFILE names. */
function placeOf(key: string, settings: Context['settings']): string {
  const found = settings.find('profile');
  const inProfile = key !== 'profile' && (found.origin === 'flag' || found.origin === 'environment');
  if (!inProfile) return key;
  return `profiles.${settings.profile()?.name ?? ''}.${key}`;
}

async function configSet(key: string, text: string, context: ConfigContext): Promise<void> {
  const { settings, output, notes, dirs, flags } = context;
  const value = isDefault(key) ? await parseDefault(key, text) : parseSetting(findSetting(key), text);
  const place = placeOf(key, settings);
  if (flags.dryRun) {
    notes.note(`would set ${place} to ${show(value)}`);
    return showDryRun(context, []);
  }
  await changeStore({ name: 'config', dir: dirs.config }, (config) => setDotted(config, place, value));
  notes.say(`${place} is now ${show(value)}`);
  await output.document({ key: place, value });
}

function parseSetting(setting: Setting, text: string): unknown {
  try {
    const parsed = setting.parse(text);
    // Durations stay as they were written: 60s reads better in a file than 60000.
    return setting.key === 'timeout' ? text : parsed;
  } catch (error) {
    throw usageError(`${setting.key}: ${messageOf(error)}`, { hint: setting.about, cause: error });
  }
}

/** A default preference, checked like a preference file that holds only it. */
async function parseDefault(key: string, text: string): Promise<unknown> {
  const { checkPreferences } = await import('../preferences/files.js');
  const member = key.slice('defaults.'.length);
  checkPreferences(setDotted({}, member, parseLoosely(text)), key);
  return parseLoosely(text);
}

/** JSON where it is JSON (true, 4, ["a"]), else the text itself. */
function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function configUnset(key: string, context: ConfigContext): Promise<void> {
  const { settings, output, notes, dirs, flags } = context;
  if (!isDefault(key)) findSetting(key);
  const place = placeOf(key, settings);
  if (flags.dryRun) {
    notes.note(`would unset ${place}`);
    return showDryRun(context, []);
  }
  await changeStore({ name: 'config', dir: dirs.config }, (config) => setDotted(config, place, undefined));
  notes.say(`${place} is unset`);
  await output.document({ key: place, value: null });
}

async function configList(options: { origin?: true }, { settings, output }: ConfigContext): Promise<void> {
  const rows = SETTINGS.map((setting) => ({ key: setting.key, ...settings.find(setting.key) }));
  const defaults = flatten(await mergedDefaults(settings), 'defaults');
  const all = [
    ...rows,
    ...defaults.map(([key, value]) => ({ key, value, ...originOfDefault(key, settings) })),
  ];
  await output.result({
    json: all.map(({ key, value, origin, from }) => ({
      key,
      value,
      ...(options.origin ? { origin, from } : {}),
    })),
    table: {
      header: ['KEY', 'VALUE', ...(options.origin ? ['ORIGIN', 'FROM'] : [])],
      rows: all.map(({ key, value, origin, from }) => [
        key,
        value === null ? '' : show(value),
        ...(options.origin ? [origin, from] : []),
      ]),
    },
  });
}

function flatten(object: Record<string, unknown>, prefix: string): [string, unknown][] {
  return Object.entries(object).flatMap(([name, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flatten(value as Record<string, unknown>, `${prefix}.${name}`)
      : [[`${prefix}.${name}`, value]],
  );
}
