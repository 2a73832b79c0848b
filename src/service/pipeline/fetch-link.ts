import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { type ClientRequest, get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClipctlError, messageOf } from '../../errors.js';
import { syncFile, writeWhole } from '../../write-whole.js';
import type { ImportOptions } from './import-source.js';
import { checkLiteralHost, lookupPublic } from './safe-address.js';

interface FetchRun {
  signal: AbortSignal;
  report(fraction: number, message: string): void;
}

/** No byte for so long is a broken connection. */
const INACTIVITY_MS = 60_000;
const MAX_REDIRECTS = 5;
/** Tries without a single new byte, after which we give up. */
const MAX_IDLE_TRIES = 4;

/**
 * Downloads a direct link to `target`. A broken download goes on where it stopped when the server can do that and
 * its file is still the same one; also in a later run. Answers 'page' when the address holds a web page.
 * @throws ClipctlError `rejected` for what no second try can mend, `network` for the rest.
 */
export async function fetchLink(
  address: string,
  target: string,
  options: ImportOptions,
  run: FetchRun,
): Promise<'file' | 'page'> {
  const deadline = AbortSignal.timeout(options.maxMs);
  const signal = AbortSignal.any([run.signal, deadline]);
  const partPath = `${target}.part`;
  let idleTries = 0;
  for (;;) {
    const before = await partState(partPath);
    try {
      const kind = await fetchOnce(address, partPath, before, options, { ...run, signal });
      if (kind === 'page') return 'page';
      await syncFile(partPath);
      await rename(partPath, target);
      await rm(`${partPath}.tag`, { force: true });
      return 'file';
    } catch (error) {
      run.signal.throwIfAborted();
      if (deadline.aborted)
        throw rejected('the download took too long', `the limit is ${options.maxMs / 60_000} minutes`);
      if (error instanceof ClipctlError && error.kind === 'rejected') throw error;
      const now = await partState(partPath);
      idleTries = now.sizeBytes > before.sizeBytes ? 0 : idleTries + 1;
      if (idleTries >= MAX_IDLE_TRIES) {
        throw new ClipctlError('network', 'the video could not be downloaded', {
          reason: messageOf(error),
          cause: error,
        });
      }
      await sleep(500 * 2 ** idleTries, undefined, { signal });
    }
  }
}

interface PartState {
  sizeBytes: number;
  /** ETag or Last-Modified of the file the bytes are of; without it they cannot be continued. */
  tag: string | undefined;
}

async function partState(partPath: string): Promise<PartState> {
  const sizeBytes = (await stat(partPath).catch(() => undefined))?.size ?? 0;
  const handle = await open(`${partPath}.tag`, 'r').catch(() => undefined);
  if (!handle) return { sizeBytes, tag: undefined };
  try {
    return { sizeBytes, tag: (await handle.readFile('utf8')).trim() || undefined };
  } finally {
    await handle.close();
  }
}

async function fetchOnce(
  address: string,
  partPath: string,
  part: PartState,
  options: ImportOptions,
  run: FetchRun,
): Promise<'file' | 'page'> {
  const resumes = part.tag !== undefined && part.sizeBytes > 0;
  const headers: Record<string, string> = {
    'user-agent': 'clipctl',
    accept: '*/*',
    'accept-encoding': 'identity',
  };
  if (resumes && part.tag)
    Object.assign(headers, { range: `bytes=${part.sizeBytes}-`, 'if-range': part.tag });
  const response = await openFollowing(new URL(address), headers, options, run.signal);
  const type = (response.headers['content-type'] ?? '').toLowerCase();
  if (response.statusCode === 200 && /^(text\/html|application\/xhtml)/.test(type)) {
    response.destroy();
    return 'page';
  }
  if (response.statusCode === 416 && resumes) {
    response.destroy();
    await rm(partPath, { force: true }); // the file changed and is shorter now: begin again
    throw new Error('the file at the address has changed');
  }
  checkStatus(response);
  const startByte = response.statusCode === 206 ? part.sizeBytes : 0;
  if (response.statusCode === 206 && !begins(response, startByte)) {
    response.destroy();
    await rm(partPath, { force: true }); // these bytes belong elsewhere: begin again, without asking for a part
    throw new Error('the address answered with another part of the file than was asked for');
  }
  await keepTag(partPath, response);
  await writeBody(response, partPath, startByte, options.maxBytes, run);
  return 'file';
}

