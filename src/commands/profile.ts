import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { CancelledError, usageError } from '../errors.js';
import { nearest } from '../nearest.js';
import { lastFourOf } from '../redact.js';
import { changeStore, getDotted, isObject, setDotted } from '../settings/config-store.js';
import { forgetKey, readStored } from '../settings/credentials.js';
import { showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';

export function registerProfile(command: Command, context: Context): void {
  const list = command
    .command('list')
    .description('list the profiles')
    .action(async () => profileList(context));
  addHelp(list, {
    about:
      'A profile is a named base address, key and defaults. It is made by clipctl auth login --profile <name>, and its\n' +
      'settings are kept by clipctl config set --profile <name>. default is what is used without a profile.',
    examples: ['profile list', 'profile list --json'],
  });
  const use = command
    .command('use <name>')
    .description('use a profile from now on; default uses none')
    .action(async (name) => profileUse(name, context));
  addHelp(use, { examples: ['profile use work', 'profile use default'] });
  const remove = command
    .command('delete <name>')
    .description('delete a profile: its settings and its stored key')
    .action(async (name) => profileDelete(name, context));
  addHelp(remove, { examples: ['profile delete work', 'profile delete work --yes'], exitCodes: [130] });
}

/** The settings and the key that are used when no profile is. */
const DEFAULT = 'default';

type ProfileContext = Pick<Context, 'settings' | 'dirs' | 'output' | 'notes' | 'io' | 'flags'>;

function namesOf({ settings }: Pick<Context, 'settings'>): string[] {
  const { profiles } = settings.config;
  return isObject(profiles) ? Object.keys(profiles).sort() : [];
}

function checkName(name: string, context: ProfileContext): void {
  const names = namesOf(context);
  if (names.includes(name)) return;
  const near = nearest(name, names);
  throw usageError(`there is no profile ${JSON.stringify(name)}`, {
    reason: names.length > 0 ? `known profiles: ${names.join(', ')}` : 'no profile was made yet',
    hint: near
      ? `did you mean ${near}?`
      : 'make it with: clipctl auth login --profile <name> --base-url <url>',
  });
}

async function profileList(context: ProfileContext): Promise<void> {
  const { settings, dirs, output } = context;
  const inUse = String(settings.find('profile').value ?? DEFAULT);
  const rows = [DEFAULT, ...namesOf(context)].map((name) => {
    const at = name === DEFAULT ? 'base_url' : `profiles.${name}.base_url`;
    const stored = readStored(dirs.config, name);
    return {
      name,
      inUse: name === inUse,
      baseUrl: getDotted(settings.config, at) ?? null,
      key: stored ? lastFourOf(stored.key) : null,
    };
  });
  await output.result({
    json: rows,
    table: {
      header: ['NAME', 'IN USE', 'BASE ADDRESS', 'KEY'],
      whole: [0, 2],
      rows: rows.map((row) => [row.name, row.inUse ? 'yes' : '', String(row.baseUrl ?? ''), row.key ?? '']),
    },
  });
}

async function profileUse(name: string, context: ProfileContext): Promise<void> {
  if (name !== DEFAULT) checkName(name, context);
  if (context.flags.dryRun) {
    context.notes.note(name === DEFAULT ? 'would use no profile' : `would use profile ${name}`);
    return showDryRun(context, []);
  }
  await changeStore({ name: 'config', dir: context.dirs.config }, (config) =>
    setDotted(config, 'profile', name === DEFAULT ? undefined : name),
  );
  context.notes.say(
    name === DEFAULT ? 'no profile is used from now on' : `profile ${name} is used from now on`,
  );
  if (context.io.env.CLIPCTL_PROFILE) context.notes.warn('CLIPCTL_PROFILE is set and wins over this');
  await context.output.document({ profile: name });
}

async function profileDelete(name: string, context: Context): Promise<void> {
  if (name === DEFAULT) {
    throw usageError('default is no profile: it is what is used without one', {
      hint: 'forget its key with clipctl auth logout, its address with clipctl config unset base_url',
    });
  }
  checkName(name, context);
  if (context.flags.dryRun) {
    context.notes.note(`would delete profile ${name} and its stored key`);
    return showDryRun(context, []);
  }
  if (!(await context.confirm(`Delete the profile ${name} with its settings and stored key?`))) {
    throw new CancelledError('SIGINT', 'nothing was deleted');
  }
  // The key first: a profile without a key is harmless, a key without a profile would be forgotten about.
  const hadKey = await forgetKey(context.dirs.config, name);
  await changeStore({ name: 'config', dir: context.dirs.config }, (config) => {
    const without = setDotted(config, `profiles.${name}`, undefined);
    return without.profile === name ? setDotted(without, 'profile', undefined) : without;
  });
  context.notes.say(`deleted profile ${name}${hadKey ? ' and its key' : ''}`);
  await context.output.document({ profile: name, deleted: true, keyForgotten: hadKey });
}
