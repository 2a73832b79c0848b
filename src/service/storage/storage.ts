import type { IncomingMessage, ServerResponse } from 'node:http';
import { STORAGE_HEADERS } from '../../api/uploads.js';
import { applyFault, dropAnswer, sendAnswer, sendRefusal } from '../fault-answers.js';
import type { FaultAction, Faults } from '../faults.js';
import { newId, newToken } from '../ids.js';
import { limitTime } from '../slow-client.js';
import type { Database } from '../store/database.js';
import { findSession, findUploadByLink, insertSession, type SessionRow } from '../store/uploads.js';
import { type PutRange, parseContentRange } from './content-range.js';
import { createSessionFile, type SessionFile } from './session-file.js';
import { createSessions, type LiveSession } from './sessions.js';
import { takeBody } from './take-body.js';

/*
 * The storage side of a resumable upload, on the raw request: no framework between the socket and the file.
 *
 *   POST /storage/uploads/{link}       start: 201, location of a session
 *   PUT  /storage/sessions/{token}     bytes, whole or the rest; or the question how much is there
 *   DELETE /storage/sessions/{token}   cancel: 499
 *
 * The length of the session's file is the offset, nothing else is: it needs no row while bytes come in, and it is
 * right after any crash. The row says only that a session exists and, after the file is synced, that it is complete.
 * An address is its own permission, so no key is asked for.
 */

export const LINK_PATH = '/storage/uploads/';
const SESSION_PATH = '/storage/sessions/';

/** How long a link and a session live: as long as the protocol's own, about a week. */
export const SESSION_LIFE_MS = 7 * 24 * 3600 * 1000;

export interface StorageOptions {
  db: Database;
  uploadsFolder: string;
  now: () => Date;
  faults: Faults;
  /** A client that sends nothing for so long is cut off; what it sent is kept. */
  inactivityMs: number;
}

export interface StorageRequest {
  request: IncomingMessage;
  response: ServerResponse;
  /** Path without query. */
  path: string;
  /** Address of the service as the caller wrote it. */
  baseUrl: string;
}

export interface Storage {
  handle(call: StorageRequest): Promise<void>;
  stop(): Promise<void>;
}

export function createStorage(options: StorageOptions): Storage {
  const sessions = createSessions();
  const files = createSessionFile(options);
  return {
    async handle(call) {
      call.request.socket.setTimeout(options.inactivityMs);
      if (call.path.startsWith(LINK_PATH)) return startSession(call, options);
      if (!call.path.startsWith(SESSION_PATH))
        return refuse(call, 404, 'NotFound', 'no such storage address');
      const session = findSession(options.db, call.path.slice(SESSION_PATH.length));
      if (!session) return refuse(call, 404, 'NotFound', 'no such upload session');
      if (!isAlive(session, options.now())) return refuseEnded(call);
      if (call.request.method === 'PUT') return putToSession(call, session);
      if (call.request.method === 'DELETE') return cancel(call, session);
      refuse(call, 405, 'MethodNotAllowed', 'a session takes PUT and DELETE', { allow: 'PUT, DELETE' });
    },
    stop: () => sessions.stop(),
  };

  async function putToSession(call: StorageRequest, session: SessionRow): Promise<void> {
    const range = parseContentRange(call.request.headers['content-range']);
    if (!range) return refuse(call, 400, 'InvalidRequest', 'content-range cannot be read');
    const point = range.kind === 'ask' ? 'ask' : 'put';
    const fault = options.faults.take({ points: [point], method: 'PUT', path: call.path });
    if (fault && (await beginFault(call, fault, range))) return;
    if (fault?.type === 'expire') {
      await files.end(session, fault.status);
      sessions.forget(session.sessionId);
      return refuse(call, fault.status, 'NotFound', 'the upload session has ended');
    }
    await sessions.holdAlone(session.sessionId, call.request, async (live) => {
      // Read again: the request before this one may have completed or cancelled the session.
      const current = findSession(options.db, session.token);
      if (!current || !isAlive(current, options.now())) {
        return refuseEnded(call);
      }
      await usePut({ call, session: current, range, fault, live, files });
    });
  }

  async function cancel(call: StorageRequest, session: SessionRow): Promise<void> {
    const fault = options.faults.take({ points: ['cancel'], method: 'DELETE', path: call.path });
    if (fault?.type === 'drop-answer') dropAnswer(call.request, call.response);
    else if (fault && (await applyFault(fault, call.request, call.response))) return;
    if (session.state === 'complete') return refuseComplete(call);
    await sessions.holdAlone(session.sessionId, call.request, async () => {
      // Read again: the request before this one may have completed the session.
      if (findSession(options.db, session.token)?.state === 'complete') return refuseComplete(call);
      await files.end(session, 410);
      sendAnswer(call.response, 499);
    });
    sessions.forget(session.sessionId);
  }
}

