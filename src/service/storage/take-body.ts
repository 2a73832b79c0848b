import { open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorName } from '../../api/wire.js';
import { errorCode } from '../../errors.js';
import { applyFault, resetConnection, whenClosed } from '../fault-answers.js';
import type { FaultAction } from '../faults.js';
import type { SessionRow } from '../store/uploads.js';
import type { PutRange } from './content-range.js';
import { catchUpHash, type ReceiveOptions, receiveBody, startHash } from './receive-body.js';
import type { SessionFile, StoredFile } from './session-file.js';
import type { LiveSession } from './sessions.js';

export interface BodyCall {
  request: IncomingMessage;
  response: ServerResponse;
  session: SessionRow;
  range: Exclude<PutRange, { kind: 'ask' }> | PutRange;
  fault: FaultAction | undefined;
  live: LiveSession;
  files: SessionFile;
}

export type BodyOutcome =
  /** The client left, or a planned fault has answered. */
  | { kind: 'gone' }
  | { kind: 'refused'; status: number; errorName: ErrorName; message: string }
  | { kind: 'kept'; keptBytes: number }
  | { kind: 'complete'; stored: StoredFile };

/**
 * Takes the bytes of one PUT into the session's file. They may begin at or before the end of what is kept: what
 * lies behind their beginning is thrown away first, so that two versions of a file are never mixed by us. A
 * beginning beyond the end is refused: padding it would corrupt the file.
 */
export async function takeBody(call: BodyCall): Promise<BodyOutcome> {
  const { request, session, range, live, files } = call;
  const startByte = range.kind === 'rest' ? range.start : 0;
  const lengthText = request.headers['content-length'];
  const bodyBytes = range.kind === 'rest' ? range.end - range.start + 1 : Number(lengthText ?? Number.NaN);
  if (lengthText !== undefined && Number(lengthText) !== bodyBytes) {
    return refused(400, 'InvalidRequest', 'content-length and content-range do not agree');
  }
  const keptBytes = await files.keptBytes(session);
  if (startByte > keptBytes) {
    return refused(503, 'Unavailable', `content-range: bytes ${keptBytes} to ${startByte - 1} are missing`);
  }
  const totalBytes = range.kind === 'rest' ? range.total : Number.isNaN(bodyBytes) ? undefined : bodyBytes;
  try {
    const handle = await open(files.path(session), 'a+', 0o600);
    await handle.close();
    if (keptBytes > startByte) await files.truncate(session, startByte);
    live.running =
      startByte === 0 ? startHash() : await catchUpHash(files.path(session), live.running, startByte);
    files.setTotal(session, totalBytes);
    return await receive(
      call,
      startByte,
      Number.isNaN(bodyBytes) ? Number.POSITIVE_INFINITY : bodyBytes,
      totalBytes,
    );
  } catch (error) {
    if (errorCode(error) !== 'ENOSPC' && errorCode(error) !== 'EDQUOT') throw error;
    return refused(507, 'Unavailable', 'the disk of the storage is full; what was received is kept');
  }
}

async function receive(
  call: BodyCall,
  startByte: number,
  limitBytes: number,
  totalBytes: number | undefined,
): Promise<BodyOutcome> {
  const { request, session, range, fault, live, files } = call;
  const handle = await open(files.path(session), 'r+');
  let result: Awaited<ReturnType<typeof receiveBody>>;
  try {
    const options: ReceiveOptions = { position: startByte, limitBytes, running: live.running };
    result = await receiveBody(request, handle, { ...options, ...planBody(call) });
  } finally {
    await handle.close();
  }
  if (fault?.type === 'keep-less') await files.forgetLast(session, fault.bytes);
  if (fault?.type === 'no-range') await files.truncate(session, 0);
  if (result.end === 'too-long')
    return refused(400, 'InvalidRequest', 'the body is longer than content-range says');
  if (result.end === 'broken' || result.end === 'stopped') {
    if (result.end === 'stopped') request.resume();
    return { kind: 'gone' };
  }
  const keptBytes = await files.keptBytes(session);
  const endByte = startByte + result.receivedBytes;
  const isWhole = range.kind === 'whole' || endByte === totalBytes;
  if (!isWhole || keptBytes < endByte) return { kind: 'kept', keptBytes };
  const stored = await files.complete(session, live);
  return stored ? { kind: 'complete', stored } : refused(410, 'NotFound', 'the upload session has ended');
}

/** What a planned fault changes in the reading of the body. */
function planBody({ request, response, fault }: BodyCall): Partial<ReceiveOptions> {
  if (fault?.type === 'slow') return { bytesPerSec: fault.bytesPerSec };
  if (!fault || !('afterBytes' in fault) || fault.afterBytes === undefined) return {};
  return { pause: { afterBytes: fault.afterBytes, act: () => actInBody(fault, request, response) } };
}

async function actInBody(
  fault: FaultAction,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<'go-on' | 'stop'> {
  if (fault.type === 'keep-less') {
    resetConnection(request);
    return 'stop';
  }
  if (fault.type === 'stall') {
    await (fault.ms === undefined ? whenClosed(request) : sleep(fault.ms));
    return fault.ms === undefined ? 'stop' : 'go-on';
  }
  return (await applyFault(fault, request, response)) ? 'stop' : 'go-on';
}

function refused(status: number, errorName: ErrorName, message: string): BodyOutcome {
  return { kind: 'refused', status, errorName, message };
}
