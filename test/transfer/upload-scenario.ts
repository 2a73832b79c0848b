import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { appendFile, readdir, stat, truncate, utimes } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect } from 'vitest';
import type { ProjectPreferences } from '../../src/api/projects.js';
import { ClipClient } from '../../src/client/clip-client.js';
import { type Connector, createConnector } from '../../src/client/connector.js';
import { exitCodeOf } from '../../src/exit-codes.js';
import type { PlannedFault } from '../../src/service/faults.js';
import { openDatabase } from '../../src/service/store/database.js';
import type { UploadEvent } from '../../src/transfer/events.js';
import type { UploadInput } from '../../src/transfer/upload-and-create.js';
import { type UploadFilesOptions, type UploadOutcome, uploadFiles } from '../../src/transfer/upload-many.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { randomFile, temporaryFolder } from './helpers.js';

/** One run of the upload command: what it asks for, what the wire sees, and how it ends. */
export interface ScenarioRun {
  /** Done to the machine before the run. */
  before?: 'append' | 'touch' | 'damage-journal' | 'restart-service';
  options?: Partial<UploadFilesOptions>;
  noCreate?: boolean;
  /** Requests in order, as `requestName` writes them. Not given: not looked at. */
  requests?: string[];
  exit: number;
  resumed?: boolean;
  /** A part of what is warned of. */
  warns?: string;
  /** A part of the error's hint. */
  hint?: string;
}

/** A row of the fault table. */
export interface Scenario {
  name: string;
  sizeBytes: number;
  faults: PlannedFault[];
  runs: ScenarioRun[];
  projects: number;
  /** Whether the service has the whole file, bit for bit, at the end. */
  stored: boolean;
}

/** A world for scenarios: the real service with planned faults, one file, one state folder, a recorded wire. */
export class ScenarioWorld {
  readonly service: TestService;
  readonly path: string;
  readonly stateDir: string;
  readonly folder: string;
  readonly requests: string[] = [];
  readonly warnings: string[] = [];
  readonly events: UploadEvent[] = [];
  readonly connector: Connector;
  readonly controller = new AbortController();

  private constructor(service: TestService, folder: string) {
    this.service = service;
    this.folder = folder;
    this.path = join(folder, 'talk.mp4');
    this.stateDir = join(folder, 'state');
    this.connector = recording(createConnector({}), this.requests);
  }

  static async start(faults: PlannedFault[], sizeBytes: number): Promise<ScenarioWorld> {
    const service = await startTestService({ faults: { faults }, port: await freePort() });
    const world = new ScenarioWorld(service, await temporaryFolder());
    await randomFile(world.path, sizeBytes);
    return world;
  }

  get api(): ClipClient {
    const { url, apiKey } = this.service;
    return new ClipClient({ baseUrl: url, apiKey, connector: this.connector, timeoutMs: 5000, retries: 0 });
  }

  async upload(
    options: Partial<UploadFilesOptions> = {},
    body: ProjectPreferences | null = { importPref: { sourceLang: 'en' } },
    paths = [this.path],
  ): Promise<UploadOutcome[]> {
    return this.uploadWith(
      paths.map((path) => ({ path, body: () => body })),
      options,
    );
  }

  async uploadWith(
    inputs: UploadInput[],
    options: Partial<UploadFilesOptions> = {},
  ): Promise<UploadOutcome[]> {
    return uploadFiles(
      inputs,
      {
        api: this.api,
        connector: this.connector,
        stateDir: this.stateDir,
        accountKey: 'test',
        now: Date.now,
        signal: this.controller.signal,
        onEvent: (event) => this.events.push(event),
        warn: (text) => this.warnings.push(text),
      },
      { concurrency: 2, retries: 3, firstWaitMs: 2, stallTimeoutMs: 10_000, ...options },
    );
  }

  /** The same world for another process: nothing is known but what is on disk. */
  again(): ScenarioWorld {
    return new ScenarioWorld(this.service, this.folder);
  }

  async prepare(before: ScenarioRun['before']): Promise<void> {
    if (before === 'append') await appendFile(this.path, 'more bytes');
    if (before === 'touch') await utimes(this.path, 1e9, 1e9);
    if (before === 'restart-service') await this.service.restart();
    if (before === 'damage-journal') {
      for (const name of await readdir(join(this.stateDir, 'uploads'))) {
        if (name.endsWith('.json')) await truncate(join(this.stateDir, 'uploads', name), 20);
      }
    }
  }

