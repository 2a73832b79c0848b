import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../errors.js';
import { namesIn } from '../names-in.js';
import { POSTS_FOLDER } from './delivery/schedule-work.js';
import type { ServiceContext } from './service-context.js';
import {
  deleteEndedUploads,
  isClipFile,
  isProject,
  isProjectInUse,
  isScheduleOpen,
  isSessionFile,
  listExpiredSessions,
} from './store/sweeping.js';
import { cancelSession } from './store/uploads.js';

/** At start, and then so often. */
const SWEEP_EVERY_MS = 3600_000;
/** A file that was written since is somebody's work: its row may be about to come. */
const FRESH_MS = 3600_000;
/** Work folders of finished projects are kept so long; what is made again from the video costs seconds. */
const WORK_LIFE_MS = 7 * 24 * 3600_000;
/** An ended session is known as ended so long, then it is unknown. */
const ENDED_LIFE_MS = 7 * 24 * 3600_000;
/** Clocks of file systems are not quite the clock of the process. */
const CLOCK_SLACK_MS = 2000;

type SweepContext = Pick<ServiceContext, 'db' | 'paths' | 'now' | 'log'>;

export interface Sweeper {
  /** Waits for the sweep under way. */
  stop(): Promise<void>;
}

/** Removes now and then what nothing speaks of any more. A failure is logged and never stops the service. */
export function startSweeper(context: SweepContext): Sweeper {
  const startedMs = Date.now() - CLOCK_SLACK_MS;
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const again = async () => {
    try {
      const removed = await sweep(context, startedMs, abort.signal);
      if (removed > 0) context.log(`swept: ${removed} thing(s) that nothing speaks of any more`);
    } catch (error) {
      if (!abort.signal.aborted) context.log(`sweeping failed: ${messageOf(error)}`);
    }
    if (abort.signal.aborted) return;
    timer = setTimeout(() => {
      running = again();
    }, SWEEP_EVERY_MS);
    timer.unref();
  };
  let running = again();
  return {
    async stop() {
      abort.abort(new Error('the service stops'));
      if (timer) clearTimeout(timer);
      await running;
    },
  };
}

/**
 * One sweep. Rows go first and files after, so a crash in between leaves a file for the next sweep and never a row
 * without its file. Only files older than the start of the service or than an hour are looked at: bytes are written
 * before their row. Answers how many things were removed.
 */
async function sweep(context: SweepContext, startedMs: number, signal: AbortSignal): Promise<number> {
  const { db, paths, now } = context;
  const before = (ageMs: number) => new Date(now().getTime() - ageMs).toISOString();
  const isOld = (mtimeMs: number) => mtimeMs < Math.max(startedMs, Date.now() - FRESH_MS);
  let removed = 0;
  const clean = async (folder: string, isUnused: (name: string) => boolean) => {
    for (const name of await namesIn(folder)) {
      signal.throwIfAborted();
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (!found || !isOld(found.mtimeMs) || !isUnused(name)) continue;
      await rm(path, { recursive: true, force: true });
      removed += 1;
    }
  };
  for (const { token, sessionId } of listExpiredSessions(db, before(0))) {
    const found = await stat(join(paths.uploads, sessionId)).catch(() => undefined);
    // Somebody may still be sending to it: a request that began in time may end late.
    if (!found || isOld(found.mtimeMs)) cancelSession(db, token);
  }
  removed += deleteEndedUploads(db, before(ENDED_LIFE_MS));
  await clean(paths.uploads, (name) => !isSessionFile(db, name));
  await clean(paths.clips, (name) => !isClipFile(db, name.split('.')[1] ?? '', name));
  await clean(paths.imports, (name) => {
    const [projectId = '', ...more] = name.split('.');
    return more.length === 0
      ? !isProject(db, projectId)
      : !isProjectInUse(db, projectId, before(WORK_LIFE_MS));
  });
  await clean(paths.work, (name) => !isProjectInUse(db, name, before(WORK_LIFE_MS)));
  await clean(join(paths.outbox, POSTS_FOLDER), (name) => {
    const scheduleId = /^\.(\w+)\.part$/.exec(name)?.[1];
    return scheduleId !== undefined && !isScheduleOpen(db, scheduleId);
  });
  return removed;
}
