import { parseRetryAfterMs, sleep } from '../client/retry.js';
import { ClipctlError } from '../errors.js';
import type { EventOf, UploadEvent } from './events.js';
import { assertUnchanged, type SourceFile } from './local-file.js';
import type { ProgressMeter } from './progress-meter.js';
import type { RateLimiter } from './rate-limit.js';
import { breakOf, decide } from './retry.js';
import { type BufferPair, sendSpan } from './send-body.js';
import { judge, putHeaders, type StorageAnswer, type Verdict } from './storage-protocol.js';
import { callStorage } from './storage-request.js';
import { askKept, type RetryLimits, type StorageDeps } from './storage-session.js';

/*
 * The upload loop. One session, one writer; the storage's offset is the truth.
 *
 *   first    one PUT of the whole file, as the interface document shows it
 *   broken   wait, ask how much is kept, PUT the rest from there
 *   often    after CUTS_BEFORE_CHUNKS broken connections the rest goes in spans, so that each cut costs little
 *
 * `#acceptedBytes` is only ever set from an answer. Progress means more than the session ever had: a storage that
 * loses bytes again and again is not made endless by sending them again.
 */

/**
 * Bytes that may be on the way in buffers of this machine's network after a write called back (measured: 3.7 MiB).
 * On a slow line they take minutes, and nothing on the socket shows that they move: the answer is waited for longer.
 */
const IN_FLIGHT_BYTES = 4 * 1024 * 1024;
const CUTS_BEFORE_CHUNKS = 3;

export interface UploadLimits extends RetryLimits {
  /** Size of the PUTs once a session was cut often: a multiple of 256 KiB. */
  chunkBytes: number;
}

export interface UploadDeps extends StorageDeps {
  emit: (event: EventOf<UploadEvent>) => void;
  meter: ProgressMeter;
  buffers: BufferPair;
  limiter?: RateLimiter;
  /** Told whenever the storage said what it has, and now and then meanwhile with what it has at least. */
  onAccepted: (bytes: number) => void;
  /** Throws when another process has taken over the upload. */
  assertOwned: () => void;
}

export interface UploadSession {
  location: URL;
  /** Whether an earlier process may have sent bytes: then the first thing is to ask. */
  isOld: boolean;
}

/** How a session ended: the storage has everything, or it has no such session any more. */
export type SessionEnd =
  | { kind: 'complete'; answer: StorageAnswer; resumedAtBytes: number }
  | { kind: 'gone'; reason: string; lostBytes: number };

/**
 * Sends a file into a session until the storage confirms all of it. Throws `unfinished` after too many tries without
 * progress or when the file changed, `rejected` and `service` when the storage refuses for good, and the signal's
 * reason.
 */
export async function sendFile(
  source: SourceFile,
  session: UploadSession,
  deps: UploadDeps,
  limits: UploadLimits,
): Promise<SessionEnd> {
  return new SessionUpload(source, session, deps, limits).run();
}

/** A failed request: to be asked about and tried again. */
interface Broken {
  kind: 'broken';
  reason: string;
  /** Whether the connection broke, rather than the storage asking for patience. */
  isCut: boolean;
  retryAfterMs?: number;
}

type Step = (Exclude<Verdict, { kind: 'busy' }> & { answer: StorageAnswer }) | Broken;

class SessionUpload {
  readonly #source: SourceFile;
  readonly #location: URL;
  readonly #deps: UploadDeps;
  readonly #limits: UploadLimits;
  readonly #totalBytes: number;
  readonly #isOld: boolean;
  #acceptedBytes = 0;
  /** The most the session ever had. */
  #mostBytes = 0;
  /** The end of the last byte that was ever offered to the network in this session, by this process. */
  #offeredUntil = 0;
  #resumedAtBytes = 0;
  #tries = 0;
  #cuts = 0;
  #isFirstPut = true;

  constructor(source: SourceFile, session: UploadSession, deps: UploadDeps, limits: UploadLimits) {
    this.#source = source;
    this.#location = session.location;
    this.#isOld = session.isOld;
    this.#deps = deps;
    this.#limits = limits;
    this.#totalBytes = source.identity.sizeBytes;
  }