async function startSession(call: StorageRequest, { db, now, faults }: StorageOptions): Promise<void> {
  const { request, response } = call;
  if (request.method !== 'POST') {
    return refuse(call, 405, 'MethodNotAllowed', 'an upload address takes POST', { allow: 'POST' });
  }
  const fault = faults.take({ points: ['start'], method: 'POST', path: call.path });
  if (fault?.type === 'drop-answer') dropAnswer(request, response);
  else if (fault && (await applyFault(fault, request, response))) return;
  const upload = findUploadByLink(db, call.path.slice(LINK_PATH.length));
  if (!upload) return refuse(call, 404, 'NotFound', 'no such upload address');
  if (fault?.type === 'expire') return refuse(call, fault.status, 'NotFound', 'the upload address has ended');
  if (upload.expiresAt <= now().toISOString())
    return refuse(call, 410, 'NotFound', 'the upload address has ended');
  if (upload.state === 'complete') return refuseComplete(call);
  if (request.headers[STORAGE_HEADERS.resumable] !== 'start') {
    return refuse(call, 400, 'InvalidRequest', `the header ${STORAGE_HEADERS.resumable}: start is missing`);
  }
  if (Number(request.headers['content-length'] ?? 0) !== 0) {
    return refuse(call, 400, 'InvalidRequest', 'the start of an upload has no body');
  }
  const session = { token: newToken(), sessionId: newId('session'), uploadId: upload.uploadId };
  const startedMs = now().getTime();
  insertSession(db, {
    ...session,
    createdAt: new Date(startedMs).toISOString(),
    expiresAt: new Date(startedMs + SESSION_LIFE_MS).toISOString(),
  });
  sendAnswer(response, 201, {
    location: `${call.baseUrl}${SESSION_PATH}${session.token}`,
    [STORAGE_HEADERS.uploadId]: session.sessionId,
  });
}

/** Faults that come before the work. On a put those with `afterBytes` wait for their byte (take-body.ts). */
async function beginFault(call: StorageRequest, fault: FaultAction, range: PutRange): Promise<boolean> {
  if (fault.type === 'drop-answer') {
    dropAnswer(call.request, call.response);
    return false;
  }
  const later = range.kind !== 'ask' && 'afterBytes' in fault && fault.afterBytes !== undefined;
  return later ? false : applyFault(fault, call.request, call.response);
}

interface PutCall {
  call: StorageRequest;
  session: SessionRow;
  range: PutRange;
  fault: FaultAction | undefined;
  live: LiveSession;
  files: SessionFile;
}

async function usePut({ call, session, range, fault, live, files }: PutCall): Promise<void> {
  if (session.state === 'complete') {
    call.request.resume();
    limitTime(call.request, call.response);
    return answerComplete(call, fault, files.stored(session));
  }
  if (range.total !== undefined && session.totalBytes !== null && range.total !== session.totalBytes) {
    return refuse(
      call,
      400,
      'InvalidRequest',
      `content-range: this upload has ${session.totalBytes} bytes in total`,
    );
  }
  if (range.kind === 'ask') {
    if (fault?.type === 'keep-less') await files.forgetLast(session, fault.bytes);
    if (fault?.type === 'no-range') await files.truncate(session, 0);
    const keptBytes = await files.keptBytes(session);
    if (range.total !== undefined && keptBytes === range.total) {
      const stored = await files.complete(session, live);
      return stored ? answerComplete(call, fault, stored) : refuseEnded(call);
    }
    return answerKept(call, keptBytes);
  }
  const outcome = await takeBody({ ...call, session, range, fault, live, files });
  switch (outcome.kind) {
    case 'gone':
      return;
    case 'refused':
      return refuse(call, outcome.status, outcome.errorName, outcome.message);
    case 'kept':
      return answerKept(call, outcome.keptBytes);
    case 'complete':
      return answerComplete(call, fault, outcome.stored);
  }
}

function answerKept(call: StorageRequest, keptBytes: number): void {
  sendAnswer(call.response, 308, keptBytes > 0 ? { range: `bytes=0-${keptBytes - 1}` } : {});
}

function answerComplete(
  call: StorageRequest,
  fault: FaultAction | undefined,
  stored: { sizeBytes: number; sha256: string },
): void {
  const sizeBytes = fault?.type === 'wrong-length' ? Math.max(0, stored.sizeBytes - 1) : stored.sizeBytes;
  const sha256 = fault?.type === 'wrong-hash' ? '0'.repeat(64) : stored.sha256;
  sendAnswer(call.response, 200, {
    [STORAGE_HEADERS.storedLength]: String(sizeBytes),
    [STORAGE_HEADERS.hash]: `sha256=${sha256}`,
  });
}

function refuse(
  call: StorageRequest,
  status: number,
  errorName: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  call.request.resume();
  limitTime(call.request, call.response);
  sendRefusal(call.response, status, errorName, message, headers);
}

function refuseComplete(call: StorageRequest): void {
  refuse(call, 409, 'Conflict', 'the upload is already complete');
}

function refuseEnded(call: StorageRequest): void {
  refuse(call, 410, 'NotFound', 'the upload session has ended');
}

function isAlive(session: SessionRow, now: Date): boolean {
  if (session.state === 'complete') return true;
  return session.state === 'open' && session.expiresAt > now.toISOString();
}
