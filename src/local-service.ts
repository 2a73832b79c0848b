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
  const running = await attachToRunning(options);
  if (running) return running;
  const { dataDir, env, notes } = options;
  const { startService } = await import('./service/start-service.js');
  try {
    const service = await startService({ dataDir, env, embedded: true, log: (line) => notes.trace(line) });
    notes.trace(`started the local service at ${service.url}`);
    return { baseUrl: service.url, apiKey: service.apiKey, embedded: true, close: () => service.stop() };
  } catch (error) {
    // Another command may be starting it at this very moment.
    for (let tries = 0; tries < START_RACE_TRIES; tries++) {
      await new Promise((resolve) => setTimeout(resolve, START_RACE_PAUSE_MS));
      const other = await attachToRunning(options);
      if (other) return other;
    }
    throw error;
  }
}

const START_RACE_TRIES = 20;
const START_RACE_PAUSE_MS = 100;

async function attachToRunning({
  dataDir,
  notes,
}: {
  dataDir: string;
  notes: Notes;
}): Promise<UsedService | null> {
  const { attachClient, findRunningService } = await import('./service/running-service.js');
  const running = await findRunningService(dataDir);
  if (!running) return null;
  const lease = await attachClient(dataDir);
  notes.trace(`using the local service at ${running.url}`);
  const { url, apiKey, embedded } = running;
  return { baseUrl: url, apiKey, embedded, close: () => lease.detach() };
}
