import type { Env } from './terminal/io.js';
import type { Notes } from './terminal/notes.js';

export interface UsedService {
  baseUrl: string;
  apiKey: string;
  /** Started inside this command, and stopped by `close`. */
  embedded: boolean;
  close(): Promise<void>;
}

/**
 * The local service of `--local`: the one that runs on this data directory if there is one, else one started
 * inside this command on a free port. Another command's embedded service stays up as long as we are attached.
 */
export async function useLocalService(options: {
  dataDir: string;
  env: Env;
  notes: Notes;
}): Promise<UsedService> {
  const { attachClient, findRunningService } = await import('./service/running-service.js');
  const { dataDir, env, notes } = options;
  const running = await findRunningService(dataDir);
  if (running) {
    const lease = await attachClient(dataDir);
    notes.trace(`using the local service at ${running.url}`);
    return {
      baseUrl: running.url,
      apiKey: running.apiKey,
      embedded: running.embedded,
      close: () => lease.detach(),
    };
  }
  const { startService } = await import('./service/start-service.js');
  const service = await startService({ dataDir, env, embedded: true, log: (line) => notes.trace(line) });
  notes.trace(`started the local service at ${service.url}`);
  return { baseUrl: service.url, apiKey: service.apiKey, embedded: true, close: () => service.stop() };
}
