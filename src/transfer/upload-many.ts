import { setMaxListeners } from 'node:events';
import type { Project } from '../api/projects.js';
import type { Connector } from '../client/connector.js';
import { CancelledError, ClipctlError, messageOf } from '../errors.js';
import type { UploadEvent } from './events.js';
import { openJournal, removeFinished } from './journal.js';
import { type CheckedFile, checkLocalFile } from './local-file.js';
import { createRateLimiter } from './rate-limit.js';
import { createBuffers } from './send-body.js';
import { type OneUploadOptions, type UploadInput, uploadOne } from './upload-and-create.js';
import type { UploadApi } from './upload-api.js';

export interface UploadFilesDeps {
  api: UploadApi;
  connector: Connector;
  /** The journal is in `uploads` below it. */
  stateDir: string;
  /** Names base address and key without showing the key. */
  accountKey: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Its reason is a CancelledError. */
  signal: AbortSignal;
  onEvent: (event: UploadEvent) => void;
  /** A line for people on stderr. */
  warn: (text: string) => void;
}

export interface UploadFilesOptions {
  concurrency: number;
  /** For all files together. */
  limitBytesPerSec?: number;
  /** Tries without progress. */
  retries: number;
  restart?: boolean;
  stallTimeoutMs?: number;
  /** Size of a PUT once a session was cut often: a multiple of 256 KiB. */
  chunkBytes?: number;
  /** First wait of the back-off; for tests. */
  firstWaitMs?: number;
}

export type UploadOutcome =
  | { ok: true; path: string; sizeBytes: number; uploadId: string; project: Project | null; resumed: boolean }
  | { ok: false; path: string; error: unknown; uploadId?: string };

const STALL_TIMEOUT_MS = 90_000;
const CHUNK_BYTES = 64 * 1024 * 1024;

/**
 * Uploads files and creates their projects, `concurrency` at a time. All files are checked before the first request:
 * a bad one throws its usage error and nothing is sent. After that each file has its own outcome, in the order given;
 * the same file named twice is one upload with one outcome. Cancelling makes outcomes with a CancelledError.
 *
 * When some fail, or the process dies, the same call does only what is not done: finished files answer from their
 * record. Once all have succeeded the records go, and the same call is a new upload.
 */
export async function uploadFiles(
  inputs: readonly UploadInput[],
  deps: UploadFilesDeps,
  options: UploadFilesOptions,
): Promise<UploadOutcome[]> {
  const jobs = await checkInputs(inputs);
  const { concurrency, limitBytesPerSec } = options;
  setMaxListeners(0, deps.signal);
  const journal = await openJournal(deps);
  const limiter = limitBytesPerSec ? createRateLimiter(limitBytesPerSec, deps.now) : undefined;
  const shared = { ...deps, journal, limiter, random: Math.random };
  const uploadOptions: OneUploadOptions = {
    retries: options.retries,
    restart: options.restart ?? false,
    stallTimeoutMs: options.stallTimeoutMs ?? STALL_TIMEOUT_MS,
    chunkBytes: options.chunkBytes ?? CHUNK_BYTES,
    firstWaitMs: options.firstWaitMs,
  };
  const outcomes: UploadOutcome[] = [];
  let started = 0;
  let stopError: unknown; // a refused key is refused for every file
  const work = async () => {
    const buffers = createBuffers(concurrency);
    for (let at = started++; at < jobs.length; at = started++) {
      const job = jobs[at];
      if (!job) return;
      const outcome = stopError
        ? { ok: false as const, path: job.path, error: stopError }
        : await uploadAsOutcome(job, { ...shared, buffers }, uploadOptions);
      outcomes[at] = outcome;
      if (!outcome.ok && outcome.error instanceof ClipctlError && outcome.error.kind === 'auth')
        stopError = outcome.error;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, jobs.length) }, work));
  if (outcomes.every(({ ok }) => ok)) {
    const realPaths = jobs.map(({ file }) => file.realPath);
    removeFinished(deps.stateDir, deps.accountKey, realPaths);
  }
  return outcomes;
}

type Job = UploadInput & { file: CheckedFile };

async function checkInputs(inputs: readonly UploadInput[]): Promise<Job[]> {
  const jobs = new Map<string, Job>();
  for (const input of inputs) {
    const file = await checkLocalFile(input.path);
    if (!jobs.has(file.realPath)) jobs.set(file.realPath, { ...input, file });
  }
  return [...jobs.values()];
}

type SharedDeps = Omit<Parameters<typeof uploadOne>[1], 'emit' | 'onUploadId'> &
  Pick<UploadFilesDeps, 'onEvent'>;

async function uploadAsOutcome(
  job: Job,
  deps: SharedDeps,
  options: OneUploadOptions,
): Promise<UploadOutcome> {
  const { path } = job;
  let uploadId: string | undefined;
  const emit: Parameters<typeof uploadOne>[1]['emit'] = (event) => deps.onEvent({ v: 1, path, ...event });
  try {
    deps.signal.throwIfAborted();
    const onUploadId = (id: string) => {
      uploadId = id;
    };
    const finished = await uploadOne(job, { ...deps, emit, onUploadId }, options);
    return { ok: true, path, ...finished };
  } catch (error) {
    const code = error instanceof ClipctlError ? error.kind : 'internal';
    if (!(error instanceof CancelledError && uploadId === undefined))
      emit({ type: 'error', code, message: messageOf(error) });
    return { ok: false, path, error, ...(uploadId === undefined ? {} : { uploadId }) };
  }
}
