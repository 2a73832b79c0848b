import type { Stage } from '../../api/projects.js';
import { ClipctlError, messageOf } from '../../errors.js';
import { DISK_FULL, isDiskFull } from '../disk-full.js';
import { findMediaTools } from '../media/find-tools.js';
import {
  claimProject,
  enterStage,
  extendProjectLease,
  failTry,
  findProject,
  nextProjectDue,
  type ProjectRow,
  releaseCutOff,
  releaseProject,
} from '../store/projects.js';
import type { LoopWork } from './loop.js';
import type { ProgressBoard } from './progress-board.js';
import { LostClipError, PIPELINE, type StageContext } from './stages.js';

export interface ProjectWorkerOptions extends Omit<StageContext, 'tools'> {
  env: Record<string, string | undefined>;
  progress: ProgressBoard;
  log: (line: string) => void;
  /** Called in the transaction that makes a project COMPLETE or STALLED, so that what follows is never lost. */
  onConcluded(projectId: string, stage: 'COMPLETE' | 'STALLED'): void;
  /** Called after that transaction. */
  afterConcluded(): void;
}

/** A failed stage is tried so often, with these pauses, before the project is STALLED. */
const MAX_TRIES = 3;
const RETRY_PAUSE_MS = [1000, 5000] as const;
/** So often the service may die in one stage of a project; a person who reboots a few times is not meant. */
const MAX_CUT_OFFS = 10;
const LEASE_MS = 60_000;
const HEARTBEAT_MS = 15_000;

/**
 * Projects as a queue: oldest first, one at a time, from the stage at which each was left. The one that is worked on is
 * leased, and a heartbeat keeps it so.
 */
export function createProjectWork(options: ProjectWorkerOptions): LoopWork<ProjectRow> {
  const { db, now, log } = options;
  const cutOff = releaseCutOff(db);
  if (cutOff > 0) log(`${cutOff} unfinished project(s) go on from their last finished stage`);
  const leaseEnd = () => new Date(now().getTime() + LEASE_MS).toISOString();
  // The end of a project could not be written (a full disk): it must not look as if it were still worked on.
  let lostEndOf: string | undefined;
  return {
    takeNext() {
      if (lostEndOf !== undefined) releaseProject(db, lostEndOf);
      lostEndOf = undefined;
      return claimProject(db, now().toISOString(), leaseEnd());
    },
    nextDueAt: () => nextProjectDue(db),
    async run(project, signal) {
      lostEndOf = project.projectId;
      const beat = setInterval(() => {
        try {
          extendProjectLease(db, project.projectId, leaseEnd());
        } catch (error) {
          log(`project ${project.projectId}: its lease was not extended: ${messageOf(error)}`);
        }
      }, HEARTBEAT_MS);
      beat.unref();
      try {
        checkCutOffs(project);
        await runStages(project, signal, options);
      } catch (error) {
        if (signal.aborted) releaseProject(db, project.projectId);
        else concludeFailure(project.projectId, error, options);
      } finally {
        clearInterval(beat);
        options.progress.clear(project.projectId);
      }
      lostEndOf = undefined;
    },
  };
}

/** A video that kills the service each time must not do so for ever. */
function checkCutOffs({ cutOffs, stage }: ProjectRow): void {
  if (cutOffs < MAX_CUT_OFFS) return;
  throw new ClipctlError('rejected', `the service died ${cutOffs} times while it worked on this video`, {
    reason: `in stage ${stage}`,
  });
}

async function runStages(
  claimed: ProjectRow,
  signal: AbortSignal,
  options: ProjectWorkerOptions,
): Promise<void> {
  const { db, now, progress, log } = options;
  const tools = await findMediaTools(options.env);
  const { projectId } = claimed;
  const first = Math.max(
    0,
    PIPELINE.findIndex(({ stage }) => stage === claimed.stage),
  );
  for (const [index, { stage, work }] of PIPELINE.entries()) {
    if (index < first) continue;
    signal.throwIfAborted();
    const project = requireProject(projectId, options);
    const report = (fraction: number, message: string) =>
      progress.set(projectId, { stage, fraction, message });
    report(0, '');
    await work({ project, signal, report }, { ...options, tools });
    const next: Stage = PIPELINE[index + 1]?.stage ?? 'COMPLETE';
    db.transaction(() => {
      enterStage(db, projectId, next, now().toISOString());
      if (next === 'COMPLETE') {
        releaseProject(db, projectId);
        options.onConcluded(projectId, 'COMPLETE');
      }
    });
    log(`project ${projectId}: ${next}`);
  }
  options.afterConcluded();
}

function concludeFailure(projectId: string, error: unknown, options: ProjectWorkerOptions): void {
  const { db, now, log } = options;
  const at = now();
  const project = requireProject(projectId, options);
  if (error instanceof LostClipError) enterStage(db, projectId, 'RENDER', at.toISOString());
  const isLast = isBadInput(error) || project.tries + 1 >= MAX_TRIES;
  const pauseMs = RETRY_PAUSE_MS[Math.min(project.tries, RETRY_PAUSE_MS.length - 1)] ?? 0;
  const dueAt = isLast ? null : new Date(at.getTime() + pauseMs).toISOString();
  const words = describeFailure(error);
  db.transaction(() => {
    failTry(db, projectId, { error: words, dueAt, at: at.toISOString() });
    if (isLast) options.onConcluded(projectId, 'STALLED');
  });
  log(`project ${projectId}: ${isLast ? 'STALLED' : `${project.stage} failed, is tried again`}: ${words}`);
  if (isLast) options.afterConcluded();
}

/** What no second try can mend. */
function isBadInput(error: unknown): boolean {
  return (
    error instanceof ClipctlError &&
    (error.kind === 'rejected' || error.kind === 'usage' || error.kind === 'forbidden')
  );
}

/** An error as one line for a person, with its reason and what to do. */
export function describeFailure(error: unknown): string {
  if (isDiskFull(error)) return DISK_FULL;
  if (!(error instanceof ClipctlError)) return messageOf(error);
  const { reason, hint } = error.details;
  return [error.message, reason, hint].filter((part) => part).join('; ');
}

function requireProject(projectId: string, { db }: Pick<ProjectWorkerOptions, 'db'>): ProjectRow {
  const project = findProject(db, projectId);
  if (!project) throw new Error(`project ${projectId} is not in the store`);
  return project;
}
