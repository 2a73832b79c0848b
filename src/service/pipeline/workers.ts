import { messageOf } from '../../errors.js';
import { planConclusions } from '../delivery/conclusion.js';
import { createDeliveryWork, DELIVERY_CONCURRENCY } from '../delivery/delivery-work.js';
import { createScheduleWork } from '../delivery/schedule-work.js';
import type { SmtpSettings } from '../delivery/smtp-settings.js';
import type { ServiceContext } from '../service-context.js';
import { setConcluded } from '../store/projects.js';
import { startSweeper } from '../sweep.js';
import { createCensorRunner } from './censor-runner.js';
import { createCopyRunner } from './copy-runner.js';
import { createJobWork } from './job-work.js';
import { type Loop, startLoop } from './loop.js';
import { reopenLost } from './lost-clips.js';
import { createProjectWork } from './project-worker.js';

/** The document's limit for a video fetched by its address. */
const MAX_IMPORT_BYTES = 10 * 1000 ** 3;
const MAX_IMPORT_MS = 6 * 3600_000;

export interface Workers {
  wake(): void;
  /** Resolves when no project and no job waits or is under way, and no delivery or post is due. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export interface WorkerOptions {
  env: Record<string, string | undefined>;
  allowPrivateImports?: boolean | undefined;
  /** Else e-mails are only written to the outbox. */
  smtp?: SmtpSettings | undefined;
  /** Address of the service for links in deliveries. */
  baseUrl: string;
}

/** Starts everything that works through the store by itself: one loop for each kind of work. */
export function startWorkers(
  context: ServiceContext,
  { env, allowPrivateImports, smtp, baseUrl }: WorkerOptions,
): Workers {
  const imports = {
    allowPrivate: allowPrivateImports === true,
    maxBytes: MAX_IMPORT_BYTES,
    maxMs: MAX_IMPORT_MS,
    env,
  };
  const projects = createProjectWork({
    ...context,
    imports,
    env,
    onConcluded: (projectId, stage) => {
      const isFirst = setConcluded(context.db, projectId, context.now().toISOString());
      if (isFirst) planConclusions(context, projectId, stage, baseUrl);
    },
    afterConcluded: () => wake(),
  });
  const jobs: Loop[] = [
    startLoop(projects, context),
    startLoop(createJobWork('censor', createCensorRunner({ ...context, imports, env }), context), context),
    startLoop(createJobWork('copy', createCopyRunner(context, env), context), context),
  ];
  const loops = [
    ...jobs,
    startLoop(createDeliveryWork(context, smtp), { ...context, concurrency: DELIVERY_CONCURRENCY }),
    startLoop(createScheduleWork(context), context),
  ];
  const sweeper = startSweeper(context);
  const wake = () => {
    for (const loop of loops) loop.wake();
  };
  const looked = reopenLost(context)
    .then(wake)
    .catch((error: unknown) => context.log(`lost clips were not looked for: ${messageOf(error)}`));
  return {
    wake,
    async idle() {
      await looked;
      for (const loop of loops) await loop.idle();
    },
    async stop() {
      await Promise.all([looked, sweeper.stop(), ...loops.map((loop) => loop.stop())]);
    },
  };
}