function begins({ headers }: IncomingMessage, startByte: number): boolean {
  return headers['content-range']?.startsWith(`bytes ${startByte}-`) === true;
}

function checkStatus(response: IncomingMessage): void {
  const status = response.statusCode ?? 0;
  if (status === 200 || status === 206) return;
  response.destroy();
  if (status === 408 || status === 429 || status >= 500) throw new Error(`the address answered ${status}`);
  throw rejected('the video could not be downloaded', `the address answered ${status}`);
}

/** Weak tags say only that the meaning is the same; bytes cannot be put together by them. */
async function keepTag(partPath: string, response: IncomingMessage): Promise<void> {
  const { etag, 'last-modified': modified } = response.headers;
  const tag = etag && !etag.startsWith('W/') ? etag : modified;
  if (tag) await writeWhole(`${partPath}.tag`, tag);
  else await rm(`${partPath}.tag`, { force: true });
}

async function writeBody(
  response: IncomingMessage,
  partPath: string,
  startByte: number,
  maxBytes: number,
  run: FetchRun,
): Promise<void> {
  const length = Number(response.headers['content-length'] ?? Number.NaN);
  const totalBytes = startByte + length;
  if (totalBytes > maxBytes) {
    response.destroy();
    throw tooLarge(maxBytes);
  }
  let sizeBytes = startByte;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (totalBytes > 0) run.report(sizeBytes / totalBytes, 'downloading');
      done(sizeBytes > maxBytes ? tooLarge(maxBytes) : null, chunk);
    },
  });
  const file = createWriteStream(partPath, {
    flags: startByte > 0 ? 'r+' : 'w',
    start: startByte,
    mode: 0o600,
  });
  await pipeline(response, meter, file, { signal: run.signal });
  if (!response.complete || (Number.isFinite(length) && sizeBytes !== totalBytes)) {
    throw new Error('the connection ended before the file did');
  }
}

/** Opens an address, following redirects by hand: each hop is checked as the first. */
async function openFollowing(
  first: URL,
  headers: Record<string, string>,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let url = first;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw rejected('the address cannot be fetched', `it leads to ${url.protocol}`);
    }
    if (!options.allowPrivate) checkLiteralHost(url.hostname);
    const response = await openOne(url, headers, options, signal);
    const { location } = response.headers;
    if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0) || !location) return response;
    response.destroy();
    if (!URL.canParse(location, url.href))
      throw rejected('the address cannot be fetched', 'its redirect is no address');
    url = new URL(location, url);
  }
  throw rejected('the address cannot be fetched', `more than ${MAX_REDIRECTS} redirects`);
}

function openOne(
  url: URL,
  headers: Record<string, string>,
  { allowPrivate }: ImportOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const get = url.protocol === 'https:' ? getHttps : getHttp;
    const lookup = allowPrivate ? {} : { lookup: lookupPublic as never };
    const request: ClientRequest = get(url, { headers, signal, agent: false, ...lookup }, resolve);
    request.setTimeout(INACTIVITY_MS, () =>
      request.destroy(new Error('the server sent nothing for a minute')),
    );
    request.once('error', reject);
  });
}

export function tooLarge(maxBytes: number): ClipctlError {
  return rejected('the video is too large', `the limit is ${maxBytes} bytes`);
}

function rejected(message: string, reason: string): ClipctlError {
  return new ClipctlError('rejected', message, { reason });
}
