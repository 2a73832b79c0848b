import type { Project, ProjectPreferences } from '../api/projects.js';
import type { Connector } from '../client/connector.js';
import { CancelledError, ClipctlError } from '../errors.js';
import { createOrExplain, unknownOutcome } from './create-project.js';
import type { EventOf, UploadEvent } from './events.js';
import type { Claim, Journal } from './journal.js';
import type { JournalEntry } from './journal-entry.js';
import {
  assertUnchanged,
  closeSource,
  FileChangedError,
  openSource,
  type SourceFile,
  sameFile,
  titleOf,
} from './local-file.js';
import { createMeter } from './progress-meter.js';
import type { RateLimiter } from './rate-limit.js';
import type { BufferPair } from './send-body.js';
import { storedFacts } from './storage-protocol.js';
import { cancelSession, lookAtKept, type StorageDeps, startSession } from './storage-session.js';
import { checkStored } from './stored-check.js';
import type { UploadApi } from './upload-api.js';
import { sendFile, type UploadLimits } from './upload-file.js';

export interface UploadInput {
  path: string;
  /** The preferences of the project, given the file's name without extension; null for an upload only. */
  body: (title: string) => ProjectPreferences | null;
}

export interface OneUploadDeps extends StorageDeps {
  api: UploadApi;
  journal: Journal;
  accountKey: string;
  connector: Connector;
  emit: (event: EventOf<UploadEvent>) => void;
  warn: (text: string) => void;
  buffers: BufferPair;
  limiter?: RateLimiter;
  /** Told as soon as the upload has an id, so that an error can name it. */
  onUploadId: (uploadId: string) => void;
}

export interface OneUploadOptions extends UploadLimits {
  /** Throw away what an earlier run uploaded. */
  restart: boolean;
}

export interface FinishedUpload {
  sizeBytes: number;
  uploadId: string;
  /** Null when none was asked for. */
  project: Project | null;
  /** Whether an earlier run's work was used. */
  resumed: boolean;
}

/** A new link is taken at most this often in one run when the storage has lost the session. */
const NEW_LINKS = 2;

/**
 * Uploads one file and creates its project, going on where an earlier run stopped. The order on disk is what makes a
 * kill at any moment harmless: the session is written down before byte 1, `creating` before the creation is sent, the
 * project before it is told. The record of a finished upload is left to the caller. Throws ClipctlError.
 */
export async function uploadOne(
  input: UploadInput,
  deps: OneUploadDeps,
  options: OneUploadOptions,
): Promise<FinishedUpload> {
  const source = await openSource(input.path);
  try {
    const claim = await deps.journal.claim(source.identity.realPath);
    try {
      return await new OneUpload(source, claim, input.body(titleOf(input.path)), deps, options).run();
    } finally {
      await claim.release();
    }
  } finally {
    closeSource(source);
  }
}

/**
 * A file that goes out with one write is not written down before its first byte: after a kill, sending it again costs
 * less than the record would at every upload. It is written down as soon as something breaks.
 */
const CHEAP_BYTES = 64 * 1024;
const SAVE_EVERY_MS = 10_000;

class OneUpload {
  readonly #source: SourceFile;
  readonly #claim: Claim;
  readonly #body: ProjectPreferences | null;
  readonly #deps: OneUploadDeps;
  readonly #options: OneUploadOptions;
  #sentBytes = 0;

  constructor(
    source: SourceFile,
    claim: Claim,
    body: ProjectPreferences | null,
    deps: OneUploadDeps,
    options: OneUploadOptions,
  ) {
    this.#source = source;
    this.#claim = claim;
    this.#body = body;
    this.#deps = deps;
    this.#options = options;
  }

