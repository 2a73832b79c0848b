import type { FileHandle } from 'node:fs/promises';
import { open, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { parseRetryAfterMs, sleep } from '../client/retry.js';
import { ClipctlError, errorCode } from '../errors.js';
import { getFile, parseContentRange, type Validators } from './download-request.js';
import type { DownloadEvent, EventOf } from './events.js';
import { createMeter } from './progress-meter.js';
import { breakOf, decide } from './retry.js';
import type { RetryLimits, StorageDeps } from './storage-session.js';

/*
 * The download loop: bytes go into a .part file; after a break the rest is asked for by Range, under the condition
 * (If-Range) that the file is still the same version. What the version is called stands beside the .part file, so
 * that another run can go on. Only a file of the announced length gets its name.
 */

export interface DownloadDeps extends StorageDeps {
  emit: (event: EventOf<DownloadEvent>) => void;
}

interface Part extends Validators {
  totalBytes?: number;
}

/** Downloads `url` into `partPath` and makes it durable. Returns its size. Throws ClipctlError. */
export async function downloadPart(
  url: URL,
  partPath: string,
  deps: DownloadDeps,
  limits: RetryLimits,
): Promise<number> {
  const known = await readPart(partPath);
  const handle = await open(partPath, known ? 'r+' : 'w', 0o666).catch((error) => {
    if (errorCode(error) === 'ENOENT' && known) return open(partPath, 'w', 0o666);
    throw error;
  });
  try {
    const receivedBytes = known ? (await handle.stat()).size : 0;
    const sizeBytes = await new PartDownload(
      url,
      partPath,
      handle,
      known ?? {},
      receivedBytes,
      deps,
      limits,
    ).run();
    await handle.sync();
    return sizeBytes;
  } catch (error) {
    // Nothing came, so there is nothing to go on with.
    if ((await handle.stat()).size === 0)
      await Promise.all([rm(partPath, { force: true }), removePartRecord(partPath)]);
    throw error;
  } finally {
    await handle.close();
  }
}

/** Removes what belongs to a download that is done. */
export async function removePartRecord(partPath: string): Promise<void> {
  await rm(recordOf(partPath), { force: true });
}

function recordOf(partPath: string): string {
  return `${partPath}.json`;
}

/** The version an earlier run has begun, when it can be named for certain. */
async function readPart(partPath: string): Promise<Part | undefined> {
  try {
    const part: Part = JSON.parse(await readFile(recordOf(partPath), 'utf8'));
    return typeof part.etag === 'string' || typeof part.lastModified === 'string' ? part : undefined;
  } catch {
    return undefined; // then the download starts at 0, which is never wrong
  }
}

type Step = { kind: 'done' } | { kind: 'broken'; reason: string; status?: number; retryAfterMs?: number };

class PartDownload {
  readonly #url: URL;
  readonly #partPath: string;
  readonly #handle: FileHandle;
  readonly #deps: DownloadDeps;
  readonly #limits: RetryLimits;
  #part: Part;
  #receivedBytes: number;
  #mostBytes = 0;

  constructor(
    url: URL,
    partPath: string,
    handle: FileHandle,
    part: Part,
    receivedBytes: number,
    deps: DownloadDeps,
    limits: RetryLimits,
  ) {
    this.#url = url;
    this.#partPath = partPath;
    this.#handle = handle;
    this.#part = part;
    this.#receivedBytes = receivedBytes;
    this.#deps = deps;
    this.#limits = limits;
  }

  async run(): Promise<number> {
    const { emit } = this.#deps;
    emit({ type: 'start', ...this.#total() });
    const meter = createMeter(this.#deps.now, ({ acceptedBytes, bytesPerSec }) =>
      emit({ type: 'progress', receivedBytes: acceptedBytes, ...this.#total(), bytesPerSec }),
    );
    const onBytes = (bytes: number) => {
      meter.addSent(bytes);
      meter.setAccepted(this.#receivedBytes);
    };
    try {
      for (let tries = 0; ; ) {
        const step = await this.#attempt(onBytes);
        if (step.kind === 'done') break;
        tries = this.#receivedBytes > this.#mostBytes ? 0 : tries + 1;
        this.#mostBytes = Math.max(this.#mostBytes, this.#receivedBytes);
        await this.#pause(step, tries);
      }
      meter.tell();
    } finally {
      meter.stop();
    }
    return this.#receivedBytes;
  }

  #total(): { totalBytes?: number } {
    return this.#part.totalBytes === undefined ? {} : { totalBytes: this.#part.totalBytes };
  }

  async #attempt(onBytes: (bytes: number) => void): Promise<Step> {
    const { connector, signal, now, emit } = this.#deps;
    const { stallTimeoutMs } = this.#limits;
    try {
      const call = {
        url: this.#url,
        from: this.#receivedBytes,
        validators: this.#part,
        signal,
        stallTimeoutMs,
      };
      const response = await getFile(connector, call);
      const status = response.statusCode ?? 0;
      if (status !== 200 && status !== 206) return await this.#judgeStatus(response, status, now());
      if (!(await this.#place(response, status))) {
        response.destroy();
        return { kind: 'broken', reason: 'the server sent another part than was asked for' };
      }
      if (this.#receivedBytes > 0)
        emit({ type: 'resumed', receivedBytes: this.#receivedBytes, ...this.#total() });
      await this.#receive(response, onBytes);
      return this.#isWhole()
        ? { kind: 'done' }
        : { kind: 'broken', reason: 'the connection ended before the file did' };
    } catch (error) {
      signal.throwIfAborted();
      const broken = breakOf(error);
      if ('error' in broken) throw broken.error;
      return { kind: 'broken', reason: broken.reason };
    }
  }

  #isWhole(): boolean {
    return this.#part.totalBytes === undefined || this.#receivedBytes === this.#part.totalBytes;
  }

  /** Sets where the body goes; false when it cannot be placed, and the next try starts at 0. */
  async #place(response: IncomingMessage, status: number): Promise<boolean> {
    const { headers } = response;
    const lengthBytes =
      headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
    const range = parseContentRange(headers['content-range']);
    const isRest = status === 206 && range.from === this.#receivedBytes;
    const isSameTotal = this.#part.totalBytes === undefined || range.totalBytes === this.#part.totalBytes;
    if (status === 206 && !(isRest && isSameTotal)) {
      await this.#restart();
      return false;
    }
    if (status === 200) await this.#restart();
    const totalBytes = status === 206 ? range.totalBytes : lengthBytes;
    this.#part = {
      ...(headers.etag === undefined ? {} : { etag: headers.etag }),
      ...(headers['last-modified'] === undefined ? {} : { lastModified: headers['last-modified'] }),
      ...(totalBytes === undefined ? {} : { totalBytes }),
    };
    await this.#writeRecord();
    return true;
  }

  async #restart(): Promise<void> {
    await this.#handle.truncate(0);
    this.#receivedBytes = 0;
    this.#part = {};
  }

  /** Not synced: a lost record only means a download from the beginning. */
  async #writeRecord(): Promise<void> {
    const handle = await open(recordOf(this.#partPath), 'w', 0o600);
    await handle.writeFile(`${JSON.stringify(this.#part)}\n`).finally(() => handle.close());
  }

  async #receive(response: IncomingMessage, onBytes: (bytes: number) => void): Promise<void> {
    const { totalBytes } = this.#part;
    for await (const chunk of response) {
      const bytes: Buffer = chunk;
      if (totalBytes !== undefined && this.#receivedBytes + bytes.length > totalBytes) {
        throw new ClipctlError(
          'service',
          `${this.#url.host} sent more than the ${totalBytes} bytes it announced`,
        );
      }
      await writeFully(this.#handle, bytes, this.#receivedBytes);
      this.#receivedBytes += bytes.length;
      onBytes(bytes.length);
    }
  }

  async #judgeStatus(response: IncomingMessage, status: number, nowMs: number): Promise<Step> {
    const retryAfterMs = parseRetryAfterMs(response.headers['retry-after'], nowMs);
    const { totalBytes } = parseContentRange(response.headers['content-range']);
    response.destroy();
    if (status === 416) {
      // Asked for what is behind the end: either everything is here, or it is another file now.
      if (totalBytes !== undefined && totalBytes === this.#receivedBytes && this.#isWhole())
        return { kind: 'done' };
      await this.#restart();
      return { kind: 'broken', reason: 'the file at the server has become shorter', status };
    }
    if (status === 408 || status === 425 || status === 429 || status >= 500) {
      return { kind: 'broken', reason: `the server answered ${status}`, status, retryAfterMs };
    }
    throw refusedError(this.#url, status);
  }

  async #pause(
    { reason, status, retryAfterMs }: Exclude<Step, { kind: 'done' }>,
    tries: number,
  ): Promise<void> {
    const { retries, firstWaitMs } = this.#limits;
    const random = this.#deps.random();
    const next = decide({ triesWithoutProgress: tries, retries, retryAfterMs, random, firstWaitMs });
    if (next.action === 'stop') {
      throw new ClipctlError(
        status === undefined ? 'network' : 'service',
        `the download from ${this.#url.host} failed: ${reason}`,
        {
          hint: 'run the same command again: it goes on with what is here, when the server can tell that it is the same file',
          ...(status === undefined ? {} : { httpStatus: status }),
        },
      );
    }
    const { waitMs } = next;
    const receivedBytes = this.#receivedBytes;
    this.#deps.emit({ type: 'retry', reason, waitMs, triesWithoutProgress: tries, receivedBytes });
    await sleep(waitMs, this.#deps.signal);
  }
}

function refusedError(url: URL, status: number): ClipctlError {
  const isMissing = status === 404 || status === 410;
  return new ClipctlError(
    isMissing ? 'not-found' : status === 403 ? 'forbidden' : 'rejected',
    `${url.host} does not give the file (HTTP ${status})`,
    {
      reason: 'download addresses may expire',
      hint: 'run the command that gives the address once more, then download at once',
      httpStatus: status,
    },
  );
}

async function writeFully(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}
