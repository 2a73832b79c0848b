import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlannedFault } from '../../src/service/faults.js';
import { type RunningService, type ServiceOptions, startService } from '../../src/service/start-service.js';

export interface TestService extends RunningService {
  /** Lines the service logged. */
  logged: string[];
  /** JSON request with the key. `body` is sent as JSON. */
  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown; headers: Headers }>;
  faultsLeft(): PlannedFault[];
  /** Stops and starts again on the same data directory; `url` and the rest are then the new one's. */
  restart(): Promise<void>;
}

/**
 * The real service on a free port, with a data directory of its own that goes when it stops. Give `dataDir` to
 * start again on a kept one; that one stays.
 */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'clipctl-service-')));
  const logged: string[] = [];
  const open = (faults = options.faults) =>
    startService({ env: process.env, log: (line) => logged.push(line), ...options, dataDir, faults });
  let service = await open();
  return {
    get url() {
      return service.url;
    },
    get port() {
      return service.port;
    },
    get pageUrl() {
      return service.pageUrl;
    },
    makePageUrlOnce: () => service.makePageUrlOnce(),
    apiKey: service.apiKey,
    dataDir,
    pid: service.pid,
    logged,
    faultsLeft: () => service.faultsLeft(),
    idle: () => service.idle(),
    async call(method, path, body) {
      const response = await fetch(new URL(path, service.url), {
        method,
        headers: {
          authorization: `Bearer ${service.apiKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        body: text ? JSON.parse(text) : undefined,
        headers: response.headers,
      };
    },
    async restart() {
      await service.stop();
      service = await open({ faults: service.faultsLeft() });
    },
    async stop(stopOptions) {
      await service.stop(stopOptions);
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
