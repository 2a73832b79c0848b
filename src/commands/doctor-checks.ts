import { lookup } from 'node:dns/promises';
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Context } from '../context.js';
import { ClipctlError, type ErrorKind, messageOf } from '../errors.js';
import { lastFourOf } from '../redact.js';
import { findBaseUrl } from '../settings/base-url.js';
import { readStore, type Store, storePath } from '../settings/config-store.js';
import { findKey } from '../settings/credentials.js';

/** One line of the doctor. `kind` of a failure decides the exit code. */
export interface Check {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  message: string;
  fix?: string;
  kind?: ErrorKind;
}

const ok = (name: string, message: string): Check => ({ name, state: 'ok', message });
const warn = (name: string, message: string, fix: string): Check => ({ name, state: 'warn', message, fix });

/** A failure, with the words and the kind of the error that showed it. */
function failed(name: string, error: unknown, fix?: string): Check {
  const known = error instanceof ClipctlError ? error : undefined;
  const reason = known?.details.reason ? `: ${known.details.reason}` : '';
  return {
    name,
    state: 'fail',
    message: `${messageOf(error)}${reason}`,
    fix: fix ?? known?.details.hint,
    kind: known?.kind ?? 'internal',
  };
}

const NEEDED_NODE = [20, 18, 1] as const;

export function checkNode(version: string): Check {
  const parts = version.split('.').map(Number);
  const at = NEEDED_NODE.findIndex((needed, index) => needed !== parts[index]);
  const isOld = at >= 0 && (parts[at] ?? 0) < (NEEDED_NODE[at] ?? 0);
  if (!isOld) return ok('node', version);
  const message = `${version} is too old: ${NEEDED_NODE.join('.')} or newer is needed`;
  return { name: 'node', state: 'fail', message, fix: 'install a newer Node', kind: 'usage' };
}

/** The two stores: readable, whole, and closed to others. */
export function checkStore(store: Store): Check {
  const path = storePath(store);
  try {
    readStore(store);
  } catch (error) {
    return failed(store.name, error);
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return ok(store.name, `${path} (not there yet)`);
  const mode = stats.mode & 0o777;
  // Windows has no such modes.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    return warn(store.name, `${path} has mode ${mode.toString(8)}: others may read it`, `chmod 600 ${path}`);
  }
  return ok(store.name, path);
}

/** The base address in use, or why there is none. */
export function checkBaseUrl({ settings }: Pick<Context, 'settings'>): { check: Check; baseUrl?: string } {
  const name = 'base address';
  try {
    const found = settings.find('base_url');
    if (found.value === null) {
      const fix = 'clipctl auth login --base-url <url>; without an account: --local';
      return { check: warn(name, 'none is set: only --local works', fix) };
    }
    const baseUrl = findBaseUrl(settings);
    return { check: ok(name, `${baseUrl} (${found.from})`), baseUrl };
  } catch (error) {
    return { check: failed(name, error) };
  }
}

export function checkProxy(env: Context['io']['env']): Check {
  const set = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => {
    const value = env[name.toLowerCase()] || env[name];
    return value ? [`${name}=${withoutPassword(value)}`] : [];
  });
  return ok('proxy', set.length > 0 ? set.join(' ') : 'none');
}

function withoutPassword(value: string): string {
  return value.replace(/\/\/[^@/]*@/g, '//…@');
}

