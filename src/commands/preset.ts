import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { CancelledError, usageError } from '../errors.js';
import { registerPreferenceFlags } from '../preferences/flags.js';
import type { JsonObject } from '../preferences/merge.js';
import { showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';
import { presetsDir, readTextFile } from './read-preferences.js';

export function registerPreset(command: Command, context: Context): void {
  registerSave(command, context);
  const list = command
    .command('list')
    .description('list the saved presets')
    .action(async () => presetList(context));
  addHelp(list, { examples: ['preset list', 'preset list --json'] });
  const show = command
    .command('show <name>')
    .description('print a preset')
    .action(async (name) => presetShow(name, context));
  addHelp(show, {
    about: 'Prints the YAML file as it is, so it can be edited and given with --prefs; --json prints JSON.',
    examples: ['preset show captions', 'preset show captions > look.yaml'],
  });
  const remove = command
    .command('delete <name>')
    .description('delete a preset')
    .action(async (name) => presetDelete(name, context));
  addHelp(remove, { examples: ['preset delete captions', 'preset delete captions --yes'], exitCodes: [130] });
}

interface SaveFlags {
  fromProject?: string;
  overwrite?: true;
}

function registerSave(command: Command, context: Context): void {
  const save = command
    .command('save <name>')
    .description('save preferences under a name')
    .option('--from-project <id>', 'start from the preferences a project was made with')
    .option('--overwrite', 'replace a preset of this name');
  registerPreferenceFlags(save);
  save.action(async (name, options) => {
    const flags: typeof options & SaveFlags = options;
    await presetSave(name, flags, { ...flags }, context);
  });
  addHelp(save, {
    about:
      'Takes the same preference flags as upload. What is kept is what was given, not the defaults of the config.\n' +
      'upload --preset <name> then starts from it; flags beside it win.',
    examples: [
      'preset save captions --caption --uppercase --aspect portrait',
      'preset save team --prefs look.yaml --overwrite',
      'preset save again --from-project P123',
    ],
    exitCodes: [3, 5, 8],
  });
}

async function presetSave(
  name: string,
  flags: SaveFlags,
  values: JsonObject,
  context: Context,
): Promise<void> {
  const { checkPresetName, presetPath, savePreset } = await import('../preferences/presets.js');
  checkPresetName(name);
  const dir = presetsDir(context);
  const preferences = await collectPreferences(flags, values, context);
  if (context.flags.dryRun) {
    context.notes.note(`would write ${presetPath(dir, name)}`);
    return showDryRun(context, []);
  }
  const path = await savePreset(dir, name, preferences, { overwrite: flags.overwrite === true });
  context.notes.say(`saved ${path}`);
  context.notes.next(`clipctl upload talk.mp4 --preset ${name}`);
  await context.output.result({ json: { name, path, preferences }, lines: [name] });
}

/** What the preset will hold, checked like what is sent: a preset that cannot be used is not kept. */
async function collectPreferences(
  { fromProject }: SaveFlags,
  values: JsonObject,
  context: Context,
): Promise<JsonObject> {
  const { mergeSources } = await import('../preferences/resolve.js');
  const { buildPreferences } = await import('../preferences/build.js');
  const { mergePreferences } = await import('../preferences/merge.js');
  const given = await mergeSources(values, {
    readText: (path) => readTextFile(path, context.io),
    presetsDir: presetsDir(context),
    defaults: undefined,
  });
  const base = fromProject === undefined ? {} : await projectPreferences(fromProject, context);
  const merged = mergePreferences([base, given]);
  if (Object.keys(merged).length === 0) {
    throw usageError('a preset of nothing would change nothing', {
      hint: 'give preference flags, --prefs <file>, or --from-project <id>',
    });
  }
  for (const note of buildPreferences(merged, 'complete').notes) context.notes.note(note);
  return merged;
}

async function projectPreferences(projectId: string, context: Context): Promise<JsonObject> {
  if (context.flags.dryRun) {
    throw usageError('--from-project asks the service, which a dry run does not', {
      hint: 'leave --dry-run away',
    });
  }
  const { preferencesOfProject } = await import('../preferences/from-project.js');
  const { api } = await context.connect();
  const { preferences, dropped } = preferencesOfProject(await api.getProject(projectId));
  if (dropped.length > 0) {
    context.notes.note(`left away, the document does not let it be sent: ${dropped.join(', ')}`);
  }
  return preferences;
}

async function presetList(context: Context): Promise<void> {
  const { listPresets, presetPath, readPreset } = await import('../preferences/presets.js');
  const { describePreferences } = await import('../preferences/describe.js');
  const dir = presetsDir(context);
  const deps = { presetsDir: dir, readText: (path: string) => readTextFile(path, context.io) };
  const rows = [];
  for (const name of await listPresets(dir)) {
    // A preset that somebody broke while editing must not hide the others.
    const about = await readPreset(deps, name).then(
      (preferences) => describePreferences(preferences).join('; '),
      () => 'damaged; see preset show',
    );
    rows.push({ name, path: presetPath(dir, name), about });
  }
  if (rows.length === 0) context.notes.say('no preset was saved yet; see clipctl preset save --help');
  await context.output.result({
    json: rows,
    table: { header: ['NAME', 'PREFERENCES'], rows: rows.map(({ name, about }) => [name, about]) },
  });
}

async function presetShow(name: string, context: Context): Promise<void> {
  const { readPreset, readPresetText } = await import('../preferences/presets.js');
  const dir = presetsDir(context);
  if (!context.output.json) return context.output.text(await readPresetText(dir, name));
  const deps = { presetsDir: dir, readText: (path: string) => readTextFile(path, context.io) };
  await readPresetText(dir, name);
  await context.output.document(await readPreset(deps, name));
}

async function presetDelete(name: string, context: Context): Promise<void> {
  const { deletePreset, presetPath, readPresetText } = await import('../preferences/presets.js');
  const dir = presetsDir(context);
  await readPresetText(dir, name);
  if (context.flags.dryRun) {
    context.notes.note(`would delete ${presetPath(dir, name)}`);
    return showDryRun(context, []);
  }
  if (!(await context.confirm(`Delete the preset ${name}?`)))
    throw new CancelledError('SIGINT', 'nothing was deleted');
  await deletePreset(dir, name);
  await context.output.result({ json: { name, deleted: true }, lines: [name] });
}
