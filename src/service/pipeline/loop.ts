import { messageOf } from '../../errors.js';

/** A queue that lives in the store: what to take next, and how to do it. */
export interface LoopWork<Job> {
  /** Claims the next job that is due, or answers undefined. */
  takeNext(): Job | undefined;
  /** Instant (ISO 8601) at which something becomes due that is not now; undefined when nothing waits. */
  nextDueAt(): string | undefined;
  /** Does the job and writes its end to the store. What it throws is logged; the loop goes on. */
  run(job: Job, signal: AbortSignal): Promise<void>;
}

export interface Loop {
  /** Looks again at once: something was added. */
  wake(): void;
  /** Resolves when nothing is under way and nothing is due within the next minute. */
  idle(): Promise<void>;
  /** Aborts what is under way and waits for its end. Nothing is taken after it. */
  stop(): Promise<void>;
}

/** Timers cannot be set further than this. */
const LONGEST_SLEEP_MS = 3600_000;
/** What is due later is no reason to wait for idleness. */
const SOON_MS = 60_000;

/** After a failure that no row tells of (a full disk, a store that cannot be written) nothing is taken for so long. */
const FAILURE_PAUSE_MS = 2000;

/**
 * Runs jobs in the order the store gives them, one at a time unless `concurrency` says more. When there is nothing
 * to take it sleeps until the next is due.
 */
export function startLoop<Job>(
  work: LoopWork<Job>,
  { now, log, concurrency = 1 }: { now: () => Date; log: (line: string) => void; concurrency?: number },
): Loop {
  const abort = new AbortController();
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let pausedUntilMs = 0;
  let whenIdle: (() => void)[] = [];

  const pause = (line: string) => {
    if (abort.signal.aborted) return;
    log(line);
    pausedUntilMs = performance.now() + FAILURE_PAUSE_MS;
  };
  const guard = <T>(ask: () => T): T | undefined => {
    try {
      return ask();
    } catch (error) {
      pause(`the store cannot be used: ${messageOf(error)}`);
      return undefined;
    }
  };
  const run = (job: Job) => {
    const done = work
      .run(job, abort.signal)
      .catch((error: unknown) =>
        pause(`a job failed: ${error instanceof Error ? error.stack : String(error)}`),
      )
      .finally(() => {
        running.delete(done);
        setImmediate(look);
      });
    running.add(done);
  };
  const sleep = (waitMs: number) => {
    timer = setTimeout(look, Math.min(LONGEST_SLEEP_MS, Math.max(20, waitMs)));
    timer.unref();
  };
  const look = () => {
    if (timer) clearTimeout(timer);
    timer = undefined;
    while (!abort.signal.aborted && running.size < concurrency && performance.now() >= pausedUntilMs) {
      const job = guard(() => work.takeNext());
      if (job === undefined) break;
      run(job);
    }
    if (abort.signal.aborted || running.size >= concurrency) return;
    const dueAt = guard(() => work.nextDueAt());
    const pauseMs = pausedUntilMs - performance.now();
    if (pauseMs > 0) return sleep(pauseMs);
    const dueMs = dueAt === undefined ? undefined : Date.parse(dueAt) - now().getTime();
    if (running.size === 0 && (dueMs === undefined || dueMs > SOON_MS)) settle();
    if (dueMs !== undefined) sleep(dueMs);
  };
  const settle = () => {
    const waiting = whenIdle;
    whenIdle = [];
    for (const resolve of waiting) resolve();
  };
  setImmediate(look);
  return {
    wake: () => {
      setImmediate(look);
    },
    idle: () =>
      new Promise((resolve) => {
        whenIdle.push(resolve);
        setImmediate(look);
      }),
    async stop() {
      abort.abort(new Error('the service stops'));
      if (timer) clearTimeout(timer);
      await Promise.all(running);
      settle();
    },
  };
}
