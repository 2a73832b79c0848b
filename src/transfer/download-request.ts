import type { IncomingMessage } from 'node:http';
import type { Connector } from '../client/connector.js';
import { USER_AGENT } from '../client/transport.js';
import { ClipctlError } from '../errors.js';
import { StallError } from './retry.js';

/** What tells one version of a file at a server from another. */
export interface Validators {
  etag?: string;
  lastModified?: string;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 5;

export interface GetCall {
  url: URL;
  /** Go on here: only if the file is still the one of `validators`. */
  from: number;
  validators: Validators;
  signal: AbortSignal;
  stallTimeoutMs: number;
}

/**
 * Requests a file, from a byte on. Redirects are followed, to http(s) only; no key is ever sent. The caller reads or
 * destroys the response. Throws ClipctlError, StallError, the signal's reason or the system's error.
 */
export async function getFile(connector: Connector, call: GetCall): Promise<IncomingMessage> {
  let url = call.url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await getOnce(connector, { ...call, url });
    if (!REDIRECTS.has(response.statusCode ?? 0)) return response;
    const { location } = response.headers;
    response.destroy();
    url = nextUrl(location, url);
  }
  throw new ClipctlError(
    'service',
    `${call.url.host} redirects a download more than ${MOST_REDIRECTS} times`,
  );
}

function nextUrl(location: string | undefined, from: URL): URL {
  const next = location && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (next && /^https?:$/.test(next.protocol)) return next;
  throw new ClipctlError(
    'service',
    `${from.host} redirects a download to something that is not an http(s) address`,
  );
}

/** The header that makes a server send the rest only of the same version: a strong ETag, else the date. */
function ifRange({ etag, lastModified }: Validators): Record<string, string> {
  if (etag !== undefined && !etag.startsWith('W/')) return { 'If-Range': etag };
  return lastModified === undefined ? {} : { 'If-Range': lastModified };
}

async function getOnce(connector: Connector, call: GetCall): Promise<IncomingMessage> {
  const { url, from, signal, stallTimeoutMs } = call;
  signal.throwIfAborted();
  const headers = {
    'User-Agent': USER_AGENT,
    // A compressed body has another length and other offsets than the file.
    'Accept-Encoding': 'identity',
    ...(from > 0 ? { Range: `bytes=${from}-`, ...ifRange(call.validators) } : {}),
  };
  const request = await connector.open(url, { method: 'GET', headers, signal });
  return new Promise<IncomingMessage>((resolve, reject) => {
    const onStall = () => {
      const stall = new StallError(stallTimeoutMs);
      reject(stall);
      request.destroy(stall);
    };
    // Looking up and connecting come before the socket's own timer runs.
    const timer = setTimeout(onStall, stallTimeoutMs);
    request.setTimeout(stallTimeoutMs, onStall);
    request.on('error', (error) => {
      clearTimeout(timer);
      reject(signal.aborted ? signal.reason : error);
    });
    request.once('response', (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    request.end();
  });
}

/** `bytes 5-9/10` of a 206, `bytes * /10` of a 416; members that are not told are undefined. */
export function parseContentRange(header: string | undefined): { from?: number; totalBytes?: number } {
  const match = /^\s*bytes\s+(?:(\d+)-\d+|\*)\/(\d+|\*)\s*$/i.exec(header ?? '');
  const number = (text: string | undefined) =>
    text === undefined || text === '*' ? undefined : Number(text);
  return { from: number(match?.[1]), totalBytes: number(match?.[2]) };
}
