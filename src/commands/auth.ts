import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { usageError } from '../errors.js';
import { lastFourOf } from '../redact.js';
import { findBaseUrl } from '../settings/base-url.js';
import { changeStore, getDotted, setDotted } from '../settings/config-store.js';
import { checkKey, credentialName, forgetKey, readStored, storeKey } from '../settings/credentials.js';
import { Settings } from '../settings/settings.js';
import { parseBaseUrl } from '../settings/table.js';
import { readStdin } from '../terminal/io.js';
import { planRequest, showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';

export function registerAuth(command: Command, context: Context): void {
  const login = command
    .command('login')
    .description('store an API key for a base address, after checking it')
    .option('--with-token', 'read the key from stdin instead of asking')
    .action(async (options) => authLogin(options, context));
  addHelp(login, {
    about:
      'The key is checked with the service, then stored with mode 0600 and bound to the base address: it is never\n' +
      'sent anywhere else. With --profile the address and key become a named profile.',
    examples: [
      'auth login --base-url https://api.example.com',
      'auth login --profile work --base-url https://api.example.com --with-token < key.txt',
    ],
    exitCodes: [3, 8, 130],
  });
  const logout = command
    .command('logout')
    .description('forget the stored key')
    .action(async () => authLogout(context));
  addHelp(logout, { examples: ['auth logout', 'auth logout --profile work'] });
  const status = command
    .command('status')
    .description('show the base address and key in use, and whether the service takes the key')
    .action(async () => authStatus(context));
  addHelp(status, { examples: ['auth status', 'auth status --json'], exitCodes: [3, 8] });
}

/** Asks for (or reads) a key, checks it with the service and stores it, bound to the base address. */
async function authLogin(options: { withToken?: true }, context: Context): Promise<void> {
  if (context.flags.local) {
    throw usageError('the local service needs no login', {
      hint: 'give --local to a command and it just works',
    });
  }
  context.settings.allowNewProfile();
  const baseUrl = await loginBaseUrl(context);
  const name = credentialName(context.settings);
  if (context.flags.dryRun) return showLoginPlan(baseUrl, name, context);
  const key = await loginKey(options, context, baseUrl);
  // The check of cli.md, section 10.
  const { api } = await context.makeClient(baseUrl, key);
  const accounts = (await api.listAccounts()).length;
  await storeKey(context.dirs.config, name, { baseUrl, key });
  const at = name === 'default' ? 'base_url' : `profiles.${name}.base_url`;
  await changeStore({ name: 'config', dir: context.dirs.config }, (config) =>
    getDotted(config, at) === baseUrl ? config : setDotted(config, at, baseUrl),
  );
  context.notes.say(`logged in to ${baseUrl} with the key ${lastFourOf(key)}`);
  if (context.io.env.CLIPCTL_API_KEY) {
    context.notes.warn('CLIPCTL_API_KEY is set and wins over the stored key');
  }
  context.notes.next('clipctl upload talk.mp4 --wait --download clips');
  await context.output.document({ baseUrl, profile: name, key: lastFourOf(key), accounts });
}

async function showLoginPlan(baseUrl: string, name: string, context: Context): Promise<void> {
  const { ACCOUNTS_QUERY_VALUE, accountRoutes } = await import('../api/accounts.js');
  const query = { [context.settings.get('compat.accounts_query') ?? 'q']: ACCOUNTS_QUERY_VALUE };
  context.notes.note(`would store the key for ${baseUrl} as that of ${name}`);
  return showDryRun(context, [await planRequest(baseUrl, accountRoutes.listAccounts, { query })]);
}

/** The address to log in to. A profile that does not exist yet has none of its own. */
async function loginBaseUrl(context: Context): Promise<string> {
  const { settings } = context;
  const name = settings.find('profile').value;
  if (name !== null && !/^[A-Za-z0-9_-]{1,64}$/.test(String(name))) {
    throw usageError(`${JSON.stringify(name)} is no name for a profile`, {
      hint: 'use letters, digits, - and _',
    });
  }
  const known = settings.find('base_url');
  const isNew = name !== null && settings.profile() === undefined;
  const usable = isNew ? known.origin === 'flag' || known.origin === 'environment' : known.value !== null;
  if (usable) return findBaseUrl(settings);
  if (!context.canAsk) {
    throw usageError('no base address to log in to', { hint: 'give --base-url, or set CLIPCTL_BASE_URL' });
  }
  const typed = await (await context.prompts()).input({
    message: 'Base address of the service',
    validate: (value) => isBaseUrl(value) || 'an address such as https://api.example.com',
  });
  return findBaseUrl(new Settings({ flags: { base_url: typed }, env: {}, configDir: context.dirs.config }));
}

function isBaseUrl(value: string): boolean {
  try {
    parseBaseUrl(value);
    return true;
  } catch {
    return false;
  }
}

async function loginKey(options: { withToken?: true }, context: Context, baseUrl: string): Promise<string> {
  if (options.withToken) return checkKey(await readStdin(context.io), 'stdin');
  if (context.canAsk) {
    const typed = await (await context.prompts()).password({ message: `API key for ${baseUrl}` });
    return checkKey(typed, 'the prompt');
  }
  throw usageError('no key was given', {
    hint: 'pipe it in: clipctl auth login --with-token < key.txt; or set CLIPCTL_API_KEY instead of logging in',
  });
}

async function authLogout(context: Context): Promise<void> {
  const name = credentialName(context.settings);
  if (context.flags.dryRun) {
    const isStored = readStored(context.dirs.config, name) !== undefined;
    context.notes.note(isStored ? `would forget the key of ${name}` : `no key is stored for ${name}`);
    return showDryRun(context, []);
  }
  const had = await forgetKey(context.dirs.config, name);
  context.notes.say(had ? `the key of ${name} is forgotten` : `no key was stored for ${name}`);
  await context.output.document({ profile: name, forgotten: had });
}

async function authStatus(context: Context): Promise<void> {
  const { api, baseUrl, keyFrom: from } = await context.connect();
  await api.listAccounts();
  const profile = credentialName(context.settings);
  const key = lastFourOf(api.transport.options.apiKey);
  await context.output.result({
    json: { baseUrl, profile, key, from, valid: true },
    table: {
      header: ['BASE ADDRESS', 'PROFILE', 'KEY', 'FROM'],
      rows: [[baseUrl, profile, key, from]],
    },
  });
}
