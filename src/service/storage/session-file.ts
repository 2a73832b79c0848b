import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../errors.js';
import { syncFile, syncFolder } from '../../write-whole.js';
import type { Database } from '../store/database.js';
import {
  cancelSession,
  completeUpload,
  deleteSession,
  findUpload,
  type SessionRow,
  setSessionTotal,
} from '../store/uploads.js';
import { catchUpHash } from './receive-body.js';
import type { LiveSession } from './sessions.js';

export interface StoredFile {
  sizeBytes: number;
  sha256: string;
}

/** The file of a session and the row that follows it. */
export interface SessionFile {
  path(session: SessionRow): string;
  /** Bytes on the disk, made durable before they are told. */
  keptBytes(session: SessionRow): Promise<number>;
  truncate(session: SessionRow, toBytes: number): Promise<void>;
  /** Notes the size the client announced, when it did. */
  setTotal(session: SessionRow, totalBytes: number | undefined): void;
  forgetLast(session: SessionRow, bytes: number): Promise<void>;
  /** Hash, fsync, then the row, in this order. Undefined when another session of the upload was complete before. */
  complete(session: SessionRow, live: LiveSession): Promise<StoredFile | undefined>;
  /** What the row of a completed session says. */
  stored(session: SessionRow): StoredFile;
  /** Removes the bytes; after 404 the session is unknown, after 410 known as ended. */
  end(session: SessionRow, status: 404 | 410): Promise<void>;
}

export function createSessionFile(options: {
  db: Database;
  uploadsFolder: string;
  now: () => Date;
}): SessionFile {
  const { db, uploadsFolder, now } = options;
  const path = (session: SessionRow) => join(uploadsFolder, session.sessionId);
  const truncate = async (session: SessionRow, toBytes: number) => {
    const handle = await open(path(session), 'a', 0o600);
    try {
      await handle.truncate(toBytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
  };
  const keptBytes = async (session: SessionRow) => {
    const sizeBytes = await fileSize(path(session));
    if (sizeBytes > 0) await syncFile(path(session));
    return sizeBytes;
  };
  return {
    path,
    keptBytes,
    truncate,
    setTotal(session, totalBytes) {
      if (totalBytes !== undefined && totalBytes !== session.totalBytes)
        setSessionTotal(db, session.token, totalBytes);
    },
    async forgetLast(session, bytes) {
      await truncate(session, Math.max(0, (await fileSize(path(session))) - bytes));
    },
    async complete(session, live) {
      const sizeBytes = await fileSize(path(session));
      if (sizeBytes === 0) await truncate(session, 0); // an upload of nothing is a file too
      live.running = await catchUpHash(path(session), live.running, sizeBytes);
      const sha256 = live.running.hash.copy().digest('hex');
      await syncFile(path(session));
      await syncFolder(uploadsFolder);
      const file = session.sessionId;
      const done = { session, file, sizeBytes, sha256, completedAt: now().toISOString() };
      if (completeUpload(db, done)) return { sizeBytes, sha256 };
      await rm(path(session), { force: true });
      return undefined;
    },
    stored(session) {
      const upload = findUpload(db, session.uploadId);
      return { sizeBytes: upload?.sizeBytes ?? 0, sha256: upload?.sha256 ?? '' };
    },
    async end(session, status) {
      if (status === 404) deleteSession(db, session.token);
      else cancelSession(db, session.token);
      await rm(path(session), { force: true });
    },
  };
}

async function fileSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}
