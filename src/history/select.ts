import { usageError } from '../errors.js';
import type { HistoryEntry, HistoryKind } from './journal.js';

/** What was created, with what became of it. */
export interface Remembered extends HistoryEntry {
  /** When it was cancelled, ISO 8601 in UTC. */
  cancelledAt?: string;
}

/** One row for each thing, newest first: a cancellation is told in the row of what it cancelled. */
export function foldHistory(entries: readonly HistoryEntry[]): Remembered[] {
  const rows = new Map<string, Remembered>();
  for (const entry of entries) {
    const key = `${entry.kind} ${entry.baseUrl} ${entry.id}`;
    const known = rows.get(key);
    if (entry.event !== 'cancelled') rows.set(key, { ...known, ...entry });
    else rows.set(key, { ...(known ?? entry), event: 'cancelled', cancelledAt: entry.time });
  }
  return [...rows.values()].sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
}

export interface Selection {
  kind?: HistoryKind;
  /** Only what was written down at or after this, in milliseconds since the epoch. */
  sinceMs?: number;
  limit?: number;
}

export function selectHistory(rows: readonly Remembered[], selection: Selection): Remembered[] {
  const { kind, sinceMs = Number.NEGATIVE_INFINITY, limit = rows.length } = selection;
  return rows
    .filter((row) => (kind === undefined || row.kind === kind) && Date.parse(row.time) >= sinceMs)
    .slice(0, limit);
}

/** The schedules that are neither cancelled nor published by now, the next one first. */
export function stillAhead(rows: readonly Remembered[], nowMs: number): Remembered[] {
  return rows
    .filter(({ event, publishAt }) => event !== 'cancelled' && Date.parse(publishAt ?? '') > nowMs)
    .sort((a, b) => Date.parse(a.publishAt ?? '') - Date.parse(b.publishAt ?? ''));
}

const UNIT_MS: Record<string, number> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** `7d`, `12h`, `2026-11-01` (that day's start here) or a full ISO time, in milliseconds since the epoch. */
export function parseSince(text: string, nowMs: number): number {
  const ago = /^(\d{1,6})([mhdw])$/.exec(text);
  if (ago) return nowMs - Number(ago[1]) * (UNIT_MS[ago[2] ?? ''] ?? 0);
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (day) {
    const date = new Date(Number(day[1]), Number(day[2]) - 1, Number(day[3]));
    // 30 February would silently be a day in March.
    if (date.getMonth() === Number(day[2]) - 1 && date.getDate() === Number(day[3])) return date.getTime();
  } else if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text)) {
    const ms = Date.parse(text);
    if (!Number.isNaN(ms)) return ms;
  }
  throw usageError(`--since ${JSON.stringify(text)} is no time`, {
    hint: 'for example 12h, 7d, 2026-11-01 or 2026-11-01T08:00:00Z',
  });
}
