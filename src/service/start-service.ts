import { setTimeout as sleep } from 'node:timers/promises';
import { ClipctlError } from '../errors.js';
import { makeAccountsFile } from './accounts-file.js';
import { createApp, type PlainPage } from './app.js';
import { type DataPaths, makeDataDir, readApiKey, readSigningKey } from './data-dir.js';
import { readSmtpSettings, type SmtpSettings } from './delivery/smtp-settings.js';
import { endLeftovers } from './end-leftovers.js';
import { createFaults, type FaultPlan, type PlannedFault } from './faults.js';
import { listen } from './http-server.js';
import { newToken } from './ids.js';
import { findRecogniser } from './media/find-tools.js';
import { createProgressBoard } from './pipeline/progress-board.js';
import { startWorkers, type Workers } from './pipeline/workers.js';
import { createAccountRoutes } from './routes/account-routes.js';
import { createClipRoutes } from './routes/clip-routes.js';
import { createCollectionRoutes } from './routes/collection-routes.js';
import { createJobRoutes } from './routes/job-routes.js';
import { answerMedia } from './routes/media-files.js';
import { makeOpenApi } from './routes/openapi.js';
import { createProjectRoutes } from './routes/project-routes.js';
import type { RouteHandlers } from './routes/route-types.js';
import { createScheduleRoutes } from './routes/schedule-routes.js';
import { createUploadRoutes } from './routes/upload-routes.js';
import {
  listForeignClients,
  readServiceRecord,
  removeServiceRecord,
  writeServiceRecord,
} from './running-service.js';
import type { ServiceContext } from './service-context.js';
import { createAddressSigner, MEDIA_PATH } from './signed-address.js';
import { createStorage } from './storage/storage.js';
import { openDatabase, takeLock } from './store/database.js';
import { migrate } from './store/migrations.js';
import { createWebPages } from './web/web-pages.js';

/** A client of the storage that sends nothing for so long is cut off; what it sent is kept. */
const INACTIVITY_MS = 120_000;
const DEFAULT_QUOTA = 1000;

const PAGES: readonly PlainPage[] = [
  {
    path: '/openapi.json',
    contentType: 'application/json',
    render: ({ baseUrl }) => JSON.stringify(makeOpenApi(baseUrl)),
  },
];

export interface ServiceOptions {
  /** Made (0700) when missing. Everything the service keeps lies here. */
  dataDir: string;
  /** 127.0.0.1 unless given. */
  host?: string;
  /** A free one unless given. */
  port?: number;
  /** Else the one kept in the data directory, made once. */
  apiKey?: string;
  /** Where ffmpeg and other tools are looked for, and the mail server is named. */
  env: Record<string, string | undefined>;
  now?: () => Date;
  log: (line: string) => void;
  faults?: FaultPlan;
  /** Let videoUrl point to this machine and into private networks. */
  allowPrivateImports?: boolean;
  /** How many collections there may be before QuotaExceed; 1000 unless given. */
  collectionQuota?: number;
  /** Started inside a command. */
  embedded?: boolean;
}

export interface RunningService {
  url: string;
  apiKey: string;
  dataDir: string;
  pid: number;
  port: number;
  /** Opens the web pages for whoever has it. */
  pageUrl: string;
  /** The same for one visit within a minute: for places that others can read, such as a program's arguments. */
  makePageUrlOnce(): string;
  /** Planned faults that have not fired. */
  faultsLeft(): PlannedFault[];
  /** Resolves when no job is waiting or under way. */
  idle(): Promise<void>;
  /**
   * Parks jobs, lets answers end, closes. An embedded service first waits until no other command uses it,
   * unless `waitForClients` is false. May be called again.
   */
  stop(options?: { waitForClients?: boolean }): Promise<void>;
}

