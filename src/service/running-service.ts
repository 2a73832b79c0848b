import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { ClipctlError } from '../errors.js';
import { writeWhole } from '../write-whole.js';

/*
 * How commands and services of one data directory find each other. Light on purpose: a command that only looks
 * whether a service runs pays for no SQLite and no web framework.
 */

/** `service.json`: what the running service says of itself. The lock is elsewhere (see start-service.ts). */
interface ServiceRecord {
  url: string;
  pid: number;
  embedded: boolean;
  /** Random, told by /healthz too: proves that the answer at `url` comes from this very service. */
  instance: string;
}

export interface FoundService {
  url: string;
  apiKey: string;
  pid: number;
  /** Started inside a command, and gone when that command ends and nobody is attached. */
  embedded: boolean;
}

/**
 * The service that runs on a data directory, or null. A record left by a killed service is not believed: its
 * process must live and the address must answer as this service.
 */
export async function findRunningService(dataDir: string): Promise<FoundService | null> {
  const record = await readServiceRecord(dataDir);
  if (!record || !isAlive(record.pid)) return null;
  if ((await askInstance(record.url)) !== record.instance) return null;
  const apiKey = await readText(join(dataDir, 'api-key'));
  if (!apiKey) return null;
  return { url: record.url, apiKey: apiKey.trim(), pid: record.pid, embedded: record.embedded };
}

/** Where a service answers its key with an address that opens its pages once. */
export const VISIT_PATH = '/web/visit';

/**
 * Asks a running service for the address of its pages, one that works once.
 * @throws ClipctlError `service` when it gives none.
 */
export async function askForVisit({ url, apiKey }: FoundService): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const address = await ask(new URL(VISIT_PATH, url), { method: 'POST', headers });
  if (address) return address;
  throw new ClipctlError('service', `the local service at ${url} gives no address of its page`, {
    hint: 'it may be of another version: end it, and start it again',
  });
}

/** Undefined when there is none or it cannot be read. */
export async function readServiceRecord(dataDir: string): Promise<ServiceRecord | undefined> {
  const text = await readText(recordPath(dataDir));
  if (!text) return undefined;
  try {
    const data: unknown = JSON.parse(text);
    return isRecord(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

export async function writeServiceRecord(dataDir: string, record: ServiceRecord): Promise<void> {
  await writeWhole(recordPath(dataDir), `${JSON.stringify(record)}\n`);
}

/** Removes the record, when it is still ours. */
export async function removeServiceRecord(dataDir: string, instance: string): Promise<void> {
  const record = await readServiceRecord(dataDir);
  if (record?.instance === instance) await rm(recordPath(dataDir), { force: true });
}

export interface ClientLease {
  detach(): Promise<void>;
}

/** Says that this process uses the service, so that an embedded one outlives its own command for us. */
export async function attachClient(dataDir: string): Promise<ClientLease> {
  const folder = leaseFolder(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, String(process.pid));
  await writeFile(path, '', { mode: 0o600 });
  return { detach: () => rm(path, { force: true }) };
}

/** Process ids of other living processes that are attached. Leases of dead ones are removed. */
export async function listForeignClients(dataDir: string): Promise<number[]> {
  const names = await readdir(leaseFolder(dataDir)).catch(() => []);
  const living: number[] = [];
  for (const name of names) {
    const pid = Number(name);
    if (pid === process.pid) continue;
    if (Number.isInteger(pid) && pid > 0 && isAlive(pid)) living.push(pid);
    else await rm(join(leaseFolder(dataDir), name), { force: true });
  }
  return living;
}

function recordPath(dataDir: string): string {
  return join(dataDir, 'service.json');
}

function leaseFolder(dataDir: string): string {
  return join(dataDir, 'clients');
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

function isRecord(data: unknown): data is ServiceRecord {
  if (typeof data !== 'object' || data === null) return false;
  const record = data as Record<string, unknown>;
  return (
    typeof record.url === 'string' && typeof record.pid === 'number' && typeof record.instance === 'string'
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and is somebody else's
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** What /healthz says its instance is; undefined when nothing answers. */
async function askInstance(url: string): Promise<string | undefined> {
  try {
    const data = JSON.parse((await ask(new URL('/healthz', url), {})) ?? '') as { instance?: string };
    return data.instance;
  } catch {
    return undefined;
  }
}

/** The text of a 200; undefined for any other answer, or when none comes within two seconds. */
function ask(url: URL, options: RequestOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const outgoing = request(url, { agent: false, timeout: 2000, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', () => resolve(undefined));
      response.on('end', () => resolve(response.statusCode === 200 ? text : undefined));
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve(undefined));
    outgoing.end();
  });
}
