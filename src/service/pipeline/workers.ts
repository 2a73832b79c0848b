import type { ServiceContext } from '../service-context.js';
import { startLoop } from './loop.js';
import { createProjectWork } from './project-worker.js';

/** The document's limit for a video fetched by its address. */
const MAX_IMPORT_BYTES = 10 * 1000 ** 3;
const MAX_IMPORT_MS = 6 * 3600_000;

export interface Workers {
  wake(): void;
  /** Resolves when nothing is under way and nothing waits. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export interface WorkerOptions {
  env: Record<string, string | undefined>;
  allowPrivateImports?: boolean;
}

/** Starts everything that works through the store by itself. */
export function startWorkers(context: ServiceContext, options: WorkerOptions): Workers {
  const imports = {
    allowPrivate: options.allowPrivateImports === true,
    maxBytes: MAX_IMPORT_BYTES,
    maxMs: MAX_IMPORT_MS,
    env: options.env,
  };
  const projects = startLoop(
    createProjectWork({
      ...context,
      imports,
      env: options.env,
      onConcluded: () => undefined,
      afterConcluded: () => undefined,
    }),
    context,
  );
  const loops = [projects];
  return {
    wake: () => {
      for (const loop of loops) loop.wake();
    },
    idle: async () => {
      await Promise.all(loops.map((loop) => loop.idle()));
    },
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
