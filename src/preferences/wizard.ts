import { messageOf } from '../errors.js';
import type { Prompts } from '../terminal/prompts.js';
import { describePreferences } from './describe.js';
import { parsePreferences } from './files.js';
import { isPlainObject, type JsonObject, memberAt, mergePreferences, withoutNulls } from './merge.js';
import { checkPresetName, listPresets, readPresetText, savePreset } from './presets.js';
import { inexpressibleMembers, shellQuote, toFlags } from './to-flags.js';
import { askCuration } from './wizard-curation.js';
import { askLook } from './wizard-look.js';

/** What a person chose when asked; `resolvePreferences` takes it as `deps.chosen`. */
export interface WizardAnswer {
  /** A saved preset, by its name. */
  preset?: string;
  /** Members of the creation body. */
  answers?: JsonObject;
}

export interface WizardDeps {
  presetsDir: string;
  /** A line for the person, on stderr. */
  say(line: string): void;
  /** The same for a line that may be wrapped. */
  sentence(line: string): void;
  /** The command as far as it was typed, without preferences: `['clipctl', 'upload', 'talk.mp4']`. */
  command?: readonly string[];
  /** Preferences given already: the answers that the questions offer. */
  start?: JsonObject;
}

/**
 * The render question, for a terminal where nothing of the look was given: the account's default brand template,
 * a saved preset, or choose now.
 */
export async function askRender(prompts: Prompts, deps: WizardDeps): Promise<WizardAnswer> {
  const chosen = await chooseLook(prompts, deps);
  if (chosen !== 'now') return chosen;
  return finish(prompts, deps, await askLook(prompts, deps.start ?? {}));
}

/** The whole wizard of `--interactive`: which moments, then the look. */
export async function askEverything(prompts: Prompts, deps: WizardDeps): Promise<WizardAnswer> {
  const look = await chooseLook(prompts, deps);
  const preset = look === 'now' ? undefined : look.preset;
  const held = preset === undefined ? {} : await readHeld(deps, preset);
  const start = mergePreferences([held, deps.start ?? {}]);
  const curation = await askCuration(prompts, start);
  const answers = look === 'now' ? mergePreferences([curation, await askLook(prompts, start)]) : curation;
  return finish(prompts, deps, answers, preset === undefined ? undefined : { name: preset, held });
}

async function readHeld({ presetsDir }: WizardDeps, name: string): Promise<JsonObject> {
  return parsePreferences(await readPresetText(presetsDir, name), `preset ${name}`);
}

async function chooseLook(prompts: Prompts, { presetsDir }: WizardDeps): Promise<WizardAnswer | 'now'> {
  const names = await listPresets(presetsDir);
  const way = await prompts.select<'template' | 'preset' | 'now'>({
    message: 'How should the clips look?',
    choices: [
      { name: "The account's default brand template", value: 'template' },
      ...(names.length > 0 ? [{ name: 'A saved preset', value: 'preset' as const }] : []),
      { name: 'Choose now', value: 'now' },
    ],
  });
  if (way === 'now') return way;
  if (way === 'template') return {};
  const choices = names.map((name) => ({ name, value: name }));
  return { preset: await prompts.select<string>({ message: 'Which preset?', choices }) };
}

/** The summary, the offer to save, and the equivalent command line. */
async function finish(
  prompts: Prompts,
  deps: WizardDeps,
  answered: JsonObject,
  preset?: { name: string; held: JsonObject },
): Promise<WizardAnswer> {
  const given = deps.start ?? {};
  const before = mergePreferences([preset?.held ?? {}, given]);
  const answers = withoutDefaults(answered, before);
  const whole = withoutNulls(mergePreferences([before, answers]));
  for (const line of describePreferences(whole)) deps.sentence(line);
  if (await prompts.confirm({ message: 'Save this as a preset?', default: false })) {
    await saveAs(prompts, deps, whole);
  }
  // What was taken back from a preset no flag can take back: then all is said by flags, without it.
  const usePreset = preset && !holdsNull(answers);
  const said = usePreset ? withoutNulls(mergePreferences([given, answers])) : whole;
  const command = [
    ...(deps.command ?? ['clipctl', 'upload']),
    ...(usePreset ? ['--preset', preset.name] : []),
  ];
  deps.say(`the same again: ${[...command, ...toFlags(said)].map(shellQuote).join(' ')}`);
  const more = inexpressibleMembers(said);
  if (more.length > 0) deps.say(`no flag says ${more.join(', ')}: put that into a file for --prefs`);
  return { ...(preset ? { preset: preset.name } : {}), answers };
}

function holdsNull(object: JsonObject): boolean {
  return Object.values(object).some((value) => value === null || (isPlainObject(value) && holdsNull(value)));
}

/** Answers that are the document's defaults anyway. */
const DEFAULT_ANSWERS: Record<string, unknown> = {
  model: 'ClipBasic',
  genre: 'Auto',
  sourceLang: 'auto',
};

/**
 * Without answers that say what holds anyway, so the equivalent command line stays short. null says "none", as
 * false does of a boolean.
 */
function withoutDefaults(answers: JsonObject, start: unknown): JsonObject {
  const entries = Object.entries(answers).flatMap(([key, value]): [string, unknown][] => {
    const before = memberAt(start, key);
    if (isPlainObject(value)) return [[key, withoutDefaults(value, before)]];
    if (JSON.stringify(value) === JSON.stringify(before)) return [];
    const says = value === null || value === false || value === DEFAULT_ANSWERS[key];
    return says && (before === undefined || before === null) ? [] : [[key, value]];
  });
  return Object.fromEntries(
    entries.filter(([, value]) => !isPlainObject(value) || Object.keys(value).length > 0),
  );
}

async function saveAs(
  prompts: Prompts,
  { presetsDir, say }: WizardDeps,
  preferences: JsonObject,
): Promise<void> {
  const name = await prompts.input({ message: 'Name of the preset', validate: validName });
  const taken = (await listPresets(presetsDir)).includes(name);
  const overwrite =
    taken && (await prompts.confirm({ message: `Replace the preset ${name}?`, default: false }));
  if (taken && !overwrite) return say(`the preset ${name} stays as it is`);
  // The title is of one video; a preset is for many.
  const { uploadedVideoAttr, ...kept } = preferences;
  await savePreset(presetsDir, name, kept, { overwrite });
  say(`saved: use it with --preset ${name}`);
}

function validName(name: string): true | string {
  try {
    checkPresetName(name);
    return true;
  } catch (error) {
    return messageOf(error);
  }
}
