import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import type { ProjectPreferences } from '../api/projects.js';
import type { Context } from '../context.js';
import { usageError } from '../errors.js';
import type { ResolveDeps } from '../preferences/resolve.js';
import { preferenceDeps, readPreferences } from './read-preferences.js';

/**
 * The preferences of a command line, and what a person says when asked: everything with `--interactive`; else, at a
 * terminal and when nothing of the look was given, the look. Asked before anything is sent, after all checks.
 */
export async function choosePreferences(
  values: Record<string, unknown>,
  command: CommandUnknownOpts,
  context: Context,
): Promise<ProjectPreferences> {
  const interactive = values.interactive === true;
  const fromStdin = readsStdin(values);
  const canAsk = context.canAsk && !fromStdin;
  if (interactive && !canAsk) throw cannotAsk(fromStdin);
  if (!canAsk || values.create === false) return (await readPreferences(values, context)).preferences;
  context.assertAccount();
  const deps = await preferenceDeps(context);
  const { resolvePreferences } = await import('../preferences/resolve.js');
  const given = await resolvePreferences(values, deps);
  const asks = interactive || !given.lookGiven;
  const { preferences, notes } = asks
    ? await resolvePreferences(values, {
        ...deps,
        chosen: await ask(interactive, { values, command, deps, context }),
      })
    : given;
  for (const note of notes) context.notes.note(note);
  return preferences;
}

interface Asking {
  values: Record<string, unknown>;
  command: CommandUnknownOpts;
  deps: ResolveDeps;
  context: Context;
}

async function ask(interactive: boolean, { values, command, deps, context }: Asking) {
  const { mergeSources } = await import('../preferences/resolve.js');
  const { askEverything, askRender } = await import('../preferences/wizard.js');
  const wizard = {
    presetsDir: deps.presetsDir,
    say: (line: string) => context.notes.say(line),
    sentence: (line: string) => context.notes.sentence(line),
    command: typedWords(command),
    start: await mergeSources(values, deps),
  };
  const prompts = await context.prompts();
  return interactive ? askEverything(prompts, wizard) : askRender(prompts, wizard);
}

/** Whoever pipes preferences in has no stdin left to answer with. */
function readsStdin({ prefs, promptFile }: Record<string, unknown>): boolean {
  return promptFile === '-' || (Array.isArray(prefs) && prefs.includes('-'));
}

function cannotAsk(fromStdin: boolean) {
  return usageError('--interactive has nobody to ask', {
    reason: fromStdin
      ? 'stdin (-) is read for preferences'
      : 'stdin and stderr must be a terminal, without CI, --no-input, --json, --quiet and --dry-run',
    hint: 'give the preferences as flags, or with --preset or --prefs',
  });
}

/** Whether a command line has preferences of its own, or asks to be asked for them. */
export function givesPreferences(command: CommandUnknownOpts): boolean {
  return command.options.some(
    (option) => isPreference(option) && command.getOptionValueSource(option.attributeName()) === 'cli',
  );
}

function isPreference(option: Option): boolean {
  return option.helpGroupHeading !== undefined || option.attributeName() === 'interactive';
}

/** The command line as it was typed, without preferences: for the equivalent one, which gets the chosen ones. */
function typedWords(command: CommandUnknownOpts): string[] {
  const chain: CommandUnknownOpts[] = [];
  for (let at: CommandUnknownOpts | null = command; at; at = at.parent) chain.unshift(at);
  const options = chain.flatMap((each) =>
    each.options.flatMap((option) => {
      const name = option.attributeName();
      if (isPreference(option) || each.getOptionValueSource(name) !== 'cli') return [];
      const value: unknown = each.getOptionValue(name);
      const flag = option.long ?? option.short ?? '';
      if (option.negate !== (value === false)) return [];
      return typeof value === 'boolean' ? [flag] : [flag, String(value)];
    }),
  );
  return [...chain.map((each) => each.name()), ...command.args, ...options];
}
