import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { applyFault, resetConnection, sendRefusal, whenClosed } from '../fault-answers.js';
import type { FaultAction } from '../faults.js';
import { clipFileName } from '../project-view.js';
import type { ServiceContext } from '../service-context.js';
import { findClipById } from '../store/clips.js';

interface MediaCall {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
}

type MediaContext = Pick<ServiceContext, 'db' | 'paths' | 'signer' | 'faults'>;

/** A client that takes no byte for so long is cut off. */
const INACTIVITY_MS = 120_000;

/** GET and HEAD of signed media addresses, whole or one range of bytes, straight from the file. */
export async function answerMedia(call: MediaCall, context: MediaContext): Promise<void> {
  const { request, path } = call;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return refuse(call, 405, 'MethodNotAllowed', 'a media address takes GET and HEAD');
  }
  const opened = context.signer.check(path);
  if (opened === 'expired')
    return refuse(call, 410, 'NotFound', 'this address has expired; export again for a new one');
  if (opened === 'unknown') return refuse(call, 404, 'NotFound', 'no such address');
  const fault = context.faults.take({ points: ['download'], method: request.method, path });
  if (fault && !cutsAnswer(fault) && (await applyFault(fault, request, call.response))) return;
  const clip = opened.kind === 'clip' ? findClipById(context.db, opened.id) : undefined;
  const handle = clip?.file ? await openFile(join(context.paths.clips, clip.file)) : undefined;
  if (!clip || !handle) return refuse(call, 404, 'NotFound', 'this clip is not here any more');
  try {
    await sendFile(call, handle, clipFileName(clip), fault);
  } finally {
    await handle.close();
  }
}

async function sendFile(
  { request, response }: MediaCall,
  handle: FileHandle,
  fileName: string,
  fault: FaultAction | undefined,
): Promise<void> {
  const { size, mtimeMs, mtime } = await handle.stat();
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
  const ifRange = request.headers['if-range'];
  const usesRange = ifRange === undefined || ifRange === etag || ifRange === mtime.toUTCString();
  const range = usesRange ? parseRange(request.headers.range, size) : undefined;
  const headers = {
    'accept-ranges': 'bytes',
    'content-type': 'video/mp4',
    'content-disposition': `inline; filename="${fileName}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=3600',
    'last-modified': mtime.toUTCString(),
    etag,
  };
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...headers, 'content-range': `bytes */${size}`, 'content-length': 0 });
    response.end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  response.writeHead(range ? 206 : 200, {
    ...headers,
    'content-length': end - start + 1,
    ...(range && { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === 'HEAD' || size === 0) {
    response.end();
    return;
  }
  request.socket.setTimeout(INACTIVITY_MS);
  await stream(request, response, handle, { start, end }, fault);
}

async function stream(
  request: IncomingMessage,
  response: ServerResponse,
  handle: FileHandle,
  { start, end }: { start: number; end: number },
  fault: FaultAction | undefined,
): Promise<void> {
  const cut = fault && cutsAnswer(fault) ? Math.min(end, start + (fault.afterBytes ?? 0) - 1) : end;
  if (cut >= start) {
    const file = createReadStream('', {
      fd: handle.fd,
      autoClose: false,
      start,
      end: cut,
      highWaterMark: 256 * 1024,
    });
    // A client that leaves in the middle is no failure of ours.
    await pipeline(file, response, { end: cut === end }).catch(() => request.socket.destroy());
  }
  if (cut === end) return;
  if (fault?.type === 'stall') await whenClosed(request);
  else if (fault?.type === 'fin') request.socket.end();
  else resetConnection(request);
}

type CuttingFault = Extract<FaultAction, { type: 'reset' | 'fin' | 'stall' }>;

/** Faults that come in the middle of the answer. */
function cutsAnswer(fault: FaultAction): fault is CuttingFault {
  return (
    (fault.type === 'reset' || fault.type === 'fin' || fault.type === 'stall') &&
    fault.afterBytes !== undefined
  );
}

/** One range of bytes. Anything else (several, other units, nonsense) is answered whole, as the standard allows. */
function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  if (match[1] === '') {
    const last = Number(match[2]);
    return last === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - last), end: size - 1 };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}

async function openFile(path: string): Promise<FileHandle | undefined> {
  return open(path, 'r').catch(() => undefined);
}

function refuse({ request, response }: MediaCall, status: number, errorName: string, message: string): void {
  request.resume();
  sendRefusal(response, status, errorName, message);
}
