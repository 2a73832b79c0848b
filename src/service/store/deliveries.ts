import type { Database, Row } from './database.js';

export const DELIVERY_KINDS = ['WEBHOOK', 'EMAIL'] as const;
export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const;

export interface DeliveryRow {
  deliveryId: string;
  kind: (typeof DELIVERY_KINDS)[number];
  /** Address of the webhook, or e-mail address. */
  target: string;
  /** What it is about, one line: the subject of an e-mail. */
  subject: string;
  /** Sent as it is, the same at every try. */
  body: string;
  state: (typeof DELIVERY_STATES)[number];
  tries: number;
  dueAt: string;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: string;
  deliveredAt: string | null;
}

export type NewDelivery = Pick<DeliveryRow, 'deliveryId' | 'kind' | 'target' | 'subject' | 'body'>;

export function insertDelivery(db: Database, delivery: NewDelivery, at: string): void {
  db.run(
    `INSERT INTO deliveries (delivery_id, kind, target, subject, body, state, due_at, created_at)
     VALUES (?, ?, ?, ?, ?, 'PENDING', ?, ?)`,
    delivery.deliveryId,
    delivery.kind,
    delivery.target,
    delivery.subject,
    delivery.body,
    at,
    at,
  );
}

/** Targets that something waits for, with when the first of it is due, the earliest first. */
export function listWaitingTargets(
  db: Database,
): { kind: DeliveryRow['kind']; target: string; dueAt: string }[] {
  const sql = `SELECT kind, target, MIN(due_at) AS due FROM deliveries WHERE state = 'PENDING' GROUP BY kind, target ORDER BY due`;
  return db.all(sql).map((row) => ({
    kind: row.kind as DeliveryRow['kind'],
    target: String(row.target),
    dueAt: String(row.due),
  }));
}

/** The first that waits for a target. */
export function nextDeliveryTo(
  db: Database,
  { kind, target }: Pick<DeliveryRow, 'kind' | 'target'>,
): DeliveryRow | undefined {
  const row = db.get(
    `SELECT * FROM deliveries WHERE state = 'PENDING' AND kind = ? AND target = ? ORDER BY due_at LIMIT 1`,
    kind,
    target,
  );
  return row && toDelivery(row);
}

export function setDelivered(db: Database, deliveryId: string, status: number | null, at: string): void {
  db.run(
    `UPDATE deliveries SET state = 'DELIVERED', tries = tries + 1, last_status = ?, last_error = NULL, delivered_at = ?
     WHERE delivery_id = ?`,
    status,
    at,
    deliveryId,
  );
}

/** A try failed: again at `dueAt`, or never when that is null. */
export function setDeliveryFailed(
  db: Database,
  deliveryId: string,
  failure: { status: number | null; error: string; dueAt: string | null },
): void {
  db.run(
    `UPDATE deliveries SET tries = tries + 1, last_status = ?, last_error = ?, due_at = COALESCE(?, due_at),
       state = CASE WHEN ? IS NULL THEN 'FAILED' ELSE 'PENDING' END WHERE delivery_id = ?`,
    failure.status,
    failure.error,
    failure.dueAt,
    failure.dueAt,
    deliveryId,
  );
}

export function toDelivery(row: Row): DeliveryRow {
  return {
    deliveryId: String(row.delivery_id),
    kind: row.kind as DeliveryRow['kind'],
    target: String(row.target),
    subject: String(row.subject),
    body: String(row.body),
    state: row.state as DeliveryRow['state'],
    tries: Number(row.tries),
    dueAt: String(row.due_at),
    lastStatus: row.last_status as number | null,
    lastError: row.last_error as string | null,
    createdAt: String(row.created_at),
    deliveredAt: row.delivered_at as string | null,
  };
}