  async run(): Promise<FinishedUpload> {
    const totalBytes = this.#source.identity.sizeBytes;
    const earlier = await this.#earlierEntry();
    this.#deps.emit({ type: 'start', totalBytes });
    if (earlier) this.#deps.onUploadId(earlier.uploadId);
    if (earlier?.stage === 'created' && earlier.project) {
      this.#deps.warn(
        `${this.#source.path} was done before the command that it was part of was stopped: its project is ` +
          `${earlier.project.id}. --restart uploads it again`,
      );
      return this.#finish(earlier, earlier.project, true);
    }
    if (earlier?.stage === 'creating') throw unknownOutcome(earlier.uploadId, this.#source.path);
    let entry = earlier;
    let resumed = earlier?.stage === 'uploaded';
    if (entry?.stage !== 'uploaded') ({ entry, resumed } = await this.#upload(earlier));
    if (this.#body === null) {
      await this.#claim.save({ ...entry, stage: 'uploaded', acceptedBytes: entry.file.sizeBytes });
      return this.#finish(entry, null, resumed);
    }
    const project = await createOrExplain(
      { ...entry, body: this.#body },
      this.#claim,
      this.#deps,
      this.#source.path,
    );
    return this.#finish(entry, project, resumed);
  }

  #finish(entry: JournalEntry, project: Project | null, resumed: boolean): FinishedUpload {
    const { uploadId } = entry;
    const totalBytes = this.#source.identity.sizeBytes;
    const named = project ? { projectId: project.id } : {};
    this.#deps.emit({ type: 'done', totalBytes, sentBytes: this.#sentBytes, uploadId, ...named, resumed });
    return { sizeBytes: totalBytes, uploadId, project, resumed };
  }

  /** What an earlier run left for this very file. What it left of another content is given up, and said. */
  async #earlierEntry(): Promise<JournalEntry | undefined> {
    const { entry } = this.#claim;
    if (!entry) return undefined;
    const isSame = sameFile(entry.file, this.#source.identity);
    // The preferences of this command, which `uploads resume` takes from the record itself.
    if (isSame && !this.#options.restart) return { ...entry, body: this.#body };
    if (!isSame) {
      const created = entry.stage === 'creating' || entry.stage === 'created';
      const note = created
        ? `; of the earlier content a project may exist (upload id ${entry.uploadId})`
        : '';
      this.#deps.warn(
        `${this.#source.path} changed since its unfinished upload, which is not used: it starts afresh${note}`,
      );
    }
    if (entry.stage === 'started') await cancelSession(new URL(entry.location), this.#deps.connector);
    await this.#claim.remove();
    return undefined;
  }

  /** Brings the bytes to the storage: into the earlier session if it still lives, else into a new one. */
  async #upload(earlier: JournalEntry | undefined): Promise<{ entry: JournalEntry; resumed: boolean }> {
    let entry = earlier;
    for (let goneTimes = 1; ; goneTimes++) {
      const isOld = entry !== undefined;
      entry ??= await this.#newEntry();
      const end = await this.#send(entry, isOld);
      if (end.kind === 'complete') return { entry, resumed: earlier !== undefined && end.resumedAtBytes > 0 };
      await this.#claim.remove();
      if (goneTimes > NEW_LINKS) throw goneError(this.#source.path, end.reason);
      const lost = Math.max(end.lostBytes, isOld ? entry.acceptedBytes : 0);
      this.#deps.warn(
        `${this.#source.path}: the storage has lost the upload (${end.reason}); ` +
          `starting again at the first byte${lost > 0 ? `, ${lost} bytes are sent once more` : ''}`,
      );
      entry = undefined;
    }
  }

  /** A new session, on disk before its first byte is sent. */
  async #newEntry(): Promise<JournalEntry> {
    const { api, signal, onUploadId } = this.#deps;
    const onRetry = (reason: string, waitMs: number, triesWithoutProgress: number) => {
      const totalBytes = this.#source.identity.sizeBytes;
      this.#deps.emit({ type: 'retry', reason, waitMs, triesWithoutProgress, acceptedBytes: 0, totalBytes });
    };
    for (let links = 0; ; links++) {
      const link = await api.createUploadLink({ signal });
      onUploadId(link.uploadId);
      const location = await startSession(link, this.#deps, this.#options, onRetry);
      if (location === 'gone') {
        if (links >= NEW_LINKS) throw goneError(this.#source.path, 'a new upload link was not valid');
        continue;
      }
      const createdAt = new Date(this.#deps.now()).toISOString();
      const entry: JournalEntry = {
        version: 1,
        accountKey: this.#deps.accountKey,
        file: this.#source.identity,
        uploadId: link.uploadId,
        location: location.href,
        stage: 'started',
        acceptedBytes: 0,
        body: this.#body,
        createdAt,
        updatedAt: createdAt,
      };
      if (this.#source.identity.sizeBytes > CHEAP_BYTES) await this.#claim.save(entry);
      return entry;
    }
  }

  async #send(entry: JournalEntry, isOld: boolean) {
    const location = new URL(entry.location);
    const totalBytes = this.#source.identity.sizeBytes;
    const meter = createMeter(this.#deps.now, (reading) =>
      this.#deps.emit({ type: 'progress', ...reading, totalBytes }),
    );
    const record = this.#recordOf(entry);
    try {
      const deps = {
        ...this.#deps,
        meter,
        emit: (event: EventOf<UploadEvent>) => {
          if (event.type === 'retry' && totalBytes <= CHEAP_BYTES) void record.save();
          this.#deps.emit(event);
        },
        onAccepted: record.note,
        assertOwned: () => this.#claim.assertOwned(),
      };
      const end = await sendFile(this.#source, { location, isOld }, deps, this.#options);
      if (end.kind === 'gone') return end;
      meter.setAccepted(totalBytes);
      meter.tell();
      record.note(totalBytes);
      assertUnchanged(this.#source);
      const check = { buffer: this.#deps.buffers.first, signal: this.#deps.signal };
      await checkStored(this.#source, storedFacts(end.answer.headers), check);
      return end;
    } catch (error) {
      meter.stop(); // nothing may be told after the error
      throw await this.#afterFailure(error, location, record);
    } finally {
      meter.stop();
      this.#sentBytes += meter.sentBytes;
    }
  }

  /** Keeps the record roughly up to date, for people who look at it; nothing is ever sent by it. */
  #recordOf(entry: JournalEntry) {
    const { now } = this.#deps;
    let acceptedBytes = entry.acceptedBytes;
    let savedMs = now();
    const save = () => {
      savedMs = now();
      return this.#claim.save({ ...entry, acceptedBytes, updatedAt: new Date(savedMs).toISOString() });
    };
    return {
      note: (bytes: number) => {
        acceptedBytes = bytes;
        if (now() - savedMs > SAVE_EVERY_MS) void save();
      },
      save,
    };
  }

  /** What stays of a failed upload: everything that can go on, nothing that must not. */
  async #afterFailure(
    error: unknown,
    location: URL,
    record: { note: (bytes: number) => void; save: () => Promise<void> },
  ) {
    if (error instanceof FileChangedError || (error instanceof ClipctlError && isUnusable(error))) {
      await cancelSession(location, this.#deps.connector);
      await this.#claim.remove();
      return error;
    }
    try {
      this.#claim.assertOwned();
    } catch {
      return error; // the record is another process's now
    }
    const isCancelled = error instanceof CancelledError;
    if (isCancelled) {
      const kept = await lookAtKept(location, this.#source.identity.sizeBytes, this.#deps.connector);
      if (kept !== undefined) record.note(kept);
    }
    await record.save();
    if (isCancelled && this.#claim.isKept) return cancelledError(error, this.#source.path);
    if (this.#claim.isKept || !(error instanceof ClipctlError) || error.kind !== 'unfinished') return error;
    return notKeptError(error);
  }
}

/** Errors after which the session must not be used again: it is refused, or holds something else than the file. */
function isUnusable(error: ClipctlError): boolean {
  return error.kind === 'rejected' || error.kind === 'service';
}

function goneError(path: string, reason: string): ClipctlError {
  return new ClipctlError('service', `the storage lost the upload of ${path} three times`, {
    reason,
    hint: 'nothing is kept; try again later, and tell the service if it stays so',
  });
}

function cancelledError(cancelled: CancelledError, path: string): CancelledError {
  return new CancelledError(cancelled.signal, cancelled.message, {
    reason: `what was uploaded of ${path} is kept`,
    hint: 'to go on: run the same command again, or clipctl uploads resume',
    cause: cancelled,
  });
}

/** Without a journal "run it again, it goes on" would not be true. */
function notKeptError(error: ClipctlError): ClipctlError {
  return new ClipctlError('network', error.message, {
    ...error.details,
    hint: 'the upload could not be recorded on this machine, so it starts afresh when you run it again',
    cause: error,
  });
}
