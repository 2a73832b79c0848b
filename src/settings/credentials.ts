import { readFileSync } from 'node:fs';
import { ClipctlError, messageOf, usageError } from '../errors.js';
import { changeStore, isObject, readStore } from './config-store.js';
import type { Settings } from './settings.js';

type Env = Record<string, string | undefined>;

export interface FoundKey {
  key: string;
  from: string;
}

/** The name a stored key goes by: the profile's, or `default`. */
export function credentialName(settings: Settings): string {
  return String(settings.find('profile').value ?? 'default');
}

/**
 * The API key: `--api-key-file`, then CLIPCTL_API_KEY, then CLIPCTL_API_KEY_FILE, then the profile's api_key_file or
 * its stored key, then the config's api_key_file or the key stored without a profile. A stored key is used only for
 * the base address it was saved for.
 */
export function findKey(
  settings: Settings,
  env: Env,
  configDir: string,
  baseUrl: string,
): FoundKey | undefined {
  const name = credentialName(settings);
  const isOfConfig = !env.CLIPCTL_API_KEY && settings.find('api_key_file').origin === 'config';
  // A file that the config names for all gives way to the key that a profile has of its own.
  const givesWay =
    isOfConfig && settings.profile() !== undefined && readStored(configDir, name) !== undefined;
  const given = givesWay ? undefined : findKeyOutsideStore(settings, env);
  if (given) return given;
  const stored = readStored(configDir, name);
  if (!stored) return undefined;
  if (stored.baseUrl !== baseUrl) {
    throw new ClipctlError('auth', `the stored key belongs to ${stored.baseUrl}, not to ${baseUrl}`, {
      reason: 'a key is only ever sent to the base address it was saved for',
      hint: `clipctl auth login --base-url ${baseUrl}${name === 'default' ? '' : ` --profile ${name}`}`,
    });
  }
  return { key: stored.key, from: 'stored by auth login' };
}

/** The key of a file or the environment; for `serve` the only ones. */
export function findKeyOutsideStore(settings: Settings, env: Env): FoundKey | undefined {
  const file = settings.find('api_key_file');
  if (file.origin === 'flag') return keyFromFile(String(file.value), '--api-key-file');
  if (env.CLIPCTL_API_KEY)
    return { key: checkKey(env.CLIPCTL_API_KEY, 'CLIPCTL_API_KEY'), from: 'CLIPCTL_API_KEY' };
  return file.value === null ? undefined : keyFromFile(String(file.value), file.from);
}

function keyFromFile(path: string, from: string): FoundKey {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw usageError(`cannot read the API key file ${path}`, {
      reason: messageOf(error),
      hint: `it was named by ${from}`,
      cause: error,
    });
  }
  return { key: checkKey(text, path), from: `${from} ${path}` };
}

/** A key as it may stand in a header: one line of visible ASCII. The line end of a file is dropped. */
export function checkKey(text: string, from: string): string {
  const key = text.replace(/[\r\n]+$/, '');
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw usageError(
    `the API key of ${from} is ${key.trim() === '' ? 'empty' : 'not one line of plain characters'}`,
    {
      hint: 'copy it again, without spaces or line ends inside',
    },
  );
}

export function readStored(configDir: string, name: string): { baseUrl: string; key: string } | undefined {
  const all = readStore({ name: 'credentials', dir: configDir });
  const entry = Object.hasOwn(all, name) ? all[name] : undefined;
  if (!isObject(entry) || typeof entry.key !== 'string' || typeof entry.baseUrl !== 'string')
    return undefined;
  return { baseUrl: entry.baseUrl, key: entry.key };
}

export async function storeKey(
  configDir: string,
  name: string,
  entry: { baseUrl: string; key: string },
): Promise<void> {
  await changeStore({ name: 'credentials', dir: configDir }, (all) => ({ ...all, [name]: entry }));
}

/** Whether there was one to forget. */
export async function forgetKey(configDir: string, name: string): Promise<boolean> {
  if (!readStored(configDir, name)) return false;
  await changeStore({ name: 'credentials', dir: configDir }, ({ [name]: _gone, ...rest }) => rest);
  return true;
}
