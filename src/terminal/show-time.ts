import type { Env } from './io.js';

/** Times as a person reads them. In pipes and JSON times stay ISO 8601 in UTC. */

const STEPS: readonly [unit: string, ms: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
];

/** `just now`, `5m ago`, `in 2h`; beyond two months the date. */
export function relativeTime(iso: string, nowMs: number, env: Env): string {
  const atMs = Date.parse(iso);
  if (Number.isNaN(atMs)) return iso;
  const apartMs = Math.abs(nowMs - atMs);
  if (apartMs > 60 * 86_400_000) return localTime(iso, env);
  const step = STEPS.find(([, ms]) => apartMs >= ms);
  if (!step) return atMs > nowMs ? 'in a moment' : 'just now';
  const text = `${Math.floor(apartMs / step[1])}${step[0]}`;
  return atMs > nowMs ? `in ${text}` : `${text} ago`;
}

/** `2026-11-22 18:00 GMT+1`, in the zone of TZ or of the machine. */
export function localTime(iso: string, env: Env): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const parts = new Map(
    formatter(env.TZ)
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  );
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return `${get('year')}-${get('month')}-${get('day')} ${get('hour')}:${get('minute')} ${get('timeZoneName')}`;
}

function formatter(timeZone: string | undefined): Intl.DateTimeFormat {
  const options: Intl.DateTimeFormatOptions = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  };
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: timeZone || undefined });
  } catch {
    // TZ may be a form that Intl does not read (":/etc/localtime"): then the machine's own zone.
    return new Intl.DateTimeFormat('en-GB', options);
  }
}
