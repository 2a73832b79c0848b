import { messageOf, usageError } from '../errors.js';
import { getDotted, isObject, type JsonObject, readStore } from './config-store.js';
import { SETTINGS, type Setting, type SettingKey, type SettingValue } from './table.js';

/** The highest first. */
const ORIGINS = ['flag', 'environment', 'profile', 'config', 'built-in'] as const;
export type Origin = (typeof ORIGINS)[number];

export interface Found {
  value: unknown;
  origin: Origin;
  /** The flag, variable or file that set it. */
  from: string;
}

type Env = Record<string, string | undefined>;

/**
 * Settings with their precedence: flag > environment > profile > config > built-in. Each is looked up when it is
 * asked for, so a bad value of a setting that a command does not use is no error of that command.
 */
export class Settings {
  readonly #flags: Record<string, unknown>;
  readonly #env: Env;
  readonly #dir: string;
  #config: JsonObject | undefined;
  #profileMayBeNew = false;

  /** `flags` by setting key, with only those that were given. */
  constructor(sources: { flags: Record<string, unknown>; env: Env; configDir: string }) {
    this.#flags = sources.flags;
    this.#env = sources.env;
    this.#dir = sources.configDir;
  }

  /** The config file's object, read once. */
  get config(): JsonObject {
    this.#config ??= readStore({ name: 'config', dir: this.#dir });
    return this.#config;
  }

  /** For the command that makes a profile: a name that is not known yet is no error, and sets nothing. */
  allowNewProfile(): void {
    this.#profileMayBeNew = true;
  }

  get<K extends SettingKey>(key: K): SettingValue<K> | null {
    const found = this.find(key);
    if (found.value === null) return null;
    const setting = settingOf(key);
    try {
      return setting.parse(found.value) as SettingValue<K>;
    } catch (error) {
      throw usageError(`${key}: ${messageOf(error)}`, {
        reason: `it was set by ${found.from}`,
        cause: error,
      });
    }
  }

  /** The raw value of a setting and where it came from. A base address set above `local` switches that off. */
  find(key: SettingKey): Found {
    const found = this.#find(key);
    if (key !== 'local' || found.origin === 'built-in') return found;
    const base = this.#find('base_url');
    const isAbove = ORIGINS.indexOf(base.origin) < ORIGINS.indexOf(found.origin);
    return isAbove ? { ...base, value: false } : found;
  }

  #find(key: SettingKey): Found {
    const setting: Setting = settingOf(key);
    const flag = this.#flags[key];
    if (flag !== undefined) return { value: flag, origin: 'flag', from: setting.flag ?? key };
    const variable = setting.env ? this.#env[setting.env] : undefined;
    if (variable !== undefined && variable !== '') {
      return { value: variable, origin: 'environment', from: setting.env ?? '' };
    }
    return this.#stored(key) ?? { value: setting.builtIn, origin: 'built-in', from: 'built-in' };
  }

  #stored(key: SettingKey): Found | undefined {
    if (key !== 'profile') {
      // `output` is looked up before every command: also before the one that chooses another profile.
      const profile = key === 'output' ? this.#profileOrNone() : this.profile();
      const value = profile && getDotted(profile.settings, key);
      if (profile && value !== undefined)
        return { value, origin: 'profile', from: `profile ${profile.name}` };
    }
    const value = getDotted(this.config, key);
    return value === undefined ? undefined : { value, origin: 'config', from: 'the config file' };
  }

  /** The profile in use and its settings; an unknown name is an error that lists the known ones. */
  profile(): { name: string; settings: JsonObject } | undefined {
    const name = this.find('profile').value;
    if (name === null) return undefined;
    const profile = this.#profileOrNone();
    // `default` is what using none is called.
    if (profile || this.#profileMayBeNew || name === 'default') return profile;
    const known = Object.keys(isObject(this.config.profiles) ? this.config.profiles : {});
    throw usageError(`there is no profile ${JSON.stringify(name)}`, {
      reason: known.length > 0 ? `known profiles: ${known.join(', ')}` : 'no profile was made yet',
      hint: `make it with: clipctl auth login --profile ${String(name)} --base-url <url>\nor use none: clipctl profile use default`,
    });
  }

  #profileOrNone(): { name: string; settings: JsonObject } | undefined {
    const name = String(this.find('profile').value ?? '');
    const profiles = isObject(this.config.profiles) ? this.config.profiles : {};
    const settings = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    return isObject(settings) ? { name, settings } : undefined;
  }

  /** Preferences set by `config set defaults.…`: those of the profile over those of the config file. */
  defaults(): JsonObject[] {
    const own = this.config.defaults;
    const profiles = this.profile()?.settings.defaults;
    return [own, profiles].filter(isObject);
  }
}

function settingOf(key: SettingKey): Setting {
  const setting = SETTINGS.find((row) => row.key === key);
  if (!setting) throw new Error(`no such setting: ${key}`);
  return setting;
}
