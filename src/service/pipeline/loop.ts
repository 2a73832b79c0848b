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

/** Runs one job at a time, in the order the store gives them. Between two it sleeps until the next is due. */
export function startLoop<Job>(
  work: LoopWork<Job>,
  { now, log }: { now: () => Date; log: (line: string) => void },
): Loop {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> | undefined;
  let whenIdle: (() => void)[] = [];

  const look = () => {
    if (timer) clearTimeout(timer);
    timer = undefined;
    if (current || abort.signal.aborted) return;
    const job = guard(() => work.takeNext(), log);
    if (job !== undefined) {
      current = work
        .run(job, abort.signal)
        .catch((error: unknown) => {
          if (!abort.signal.aborted)
            log(`a job failed: ${error instanceof Error ? error.stack : String(error)}`);
        })
        .finally(() => {
          current = undefined;
          setImmediate(look);
        });
      return;
    }
    const dueAt = guard(() => work.nextDueAt(), log);
    if (dueAt === undefined) return settle();
    const dueMs = Date.parse(dueAt) - now().getTime();
    if (dueMs > SOON_MS) settle();
    const waitMs = Math.min(LONGEST_SLEEP_MS, Math.max(20, dueMs));
    timer = setTimeout(look, waitMs);
    timer.unref();
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
      await current;
      settle();
    },
  };
}

function guard<T>(look: () => T, log: (line: string) => void): T | undefined {
  try {
    return look();
  } catch (error) {
    log(`the store cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
