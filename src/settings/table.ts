import { parseDurationMs } from '../durations.js';
import { usageError } from '../errors.js';

/**
 * The one table of settings: the config key, the flag and the environment variable that set it, what is built in,
 * and a sentence. Parsing, `config list`, `help environment`, the README check and completion read it.
 * Values are kept as text or JSON and parsed by `parse`, which throws a usage error that says what is accepted.
 */
export interface Setting {
  key: string;
  flag?: string;
  env?: string;
  builtIn: string | number | boolean | null;
  about: string;
  parse(value: unknown): unknown;
}

function refuse(value: unknown, accepted: string): never {
  throw usageError(`${JSON.stringify(value)} is not ${accepted}`);
}

function text(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : refuse(value, 'a text');
}

function boolean(value: unknown): boolean {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0' || value === '') return false;
  return refuse(value, 'true or false');
}

function count(value: unknown): number {
  const number =
    typeof value === 'number' ? value : /^\d{1,6}$/.test(String(value)) ? Number(value) : Number.NaN;
  return Number.isInteger(number) && number >= 0 ? number : refuse(value, 'a whole number');
}

const durationMs = (value: unknown) => parseDurationMs(String(value), 'the value');

function oneOf<const T extends string>(...values: T[]) {
  return (value: unknown): T => values.find((known) => known === value) ?? refuse(value, values.join(' or '));
}

/** The path of an endpoint, with the one placeholder that it has. */
function endpointPath(placeholder: '{projectId}' | '{jobId}') {
  return (value: unknown): string => {
    const path = typeof value === 'string' && /^\/[\x21-\x7e]*$/.test(value) ? value : '';
    const isWhole = path.includes(placeholder) && !/[{}]/.test(path.replaceAll(placeholder, ''));
    return isWhole
      ? path
      : refuse(value, `a path that starts with / and holds ${placeholder}, and no other {…}`);
  };
}

/** An http(s) address without user, query and fragment; its trailing slash is dropped. */
export function parseBaseUrl(value: unknown): string {
  let url: URL;
  try {
    url = new URL(String(value));
  } catch {
    return refuse(value, 'an address such as https://api.example.com');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse(value, 'an http(s) address');
  if (url.username || url.password)
    throw usageError('the base address must not hold a user name or password');
  if (url.search || url.hash)
    throw usageError(`the base address ${url.origin}… must not hold a query or fragment`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

export const SETTINGS = [
  {
    key: 'base_url',
    flag: '--base-url',
    env: 'CLIPCTL_BASE_URL',
    builtIn: null,
    about: 'base address of the service; https, or http to loopback',
    parse: parseBaseUrl,
  },
  {
    key: 'api_key_file',
    flag: '--api-key-file',
    env: 'CLIPCTL_API_KEY_FILE',
    builtIn: null,
    about: 'a file that holds the API key',
    parse: text,
  },
  {
    key: 'profile',
    flag: '--profile',
    env: 'CLIPCTL_PROFILE',
    builtIn: null,
    about: 'the named profile in use',
    parse: text,
  },
  {
    key: 'local',
    flag: '--local',
    env: 'CLIPCTL_LOCAL',
    builtIn: false,
    about: 'use the local service, starting it inside the command when none runs',
    parse: boolean,
  },
  {
    key: 'output',
    flag: '--json',
    env: 'CLIPCTL_OUTPUT',
    builtIn: 'text',
    about: 'text or json',
    parse: oneOf('text', 'json'),
  },
  {
    key: 'no_input',
    flag: '--no-input',
    env: 'CLIPCTL_NO_INPUT',
    builtIn: false,
    about: 'never ask a question',
    parse: boolean,
  },
  {
    key: 'timeout',
    flag: '--timeout',
    env: 'CLIPCTL_TIMEOUT',
    builtIn: '60s',
    about: 'time limit of one API request',
    parse: durationMs,
  },
  {
    key: 'retries',
    flag: '--retries',
    builtIn: 4,
    about: 'how often a request that may be repeated is tried again; for uploads, tries without progress',
    parse: count,
  },
  {
    key: 'allow_http',
    builtIn: false,
    about: 'allow a base address with http that is not loopback',
    parse: boolean,
  },
  {
    key: 'render.send',
    builtIn: 'complete',
    about: 'complete: render preferences go out with all required members; partial: only those given',
    parse: oneOf('complete', 'partial'),
  },
  {
    key: 'compat.accounts_query',
    builtIn: 'q',
    about: 'name of the query parameter of the account list (not in the interface document)',
    parse: text,
  },
  {
    key: 'endpoints.project-get',
    builtIn: '/api/clip-projects/{projectId}',
    about: 'path that gets a project (not in the interface document)',
    parse: endpointPath('{projectId}'),
  },
  {
    key: 'endpoints.clip-list',
    builtIn: '/api/exportable-clips?q=findByProjectId&projectId={projectId}',
    about: 'path that lists the clips of a project (not in the interface document)',
    parse: endpointPath('{projectId}'),
  },
  {
    key: 'endpoints.copy-get',
    builtIn: '/api/social-copy-jobs/{jobId}',
    about: 'path that gets a social copy job (not in the interface document)',
    parse: endpointPath('{jobId}'),
  },
] as const satisfies readonly Setting[];

export type SettingKey = (typeof SETTINGS)[number]['key'];
export type SettingValue<K extends SettingKey> = ReturnType<
  Extract<(typeof SETTINGS)[number], { key: K }>['parse']
>;

/** Environment variables that are no settings: they point at places or carry the key. */
export const OTHER_ENVIRONMENT = [
  { env: 'CLIPCTL_API_KEY', about: 'the API key' },
  { env: 'CLIPCTL_CONFIG_DIR', about: 'where settings, credentials and presets live' },
  { env: 'CLIPCTL_STATE_DIR', about: 'where unfinished uploads and the history live' },
  { env: 'CLIPCTL_DATA_DIR', about: "where the local service's data lives" },
  { env: 'CLIPCTL_PROJECT', about: 'the project of bare clip ids' },
  { env: 'CLIPCTL_DEBUG', about: '1: requests with headers and bodies on stderr, secrets redacted' },
  { env: 'CLIPCTL_FFMPEG', about: 'the ffmpeg program of the local service' },
  { env: 'CLIPCTL_FFPROBE', about: 'the ffprobe program of the local service' },
  {
    env: 'CLIPCTL_WHISPER_MODEL',
    about: 'a model of whisper.cpp: the local service hears the words of videos without subtitles',
  },
  { env: 'CLIPCTL_WHISPER', about: 'the whisper-cli program of the local service, else that on the PATH' },
  { env: 'CLIPCTL_COPY_COMMAND', about: 'a program that writes social copy for the local service' },
  {
    env: 'CLIPCTL_SMTP_URL',
    about: 'the mail server of the local service: smtp(s)://user:password@host:port',
  },
  {
    env: 'CLIPCTL_SMTP_FROM',
    about: "the sender of the local service's e-mails; else the user of the mail server",
  },
  { env: 'HTTP_PROXY, HTTPS_PROXY, NO_PROXY', about: 'proxies for the API, uploads and downloads' },
  { env: 'NODE_EXTRA_CA_CERTS', about: 'a file of certificates to trust besides the built-in ones' },
  { env: 'NO_COLOR, FORCE_COLOR, TERM', about: 'colour: NO_COLOR or TERM=dumb switch it off' },
  { env: 'CI', about: 'set: never ask a question' },
  { env: 'TZ', about: 'the time zone times are shown in' },
] as const;
