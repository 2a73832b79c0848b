import type { UploadLink } from '../api/uploads.js';
import type { Connector } from '../client/connector.js';
import { parseRetryAfterMs, sleep } from '../client/retry.js';
import { CancelledError, ClipctlError } from '../errors.js';
import { breakOf, decide } from './retry.js';
import { askHeaders, judge, resolveLocation, START_HEADERS, type Verdict } from './storage-protocol.js';
import { callStorage } from './storage-request.js';

/** What every conversation with the storage needs. */
export interface StorageDeps {
  connector: Connector;
  now: () => number;
  signal: AbortSignal;
  /** In [0, 1): spreads the tries of many clients. */
  random: () => number;
}

export interface RetryLimits {
  /** Tries without progress before giving up. */
  retries: number;
  stallTimeoutMs: number;
  /** The first wait of the back-off; only tests change it. */
  firstWaitMs?: number;
}

export type OnRetry = (reason: string, waitMs: number, triesWithoutProgress: number) => void;

/**
 * Starts a session at an upload link and returns its location. Repeated as often as `retries` allows: a session
 * nobody sends to holds nothing. Returns 'gone' when the link is not valid any more. Throws ClipctlError.
 */
export async function startSession(
  link: UploadLink,
  deps: StorageDeps,
  limits: RetryLimits,
  onRetry: OnRetry,
): Promise<URL | 'gone'> {
  const url = linkUrl(link.url);
  for (let tries = 1; ; tries++) {
    const outcome = await tryStart(url, deps, limits);
    if (!('reason' in outcome)) return outcome.location;
    const next = decide({
      triesWithoutProgress: tries,
      retries: limits.retries,
      retryAfterMs: outcome.retryAfterMs,
      random: deps.random(),
      firstWaitMs: limits.firstWaitMs,
    });
    if (next.action === 'stop') {
      throw new ClipctlError(
        outcome.kind,
        `the upload could not be started at ${url.host}: ${outcome.reason}`,
        {
          hint: 'nothing was sent; run the same command again later',
        },
      );
    }
    onRetry(outcome.reason, next.waitMs, tries);
    await sleep(next.waitMs, deps.signal);
  }
}

type StartOutcome =
  | { location: URL | 'gone' }
  | { reason: string; kind: 'network' | 'service'; retryAfterMs?: number };

async function tryStart(url: URL, deps: StorageDeps, limits: RetryLimits): Promise<StartOutcome> {
  const { signal } = deps;
  try {
    const call = {
      url,
      method: 'POST' as const,
      headers: START_HEADERS,
      signal,
      stallTimeoutMs: limits.stallTimeoutMs,
    };
    const answer = await callStorage(deps.connector, call);
    const verdict = judge(answer, 0);
    if (verdict.kind === 'complete') return { location: resolveLocation(answer.headers.location, url) };
    if (verdict.kind === 'gone') return { location: 'gone' };
    if (verdict.kind === 'refused') throw verdict.error;
    const retryAfterMs = parseRetryAfterMs(answer.headers['retry-after'], deps.now());
    return { reason: `the storage answered ${answer.status}`, kind: 'service', retryAfterMs };
  } catch (error) {
    signal.throwIfAborted();
    const broken = breakOf(error);
    if ('error' in broken) throw broken.error;
    return { ...broken, kind: 'network' };
  }
}

function linkUrl(text: string): URL {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  throw new ClipctlError('service', 'the service gave an upload address that is not an http(s) address', {
    hint: 'check that the base address is the one of the service: clipctl config list --origin',
  });
}

/** Asks how much of a file of `totalBytes` a session has. One try. Throws what callStorage throws. */
export async function askKept(
  location: URL,
  totalBytes: number,
  deps: Pick<StorageDeps, 'connector' | 'signal'>,
  limits: Pick<RetryLimits, 'stallTimeoutMs'>,
) {
  const answer = await callStorage(deps.connector, {
    url: location,
    method: 'PUT',
    headers: askHeaders(totalBytes),
    signal: deps.signal,
    stallTimeoutMs: limits.stallTimeoutMs,
  });
  const verdict: Verdict = judge(answer, totalBytes);
  return { answer, verdict };
}

/** How long the end of a program may be held up by courtesy to the storage. */
const COURTESY_MS = 2000;

/** What the storage has, for the record of an upload that was just stopped; undefined when it does not say quickly. */
export async function lookAtKept(
  location: URL,
  totalBytes: number,
  connector: Connector,
): Promise<number | undefined> {
  try {
    const deps = { connector, signal: AbortSignal.timeout(COURTESY_MS) };
    const { verdict } = await askKept(location, totalBytes, deps, { stallTimeoutMs: COURTESY_MS });
    if (verdict.kind === 'complete') return totalBytes;
    return verdict.kind === 'kept' ? verdict.bytes : undefined;
  } catch {
    return undefined; // only for information
  }
}

/**
 * Cancels a session, so that the storage need not keep its bytes for a week. Returns whether it is gone for certain.
 */
export async function cancelSession(
  location: URL,
  connector: Connector,
  signal: AbortSignal = AbortSignal.timeout(COURTESY_MS * 2),
): Promise<boolean> {
  try {
    const headers = { 'Content-Length': 0 };
    const call = {
      url: location,
      method: 'DELETE' as const,
      headers,
      signal,
      stallTimeoutMs: COURTESY_MS * 2,
    };
    const { status } = await callStorage(connector, call);
    return (status >= 200 && status < 300) || status === 404 || status === 410 || status === 499;
  } catch (error) {
    if (error instanceof CancelledError) throw error;
    return false;
  }
}
