import type { IncomingHttpHeaders } from 'node:http';
import { STORAGE_HEADERS } from '../api/uploads.js';
import { readErrorBody } from '../client/answer-errors.js';
import { ClipctlError } from '../errors.js';

/*
 * The storage's resumable protocol, without any input or output.
 *
 *   start   POST {upload_url}, x-storage-resumable: start      201 + location
 *   file    PUT location, the whole body                       200/201/204 finished
 *   ask     PUT location, Content-Range: bytes * /TOTAL        308 + Range: bytes=0-(N-1): N bytes are kept
 *                                                              308 without Range: none; 200/201: complete
 *   rest    PUT location, Content-Range: bytes N-(T-1)/T       as for the file
 *   cancel  DELETE location                                    499, 2xx, 404, 410: cancelled
 *
 * The interface document shows start and file; ask and rest are used only after a break. What is kept may always be
 * less than what was sent, so the next offset comes from an answer, never from memory.
 */

/** One answer of the storage. `text` is the beginning of its body. */
export interface StorageAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export type Verdict =
  /** Everything is there. */
  | { kind: 'complete' }
  /** The storage has the first `bytes` of the file. */
  | { kind: 'kept'; bytes: number }
  /** The session is no more: take a new link, start at 0. */
  | { kind: 'gone'; status: number }
  /** For now: wait, ask, go on. */
  | { kind: 'busy'; reason: string }
  /** For good. */
  | { kind: 'refused'; error: ClipctlError };

export const START_HEADERS = { [STORAGE_HEADERS.resumable]: 'start', 'Content-Length': 0 };

/** Headers of the question "how much is there". */
export function askHeaders(totalBytes: number): Record<string, string | number> {
  return { 'Content-Length': 0, 'Content-Range': `bytes */${totalBytes}` };
}

/**
 * Headers of a PUT of the bytes `from` (included) to `until` (excluded). The first PUT of a session has no
 * Content-Range, as the interface document shows it; every PUT after a break has one.
 */
export function putHeaders(span: { from: number; until: number; totalBytes: number; afterBreak: boolean }) {
  const headers: Record<string, string | number> = {
    'Content-Type': 'application/octet-stream',
    'Content-Length': span.until - span.from,
  };
  const whole = span.from === 0 && span.until === span.totalBytes && !span.afterBreak;
  if (!whole) headers['Content-Range'] = `bytes ${span.from}-${span.until - 1}/${span.totalBytes}`;
  return headers;
}

/** What an answer to a question or a PUT means. `totalBytes` is the size of the file. */
export function judge(answer: StorageAnswer, totalBytes: number): Verdict {
  const { status } = answer;
  // A sign-in page of a network or a proxy comes with 200 too; the storage never answers with a page.
  const isPage = /^\s*text\/html\b/i.test(answer.headers['content-type'] ?? '');
  if (status >= 200 && status < 300 && isPage)
    return { kind: 'busy', reason: 'a web page came instead of an answer' };
  if (status === 200 || status === 201 || status === 204) return { kind: 'complete' };
  if (status === 308) return judgeRange(answer.headers.range, totalBytes);
  // 499 is the storage's word for a session that was cancelled.
  if (status === 404 || status === 410 || status === 499) return { kind: 'gone', status };
  if (
    status === 408 ||
    status === 425 ||
    status === 429 ||
    status >= 500 ||
    (status >= 200 && status < 300)
  ) {
    return { kind: 'busy', reason: `the storage answered ${status}` };
  }
  return { kind: 'refused', error: refusal(answer) };
}

function judgeRange(range: string | undefined, totalBytes: number): Verdict {
  if (range === undefined || range.trim() === '') return { kind: 'kept', bytes: 0 };
  const match = /^\s*(?:bytes\s*[= ]\s*)?0-(-?\d+)(?:\/.*)?\s*$/.exec(range);
  const bytes = Number(match?.[1]) + 1;
  if (Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= totalBytes) return { kind: 'kept', bytes };
  return {
    kind: 'busy',
    reason: `the storage says it has "${range.slice(0, 60)}", which cannot be of this file`,
  };
}

/** The error of an answer that will be the same the next time. */
function refusal(answer: StorageAnswer): ClipctlError {
  const { status } = answer;
  if (status === 407) {
    return new ClipctlError('network', 'the proxy wants a login (HTTP 407)', {
      hint: 'put the user and password into the proxy address: http://user:password@host:port',
      httpStatus: status,
    });
  }
  if (status < 400) {
    return new ClipctlError('service', `the storage answered the upload with a redirect (HTTP ${status})`, {
      reason: 'an upload is not sent to another address than the one the service gave',
      httpStatus: status,
    });
  }
  const { errorName, errorMessage } = readErrorBody(Buffer.from(plainText(answer.text)));
  return new ClipctlError('rejected', `the storage refused the upload (HTTP ${status})`, {
    hint:
      status === 413
        ? 'the file is too large for this service'
        : 'the upload is not kept; run the same command again to take a new upload link',
    httpStatus: status,
    errorName: wordsOf(errorName),
    errorMessage: wordsOf(errorMessage),
  });
}

const LONGEST_WORDS = 300;

function wordsOf(said: string | undefined): string | undefined {
  return said === undefined ? undefined : plainText(said).slice(0, LONGEST_WORDS);
}

/** A text as one line, without markup. Addresses in it lose their secrets. */
function plainText(text: string): string {
  return redactAddresses(text.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

/** Replaces path and query of every address in a text: the location of a session is as good as a password. */
export function redactAddresses(text: string): string {
  return text.replace(/\b(https?:\/\/[^/\s"'<>]+)[^\s"'<>]*/gi, '$1/…');
}

/**
 * The absolute address of a session. `location` may be relative or begin with `//host`.
 * Throws `service` when there is none, when it is not http(s), or when it would leave TLS. The words name no secret.
 */
export function resolveLocation(location: string | undefined, requestUrl: URL): URL {
  const resolved =
    location && URL.canParse(location, requestUrl.href) ? new URL(location, requestUrl) : undefined;
  if (!resolved || !/^https?:$/.test(resolved.protocol)) {
    throw new ClipctlError('service', 'the storage started an upload without saying where to send it', {
      reason:
        location === undefined
          ? 'its answer has no location header'
          : 'its location header is not an http(s) address',
    });
  }
  if (requestUrl.protocol === 'https:' && resolved.protocol === 'http:') {
    throw new ClipctlError('service', 'the storage wants the file over an unencrypted connection', {
      reason: `the upload link is https, the location at ${resolved.host} is http`,
    });
  }
  return resolved;
}

/** What the storage says it stored: its length, and digests by algorithm as given (hex or base64). */
export interface StoredFacts {
  lengthBytes?: number;
  hashes: { algorithm: string; value: string }[];
}

/** Reads `…-stored-content-length` and `…-hash` (`sha256=…`, several with commas); other header families count too. */
export function storedFacts(headers: IncomingHttpHeaders): StoredFacts {
  const facts: StoredFacts = { hashes: [] };
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(',') : (value ?? '');
    if (name.endsWith('-stored-content-length') && /^\d+$/.test(text.trim()))
      facts.lengthBytes = Number(text);
    if (name.startsWith('x-') && name.endsWith('-hash')) {
      for (const part of text.split(',')) {
        const match = /^\s*([a-z0-9-]+)\s*[=:]\s*(\S+)\s*$/i.exec(part);
        if (match?.[1] && match[2]) {
          facts.hashes.push({ algorithm: match[1].toLowerCase().replace('-', ''), value: match[2] });
        }
      }
    }
  }
  return facts;
}