  async run(): Promise<SessionEnd> {
    let mustAsk = this.#isOld;
    let broken: Broken | undefined;
    for (;;) {
      const asked = mustAsk;
      const step = asked ? await this.#ask() : await this.#put();
      if (step.kind === 'broken') {
        // A PUT that broke may have brought bytes: whether it did, only the next question tells.
        if (asked) this.#countTry(step.reason);
        broken = step;
        await this.#pause(step);
        mustAsk = true;
        continue;
      }
      if (step.kind === 'refused') throw step.error;
      if (step.kind === 'gone') return this.#gone(`HTTP ${step.status}`);
      if (step.kind === 'complete') {
        this.#assertAllSent();
        this.#accept(this.#totalBytes);
        if (asked) this.#tellResumed(!this.#isFirstPut);
        return { kind: 'complete', answer: step.answer, resumedAtBytes: this.#resumedAtBytes };
      }
      if (this.#isImpossible(step.bytes)) return this.#gone('it claims bytes that were never sent');
      const hasAll = step.bytes === this.#totalBytes;
      mustAsk = hasAll;
      const before =
        broken?.reason ?? `the storage kept ${step.bytes} of ${this.#totalBytes} bytes and did not finish`;
      const isProgress = this.#accept(step.bytes);
      if (!isProgress && (broken || !asked || hasAll)) this.#countTry(before);
      // After a break there was a wait already; a PUT that brought nothing, or a file not finished, has one to come.
      if (!broken && !isProgress && (!asked || hasAll))
        await this.#pause({ kind: 'broken', reason: before, isCut: false });
      if (asked) this.#tellResumed(!this.#isFirstPut);
      broken = undefined;
    }
  }

  async #ask(): Promise<Step> {
    const { deps, limits } = { deps: this.#deps, limits: this.#limits };
    return this.#attempt(() => askKept(this.#location, this.#totalBytes, deps, limits));
  }

  async #put(): Promise<Step> {
    const from = this.#acceptedBytes;
    const isChunked = this.#cuts >= CUTS_BEFORE_CHUNKS;
    const until = isChunked ? Math.min(this.#totalBytes, from + this.#limits.chunkBytes) : this.#totalBytes;
    const afterBreak = !this.#isFirstPut || this.#isOld;
    this.#isFirstPut = false;
    if (afterBreak) {
      // Time has passed since the file was opened and the upload claimed.
      assertUnchanged(this.#source);
      this.#deps.assertOwned();
    }
    const step = await this.#attempt(async () => {
      const answer = await callStorage(this.#deps.connector, {
        url: this.#location,
        method: 'PUT',
        headers: putHeaders({ from, until, totalBytes: this.#totalBytes, afterBreak }),
        signal: this.#deps.signal,
        stallTimeoutMs: this.#limits.stallTimeoutMs,
        answerTimeoutMs:
          this.#limits.stallTimeoutMs * (1 + 2 * Math.min(1, (until - from) / IN_FLIGHT_BYTES)),
        writeBody: (write) => this.#writeSpan(write, from, until),
      });
      return { answer, verdict: judge(answer, this.#totalBytes) };
    });
    if (step.kind === 'broken' && step.isCut) this.#cuts++;
    // "Complete" before the last byte was sent is no answer to this PUT: ask.
    if (step.kind === 'complete' && this.#offeredUntil < this.#totalBytes && !this.#isOld) {
      return {
        kind: 'broken',
        reason: `the storage answered ${step.answer.status} in the middle of the file`,
        isCut: false,
      };
    }
    return step;
  }

  #writeSpan(write: (bytes: Uint8Array) => Promise<boolean>, from: number, until: number): Promise<void> {
    const { meter, buffers, limiter, signal, now } = this.#deps;
    const isEnd = until === this.#totalBytes;
    let position = from;
    const onOffered = (bytes: number) => {
      this.#offeredUntil = Math.max(this.#offeredUntil, position + bytes);
    };
    const onSent = (bytes: number) => {
      position += bytes;
      meter.addSent(bytes);
      const atLeast = Math.max(this.#acceptedBytes, position - IN_FLIGHT_BYTES);
      meter.setAccepted(atLeast);
      this.#deps.onAccepted(atLeast);
      if (position === this.#totalBytes)
        this.#deps.emit({ type: 'finalizing', totalBytes: this.#totalBytes });
    };
    return sendSpan(write, {
      source: this.#source,
      from,
      until,
      buffers,
      limiter,
      signal,
      now,
      onOffered,
      onSent,
      // The last byte makes the file complete at the storage: not if it is a mixture.
      beforeLast: () => {
        if (isEnd) assertUnchanged(this.#source);
      },
    });
  }

  /** One request, its failure turned into a step. */
  async #attempt(send: () => Promise<{ answer: StorageAnswer; verdict: Verdict }>): Promise<Step> {
    try {
      const { answer, verdict } = await send();
      if (verdict.kind !== 'busy') return { ...verdict, answer };
      const retryAfterMs = parseRetryAfterMs(answer.headers['retry-after'], this.#deps.now());
      return { kind: 'broken', reason: verdict.reason, isCut: false, retryAfterMs };
    } catch (error) {
      this.#deps.signal.throwIfAborted();
      const broken = breakOf(error);
      if ('error' in broken) throw broken.error;
      return { kind: 'broken', reason: broken.reason, isCut: true };
    }
  }

  /** Takes over what the storage says it has; returns whether that is more than it ever had. */
  #accept(bytes: number): boolean {
    this.#acceptedBytes = bytes;
    this.#deps.meter.setAccepted(bytes);
    this.#deps.onAccepted(bytes);
    const isProgress = bytes > this.#mostBytes;
    if (isProgress) {
      this.#mostBytes = bytes;
      this.#tries = 0;
    }
    return isProgress;
  }

  #tellResumed(sameRun: boolean): void {
    const acceptedBytes = this.#acceptedBytes;
    if (!sameRun) this.#resumedAtBytes = acceptedBytes;
    if (acceptedBytes === 0) return;
    this.#deps.emit({ type: 'resumed', acceptedBytes, totalBytes: this.#totalBytes, sameRun });
  }

  #countTry(reason: string): void {
    this.#tries++;
    if (this.#tries > this.#limits.retries) throw this.#stopped(reason);
  }

  async #pause({ reason, retryAfterMs }: Broken): Promise<void> {
    const next = decide({
      triesWithoutProgress: this.#tries + 1,
      // Whether to stop was decided by #countTry; here it is only for how long to wait.
      retries: Number.POSITIVE_INFINITY,
      retryAfterMs,
      random: this.#deps.random(),
      firstWaitMs: this.#limits.firstWaitMs,
    });
    const waitMs = next.action === 'wait' ? next.waitMs : 0;
    this.#deps.emit({
      type: 'retry',
      reason,
      waitMs,
      triesWithoutProgress: this.#tries,
      acceptedBytes: this.#acceptedBytes,
      totalBytes: this.#totalBytes,
    });
    await sleep(waitMs, this.#deps.signal);
  }

  /** A session that this process began cannot have more than was handed to the network. */
  #isImpossible(bytes: number): boolean {
    return !this.#isOld && bytes > this.#offeredUntil;
  }

  #assertAllSent(): void {
    if (this.#isOld || this.#offeredUntil === this.#totalBytes) return;
    throw new ClipctlError(
      'service',
      `the storage calls ${this.#source.path} complete, but not all of it was sent`,
      {
        reason: `${this.#offeredUntil} of ${this.#totalBytes} bytes were sent`,
        hint: 'no project was made of it; run the same command again to upload the file anew',
      },
    );
  }

  #gone(reason: string): SessionEnd {
    return { kind: 'gone', reason, lostBytes: this.#mostBytes };
  }

  #stopped(reason: string): ClipctlError {
    const { path } = this.#source;
    return new ClipctlError('unfinished', `the upload of ${path} made no progress in ${this.#tries} tries`, {
      reason: `${reason}; the storage has ${this.#acceptedBytes} of ${this.#totalBytes} bytes`,
      hint: 'run the same command again, or clipctl uploads resume: it goes on there',
    });
  }
}
