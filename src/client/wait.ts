import { FINAL_STAGES, type Project } from '../api/projects.js';
import { CancelledError, ClipctlError } from '../errors.js';
import { sleep } from './retry.js';

export interface WaitOptions {
  signal: AbortSignal;
  /** No limit when undefined. */
  timeoutMs?: number;
  /** Between two looks; grows slowly to ten times of it. */
  everyMs: number;
  /** What a person types to wait on, for the error when the time is over. */
  again: string;
}

/** Asks until `isDone`, telling `onValue` each answer. Past the deadline: `unfinished` (exit 9). */
export async function pollUntil<T>(
  ask: () => Promise<T>,
  isDone: (value: T) => boolean,
  options: WaitOptions & { onValue?: (value: T) => void },
): Promise<T> {
  const startedMs = performance.now();
  for (let pauseMs = options.everyMs; ; pauseMs = Math.min(pauseMs * 1.2, options.everyMs * 10)) {
    const value = await ask();
    options.onValue?.(value);
    if (isDone(value)) return value;
    const leftMs = (options.timeoutMs ?? Number.POSITIVE_INFINITY) - (performance.now() - startedMs);
    if (leftMs <= 0) {
      throw new ClipctlError('unfinished', 'the time to wait is over; the job goes on at the service', {
        hint: `wait on with: ${options.again}`,
      });
    }
    await sleep(Math.min(pauseMs, leftMs), options.signal);
  }
}

/** The error of a wait that was broken off, with how to go on: what is waited for does not stop with it. */
export function explainBreak(error: unknown, details: { reason: string; hint: string }): unknown {
  if (!(error instanceof CancelledError)) return error;
  return new CancelledError(error.signal, error.message, { ...details, cause: error });
}

/**
 * Waits until a project is COMPLETE or STALLED. STALLED is a `job-failed` error that carries the project's own
 * `error`. An unknown stage is waited through, because new ones may come.
 */
export async function waitForProject(
  api: { getProject(id: string, options: { signal: AbortSignal }): Promise<Project> },
  projectId: string,
  options: Omit<WaitOptions, 'again'> & { onProject?: (project: Project) => void },
): Promise<Project> {
  const project = await pollUntil(
    () => api.getProject(projectId, { signal: options.signal }),
    (value) => FINAL_STAGES.includes(value.stage ?? ''),
    { ...options, onValue: options.onProject, again: `clipctl project wait ${projectId}` },
  );
  if (project.stage === 'STALLED') {
    throw new ClipctlError('job-failed', `project ${projectId} stalled`, {
      reason: project.error ?? 'the service gave no reason',
      hint: `look at it with: clipctl project get ${projectId} --json`,
    });
  }
  return project;
}
