import { homedir } from 'node:os';
import { join } from 'node:path';

type Env = Record<string, string | undefined>;

/** Where clipctl keeps things on this machine. */
export interface Dirs {
  /** config.json, credentials.json and presets/. */
  config: string;
  /** Unfinished uploads and the history. */
  state: string;
  /** The local service's store and media. */
  data: string;
}

/** CLIPCTL_*_DIR, then the XDG variables, then the system's custom. */
export function findDirs(env: Env): Dirs {
  const home = env.HOME || env.USERPROFILE || homedir();
  const windows = process.platform === 'win32';
  const roaming = env.APPDATA || join(home, 'AppData', 'Roaming');
  const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local');
  const under = (xdg: string | undefined, windowsBase: string, unixBase: string) =>
    join(xdg || (windows ? windowsBase : join(home, unixBase)), 'clipctl');
  return {
    config: env.CLIPCTL_CONFIG_DIR || under(env.XDG_CONFIG_HOME, roaming, '.config'),
    state: env.CLIPCTL_STATE_DIR || under(env.XDG_STATE_HOME, join(local, 'state'), '.local/state'),
    data: env.CLIPCTL_DATA_DIR || under(env.XDG_DATA_HOME, join(local, 'data'), '.local/share'),
  };
}
