import { type ClipRow, toClip } from './clips.js';
import type { Database, Row } from './database.js';

export interface CollectionRow {
  collectionId: string;
  name: string;
  createdAt: string;
  updatedAt: string;
}

/** Answers false, and makes nothing, when there are `quota` of them already. */
export function insertCollection(
  db: Database,
  collection: { collectionId: string; name: string },
  { at, quota }: { at: string; quota: number },
): boolean {
  return db.transaction(() => {
    if (Number(db.get('SELECT COUNT(*) AS n FROM collections')?.n) >= quota) return false;
    db.run('INSERT INTO collections VALUES (?, ?, ?, ?)', collection.collectionId, collection.name, at, at);
    return true;
  });
}

export function findCollection(db: Database, collectionId: string): CollectionRow | undefined {
  const row = db.get('SELECT * FROM collections WHERE collection_id = ?', collectionId);
  return row && toCollection(row);
}

/** Newest first, with the number of clips in each. */
export function listCollections(db: Database): (CollectionRow & { clipCount: number })[] {
  const rows = db.all(
    `SELECT *, (SELECT COUNT(*) FROM collection_contents WHERE collection_id = collections.collection_id) AS n
     FROM collections ORDER BY created_at DESC LIMIT 1000`,
  );
  return rows.map((row) => ({ ...toCollection(row), clipCount: Number(row.n) }));
}

/** Adding what is there already changes nothing. */
export function addContent(db: Database, collectionId: string, clipId: string, at: string): void {
  db.transaction(() => {
    const { changes } = db.run(
      'INSERT OR IGNORE INTO collection_contents VALUES (?, ?, ?)',
      collectionId,
      clipId,
      at,
    );
    if (changes > 0) touch(db, collectionId, at);
  });
}

/** Answers whether it was there. */
export function removeContent(db: Database, collectionId: string, clipId: string, at: string): boolean {
  return db.transaction(() => {
    const sql = 'DELETE FROM collection_contents WHERE collection_id = ? AND clip_id = ?';
    const { changes } = db.run(sql, collectionId, clipId);
    if (changes > 0) touch(db, collectionId, at);
    return changes > 0;
  });
}

/** The clips of a collection in the order they were added. */
export function listContent(db: Database, collectionId: string): ClipRow[] {
  const sql = `SELECT clips.* FROM collection_contents JOIN clips USING (clip_id)
               WHERE collection_id = ? ORDER BY added_at, clip_id`;
  return db.all(sql, collectionId).map(toClip);
}

function touch(db: Database, collectionId: string, at: string): void {
  db.run('UPDATE collections SET updated_at = ? WHERE collection_id = ?', at, collectionId);
}

function toCollection(row: Row): CollectionRow {
  return {
    collectionId: String(row.collection_id),
    name: String(row.name),
    createdAt: String(row.created_at),
    updatedAt: String(row.updated_at),
  };
}