  /** Complete uploads at the service: the digest of each file as it is on its disk. */
  async storedDigests(): Promise<string[]> {
    const rows = await this.rows("SELECT file FROM uploads WHERE state = 'complete'");
    return Promise.all(rows.map(({ file }) => digestOf(join(this.service.dataDir, 'uploads', String(file)))));
  }

  /** The digest of what the service has of one upload, as it is on its disk. */
  async storedDigest(uploadId: string): Promise<string | undefined> {
    const rows = await this.rows("SELECT upload_id, file FROM uploads WHERE state = 'complete'");
    const row = rows.find((found) => found.upload_id === uploadId);
    return row && digestOf(join(this.service.dataDir, 'uploads', String(row.file)));
  }

  async projectCount(): Promise<number> {
    return (await this.rows('SELECT * FROM projects')).length;
  }

  private async rows(sql: string) {
    const database = await openDatabase(join(this.service.dataDir, 'store.db'));
    try {
      return database.all(sql);
    } finally {
      database.close();
    }
  }

  async stop(): Promise<void> {
    this.connector.close();
    await this.service.stop();
  }
}

/** A port that is free now; a service that is started again must have the same. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Runs a row of the table and asserts everything it says. */
export async function runScenario(scenario: Scenario): Promise<void> {
  const world = await ScenarioWorld.start(scenario.faults, scenario.sizeBytes);
  try {
    for (const run of scenario.runs) {
      await world.prepare(run.before);
      world.requests.length = 0;
      world.warnings.length = 0;
      const [outcome] = await world.upload(run.options, run.noCreate ? null : undefined);
      assertRun(run, outcome, world);
    }
    const digests = await world.storedDigests();
    const digest = await digestOf(world.path);
    if (scenario.stored) expect(digests).toContain(digest);
    else expect(digests).not.toContain(digest);
    expect(await world.projectCount()).toBe(scenario.projects);
    expect(world.service.faultsLeft()).toEqual([]);
    await assertNoSecrets(world);
  } finally {
    await world.stop();
  }
}

function assertRun(run: ScenarioRun, outcome: UploadOutcome | undefined, world: ScenarioWorld): void {
  if (!outcome) throw new Error('an upload without an outcome');
  const error = outcome.ok ? undefined : outcome.error;
  const exit = outcome.ok ? 0 : exitCodeOf(error);
  // What went wrong, when it is not what was expected.
  if (exit !== run.exit) throw new Error(`exit ${exit}, expected ${run.exit}`, { cause: error });
  if (run.requests) expect(world.requests).toEqual(run.requests);
  if (run.resumed !== undefined) expect(outcome).toHaveProperty('resumed', run.resumed);
  if (run.warns) expect(world.warnings.join('\n')).toContain(run.warns);
  else expect(world.warnings).toEqual([]);
  if (run.hint) expect(error).toHaveProperty('details.hint', expect.stringContaining(run.hint));
  const last = world.events.at(-1);
  expect(last?.type).toBe(outcome.ok ? 'done' : 'error');
}

/** Locations are as good as passwords: they are in the journal and nowhere else. */
async function assertNoSecrets(world: ScenarioWorld): Promise<void> {
  expect(JSON.stringify([world.events, world.warnings])).not.toContain('/storage/');
  const folder = join(world.stateDir, 'uploads');
  for (const name of await readdir(folder).catch(() => [])) {
    expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
  }
}

/** A real connector that writes down what it is asked for, as a person would tell it. */
function recording(connector: Connector, requests: string[]): Connector {
  return {
    open(url, options) {
      requests.push(requestName(url, options.method, options.headers));
      return connector.open(url, options);
    },
    close: () => connector.close(),
  };
}

function requestName(url: URL, method: string, headers: Record<string, string | number>): string {
  if (
    Object.keys(headers).some((name) => name.toLowerCase() === 'authorization') &&
    !url.pathname.startsWith('/api/')
  ) {
    throw new Error('the key was sent to the storage');
  }
  if (url.pathname === '/api/upload-links') return 'link';
  if (url.pathname === '/api/clip-projects') return 'create';
  if (url.pathname.startsWith('/storage/uploads/')) return 'start';
  if (method === 'DELETE') return 'cancel';
  const range = headers['Content-Range'];
  if (range === undefined) return 'put';
  return String(range).startsWith('bytes */')
    ? 'ask'
    : `put ${String(range).replace(/^bytes (\d+-\d+).*/, '$1')}`;
}

export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
