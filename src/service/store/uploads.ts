import type { Database, Row } from './database.js';

export const UPLOAD_STATES = ['waiting', 'complete'] as const;
export const SESSION_STATES = ['open', 'complete', 'cancelled'] as const;

export interface UploadRow {
  uploadId: string;
  state: (typeof UPLOAD_STATES)[number];
  /** Name in the uploads folder, once complete. */
  file: string | null;
  sizeBytes: number | null;
  sha256: string | null;
  createdAt: string;
  expiresAt: string;
}

export interface SessionRow {
  token: string;
  sessionId: string;
  uploadId: string;
  state: (typeof SESSION_STATES)[number];
  /** Size the client announced, null until it did. */
  totalBytes: number | null;
  expiresAt: string;
}

export function insertUpload(
  db: Database,
  upload: { uploadId: string; linkToken: string; createdAt: string; expiresAt: string },
): void {
  db.run(
    `INSERT INTO uploads (upload_id, link_token, state, created_at, expires_at) VALUES (?, ?, 'waiting', ?, ?)`,
    upload.uploadId,
    upload.linkToken,
    upload.createdAt,
    upload.expiresAt,
  );
}

export function findUpload(db: Database, uploadId: string): UploadRow | undefined {
  const row = db.get('SELECT * FROM uploads WHERE upload_id = ?', uploadId);
  return row && toUpload(row);
}

export function findUploadByLink(db: Database, linkToken: string): UploadRow | undefined {
  const row = db.get('SELECT * FROM uploads WHERE link_token = ?', linkToken);
  return row && toUpload(row);
}

export function insertSession(
  db: Database,
  session: { token: string; sessionId: string; uploadId: string; createdAt: string; expiresAt: string },
): void {
  db.run(
    `INSERT INTO upload_sessions (token, session_id, upload_id, state, created_at, expires_at) VALUES (?, ?, ?, 'open', ?, ?)`,
    session.token,
    session.sessionId,
    session.uploadId,
    session.createdAt,
    session.expiresAt,
  );
}

export function findSession(db: Database, token: string): SessionRow | undefined {
  const row = db.get('SELECT * FROM upload_sessions WHERE token = ?', token);
  return row && toSession(row);
}

export function setSessionTotal(db: Database, token: string, totalBytes: number): void {
  db.run('UPDATE upload_sessions SET total_bytes = ? WHERE token = ?', totalBytes, token);
}

export function cancelSession(db: Database, token: string): void {
  db.run(`UPDATE upload_sessions SET state = 'cancelled' WHERE token = ?`, token);
}

export function deleteSession(db: Database, token: string): void {
  db.run('DELETE FROM upload_sessions WHERE token = ?', token);
}

/**
 * Marks session and upload complete at once, and ends the upload's other sessions: what is complete never changes. The
 * file must be durable before. Answers false, and changes nothing, when the session has ended meanwhile.
 */
export function completeUpload(
  db: Database,
  done: { session: SessionRow; file: string; sizeBytes: number; sha256: string; completedAt: string },
): boolean {
  const { token, uploadId } = done.session;
  return db.transaction(() => {
    const sql = `UPDATE upload_sessions SET state = 'complete', total_bytes = ? WHERE token = ? AND state = 'open'`;
    if (db.run(sql, done.sizeBytes, token).changes === 0) return false;
    db.run(`UPDATE upload_sessions SET state = 'cancelled' WHERE upload_id = ? AND state = 'open'`, uploadId);
    db.run(
      `UPDATE uploads SET state = 'complete', file = ?, size_bytes = ?, sha256 = ?, completed_at = ? WHERE upload_id = ?`,
      done.file,
      done.sizeBytes,
      done.sha256,
      done.completedAt,
      uploadId,
    );
    return true;
  });
}

function toUpload(row: Row): UploadRow {
  return {
    uploadId: String(row.upload_id),
    state: row.state as UploadRow['state'],
    file: row.file as string | null,
    sizeBytes: row.size_bytes as number | null,
    sha256: row.sha256 as string | null,
    createdAt: String(row.created_at),
    expiresAt: String(row.expires_at),
  };
}

function toSession(row: Row): SessionRow {
  return {
    token: String(row.token),
    sessionId: String(row.session_id),
    uploadId: String(row.upload_id),
    state: row.state as SessionRow['state'],
    totalBytes: row.total_bytes as number | null,
    expiresAt: String(row.expires_at),
  };
}