export async function checkDns(baseUrl: string, throughProxy: boolean): Promise<Check> {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) return ok('dns', `${host} is an address`);
  if (throughProxy) return ok('dns', `${host} is looked up by the proxy`);
  try {
    const addresses = await lookup(host, { all: true });
    return ok('dns', `${host} is ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    const unknown = new ClipctlError('network', `${host} cannot be looked up`, { reason: messageOf(error) });
    return failed('dns', unknown, 'check the base address and the network');
  }
}

const CONNECT_TIMEOUT_MS = 10_000;

/** One request without the key: whether the service is reached and trusted, and what its clock says. */
export async function checkConnection(
  baseUrl: string,
  { io, signal }: Pick<Context, 'io' | 'signal'>,
): Promise<Check[]> {
  const { createConnector } = await import('../client/connector.js');
  const { exchange, isTlsFault } = await import('../client/exchange.js');
  const { errorCode } = await import('../errors.js');
  const connector = createConnector(io.env);
  const startedMs = performance.now();
  try {
    const request = { method: 'GET', url: `${baseUrl}/`, headers: { Accept: 'application/json' } };
    const answer = await exchange(connector, request, { timeoutMs: CONNECT_TIMEOUT_MS, signal, fresh: true });
    const tookMs = Math.round(performance.now() - startedMs);
    const secure = baseUrl.startsWith('https:') ? 'trusted TLS, ' : '';
    return [
      // Without the key a 401 is as good an answer as any.
      ok(
        'connection',
        `${secure}the service answers, after ${tookMs} ms (asked without the key: HTTP ${answer.status})`,
      ),
      checkClock(answer.headers.date, io.now().getTime()),
    ];
  } catch (error) {
    if (error instanceof ClipctlError) throw error;
    const cause = error instanceof Error ? error.cause : undefined;
    const fix = isTlsFault(errorCode(cause))
      ? 'name the certificate of your authority in NODE_EXTRA_CA_CERTS'
      : 'check the base address, the network and the proxy';
    return [failed('connection', new ClipctlError('network', messageOf(error)), fix)];
  } finally {
    connector.close();
  }
}

/** The Date header counts whole seconds, and the answer took a moment. */
const CLOCK_TOLERANCE_MS = 30_000;

function checkClock(date: string | undefined, nowMs: number): Check {
  const theirMs = Date.parse(date ?? '');
  if (Number.isNaN(theirMs)) return ok('clock', 'the service does not tell its time');
  const apartMs = Math.abs(nowMs - theirMs);
  if (apartMs <= CLOCK_TOLERANCE_MS) return ok('clock', 'as the clock of the service');
  const seconds = Math.round(apartMs / 1000);
  const words = `${seconds} s ${nowMs > theirMs ? 'ahead of' : 'behind'} the clock of the service`;
  return warn('clock', `${words}; schedule --at +2h counts from here`, 'set the clock of this machine');
}

/** The key in use, and whether the service takes it. */
export async function checkKeyInUse(
  baseUrl: string,
  context: Context,
  options: { isReachable: boolean },
): Promise<Check> {
  const { settings, io, dirs } = context;
  let shown: string;
  try {
    const found = findKey(settings, io.env, dirs.config, baseUrl);
    if (!found) {
      const none = new ClipctlError('auth', `no API key for ${baseUrl}`);
      return failed('key', none, `clipctl auth login --base-url ${baseUrl}`);
    }
    shown = `${lastFourOf(found.key)} (${found.from})`;
  } catch (error) {
    return failed('key', error);
  }
  if (!options.isReachable) return warn('key', `${shown}, not tried`, 'see the connection');
  try {
    const { api } = await context.connect();
    await api.listAccounts();
    return ok('key', `${shown}, the service takes it`);
  } catch (error) {
    return failed('key', error);
  }
}

/** Whether a local service runs; none is started for this. */
export async function checkLocalService({ dirs }: Pick<Context, 'dirs'>): Promise<Check> {
  const { findRunningService } = await import('../service/running-service.js');
  const running = await findRunningService(dirs.data);
  return ok('local service', running ? `runs at ${running.url}` : 'none runs; --local starts one');
}

/** Without them only the local service is missing: a failure with --local, else something to know. */
export async function checkMedia(env: Context['io']['env'], isNeeded: boolean): Promise<Check[]> {
  const { describeTools, findMediaTools } = await import('../service/media/find-tools.js');
  try {
    const tools = await describeTools(await findMediaTools(env));
    const missing = [...tools.missingEncoders, ...tools.missingFilters];
    const where = `${tools.ffmpegVersion} (${tools.ffmpegPath})`;
    if (missing.length === 0) return [ok('ffmpeg', `${where}, with captions`)];
    const lacks = new ClipctlError('service', `${where} lacks ${missing.join(', ')}`);
    return [softer(failed('ffmpeg', lacks, 'install a full build of ffmpeg'), isNeeded)];
  } catch (error) {
    return [softer(failed('ffmpeg', error), isNeeded)];
  }
}

/** Only when one is set up. */
export async function checkRecogniser(env: Context['io']['env'], isNeeded: boolean): Promise<Check[]> {
  const { findRecogniser } = await import('../service/media/find-tools.js');
  try {
    const found = findRecogniser(env);
    return found ? [ok('speech recogniser', `${found.programPath} with ${found.modelPath}`)] : [];
  } catch (error) {
    return [softer(failed('speech recogniser', error), isNeeded)];
  }
}

export async function checkSqlite(isNeeded: boolean): Promise<Check> {
  const { openDatabase } = await import('../service/store/database.js');
  try {
    (await openDatabase(':memory:')).close();
    return ok('sqlite', 'works');
  } catch (error) {
    return softer(failed('sqlite', error), isNeeded);
  }
}

function softer(check: Check, isNeeded: boolean): Check {
  if (isNeeded) return check;
  return warn(check.name, `${check.message} (only --local needs it)`, check.fix ?? '');
}

export async function checkUploads({ dirs, io }: Pick<Context, 'dirs' | 'io'>): Promise<Check> {
  const { listUploads } = await import('../transfer/uploads-kept.js');
  try {
    const { uploads, damaged } = await listUploads(dirs.state, io.now().getTime());
    const idle = uploads.filter(({ isActive }) => !isActive).length;
    if (damaged.length > 0) {
      return warn('uploads', `${damaged.length} records cannot be read`, `look at ${damaged.join(' ')}`);
    }
    if (idle === 0) return ok('uploads', 'none is unfinished');
    return warn('uploads', `${idle} unfinished`, 'clipctl uploads list, then clipctl uploads resume');
  } catch (error) {
    return failed('uploads', error);
  }
}