/**
 * Starts the local service.
 * @throws ClipctlError `usage` when the port or the data directory is in use, or the mail server is named badly.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const smtp = readSmtpSettings(options.env);
  findRecogniser(options.env); // what is named wrongly is said now, not by each project
  const paths = await makeDataDir(options.dataDir);
  const lock = await takeLock(paths.lock);
  if (!lock) throw await inUse(paths);
  try {
    return await startLocked({ ...options, smtp }, paths, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(
  options: ServiceOptions & { smtp: SmtpSettings | undefined },
  paths: DataPaths,
  lock: { release(): void },
): Promise<RunningService> {
  const {
    log,
    now = () => new Date(),
    host = '127.0.0.1',
    embedded = false,
    collectionQuota = DEFAULT_QUOTA,
  } = options;
  const apiKey = await readApiKey(paths, options.apiKey);
  const leftovers = await endLeftovers(paths.work);
  if (leftovers > 0) log(`${leftovers} program(s) of a service that was killed were ended`);
  const db = await openDatabase(paths.store);
  migrate(db, now());
  await makeAccountsFile(paths);
  const faults = createFaults(options.faults);
  if (options.faults)
    log(`PLANNED FAULTS are on: ${faults.left().length} in the plan. This is for tests only.`);
  const signer = createAddressSigner(await readSigningKey(paths), now);
  const progress = createProgressBoard();
  let workers: Workers | undefined;
  const context: ServiceContext = {
    db,
    paths,
    now,
    log,
    faults,
    signer,
    progress,
    apiKey,
    wake: () => workers?.wake(),
  };
  const storage = createStorage({
    db,
    uploadsFolder: paths.uploads,
    now,
    faults,
    inactivityMs: INACTIVITY_MS,
  });
  const instance = newToken();
  const web = createWebPages(context);
  const app = createApp({ handlers: createHandlers(context, collectionQuota), pages: PAGES, apiKey, log });
  const http = await listen({
    host,
    port: options.port ?? 0,
    faults,
    log,
    health: { ok: true, service: 'clipctl', instance },
    parts: [
      { prefix: '/storage/', takesUploads: true, handle: storage.handle },
      { prefix: MEDIA_PATH, handle: (call) => answerMedia(call, context) },
    ],
    app: web.before(app),
  }).catch((error: unknown) => {
    db.close();
    throw error;
  });
  workers = startWorkers(context, { ...options, baseUrl: http.outerUrl });
  await writeServiceRecord(paths.root, { url: http.url, pid: process.pid, embedded, instance });
  let stopped: Promise<void> | undefined;
  const stop = async (waitForClients: boolean) => {
    if (embedded && waitForClients) await waitForOthers(paths.root, log);
    await removeServiceRecord(paths.root, instance);
    await Promise.all([storage.stop(), workers?.stop()]);
    await http.close();
    db.close();
    lock.release();
  };
  return {
    url: http.url,
    apiKey,
    dataDir: paths.root,
    pid: process.pid,
    port: http.port,
    pageUrl: web.address(http.url),
    makePageUrlOnce: () => web.makeAddressOnce(http.url),
    faultsLeft: () => faults.left(),
    idle: async () => workers?.idle(),
    stop: ({ waitForClients = true } = {}) => {
      stopped ??= stop(waitForClients);
      return stopped;
    },
  };
}

function createHandlers(context: ServiceContext, collectionQuota: number): RouteHandlers {
  return {
    ...createUploadRoutes(context),
    ...createProjectRoutes(context),
    ...createClipRoutes(context),
    ...createCollectionRoutes(context, collectionQuota),
    ...createAccountRoutes(context),
    ...createScheduleRoutes(context),
    ...createJobRoutes(context),
  };
}

async function inUse(paths: DataPaths): Promise<ClipctlError> {
  const record = await readServiceRecord(paths.root);
  return new ClipctlError('usage', 'a local service is already running on this data directory', {
    reason: record ? `${record.url}, process ${record.pid}, ${paths.root}` : paths.root,
    hint: 'use it with --local, or start another with --data-dir',
  });
}

/** Another command may be in the middle of a job on our service. */
async function waitForOthers(dataDir: string, log: (line: string) => void): Promise<void> {
  let clients = await listForeignClients(dataDir);
  if (clients.length > 0)
    log(`waiting for the commands that use this service: process ${clients.join(', ')}`);
  while (clients.length > 0) {
    await sleep(200);
    clients = await listForeignClients(dataDir);
  }
}
