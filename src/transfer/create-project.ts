import type { Project } from '../api/projects.js';
import { CancelledError, ClipctlError } from '../errors.js';
import type { Claim } from './journal.js';
import type { JournalEntry } from './journal-entry.js';
import type { UploadApi } from './upload-api.js';

/** How long a cancelled program waits for the answer to a creation that is on its way: not knowing is worse. */
const GRACE_MS = 5000;

/**
 * Creates the project of a finished upload. `creating` is on disk before the request goes out, so that whatever
 * happens then, no later run sends a second one without a person's word. It is taken back only by an answer that
 * means that nothing was done.
 */
export async function createOrExplain(
  entry: JournalEntry,
  claim: Claim,
  deps: { api: UploadApi; signal: AbortSignal; now: () => number },
  path: string,
): Promise<Project> {
  const { api, signal } = deps;
  const { uploadId, body } = entry;
  const stamped = (changes: Partial<JournalEntry>): JournalEntry => ({
    ...entry,
    acceptedBytes: entry.file.sizeBytes,
    updatedAt: new Date(deps.now()).toISOString(),
    ...changes,
  });
  if (signal.aborted) {
    await claim.save(stamped({ stage: 'uploaded' }));
    throw signal.reason;
  }
  await claim.save(stamped({ stage: 'creating' }));
  const graceful = withGrace(signal, GRACE_MS);
  let project: Project;
  try {
    project = await api.createProject({ ...body, videoUrl: uploadId }, { uploadId, signal: graceful.signal });
  } catch (error) {
    if (nothingWasDone(error)) {
      await claim.save(stamped({ stage: 'uploaded' }));
      throw keptError(error, path);
    }
    if (error instanceof CancelledError) throw cancelledInside(error, uploadId);
    if (error instanceof ClipctlError && error.kind !== 'internal') throw undecidedError(error, uploadId);
    throw error;
  } finally {
    graceful.end();
  }
  // After a power cut it may read `creating` again: then a person is asked, which is only a nuisance.
  await claim.addProject(project);
  return project;
}

/**
 * Whether an error proves that no project was made: the request did not leave, or the service answered that it will
 * not. A gateway's 502 or 504 speaks for a service that may have acted; an answer that cannot be read may be a yes.
 */
export function nothingWasDone(error: unknown): boolean {
  if (!(error instanceof ClipctlError)) return false;
  switch (error.kind) {
    case 'usage':
    case 'auth':
    case 'forbidden':
    case 'not-found':
    case 'rate-limited':
    case 'rejected':
    case 'quota':
    case 'network':
      return true;
    case 'service': {
      const status = error.details.httpStatus ?? 0;
      return (status >= 300 && status < 400) || (status >= 500 && status !== 502 && status !== 504);
    }
    default:
      return false;
  }
}

/** The error of a creation whose answer nobody has, found in the journal by a later run. */
export function unknownOutcome(uploadId: string, path: string): ClipctlError {
  return new ClipctlError('outcome-unknown', `whether a project of ${path} exists is not known`, {
    reason: 'an earlier run was stopped after it had asked for the project and before it had the answer',
    hint: checkHint(uploadId),
  });
}

function checkHint(uploadId: string): string {
  return (
    `look at the service for a project of upload ${uploadId}\n` +
    `if there is one: clipctl uploads forget ${uploadId}\n` +
    `if there is none: clipctl project create --upload-id ${uploadId} (with the same preferences)`
  );
}

/** The upload is done and kept: say so with the error of the creation. */
function keptError(error: unknown, path: string): unknown {
  if (!(error instanceof ClipctlError)) return error;
  const kept = `the upload of ${path} is complete and kept: run the same command again to create its project`;
  const hint = error.details.hint ? `${error.details.hint}; ${kept}` : kept;
  return new ClipctlError(error.kind, error.message, { ...error.details, hint, cause: error.cause });
}

function undecidedError(error: ClipctlError, uploadId: string): ClipctlError {
  return new ClipctlError(error.kind, error.message, {
    ...error.details,
    hint: checkHint(uploadId),
    cause: error.cause,
  });
}

function cancelledInside(error: CancelledError, uploadId: string): CancelledError {
  return new CancelledError(error.signal, error.message, {
    reason: 'the project was asked for and the answer had not come: it may exist',
    hint: checkHint(uploadId),
    cause: error,
  });
}

/** A signal that follows another one some time later. */
function withGrace(signal: AbortSignal, graceMs: number): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => controller.abort(signal.reason), graceMs);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    end() {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
  };
}
