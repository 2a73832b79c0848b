import { usageError } from './errors.js';

/** Durations, places in a video, and byte counts: as people type them, and as they read them. */

const UNIT_SECONDS: Record<string, number> = { h: 3600, m: 60, s: 1 };

/** `90`, `90s`, `1m30s`, `2h`, `1:30`, `01:02:03.5` in seconds; undefined for anything else. */
export function parseSeconds(text: string): number | undefined {
  const clock = /^(?:(\d+):)?(\d+):(\d{1,2}(?:\.\d+)?)$/.exec(text);
  if (clock) {
    const [, hours, minutes, seconds] = clock;
    if (Number(seconds) >= 60 || (hours !== undefined && Number(minutes) >= 60)) return undefined;
    return Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds);
  }
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!/^(\d+h)?(\d+m)?(\d+(\.\d+)?s)?$/.test(text) || text === '') return undefined;
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)([hms])/g)) {
    total += Number(count) * (UNIT_SECONDS[unit ?? ''] ?? 0);
  }
  return total;
}

/** setTimeout takes 31 bits of milliseconds; beyond them it would fire at once. */
const LONGEST_MS = 2_147_483_647;

/** `500ms`, `60s`, `2m`, `1h30m` or plain seconds in milliseconds. Throws a usage error that names the flag. */
export function parseDurationMs(text: string, flag: string): number {
  const inMs = /^(\d+)ms$/.exec(text);
  const seconds = inMs ? Number(inMs[1]) / 1000 : parseSeconds(text);
  const ms = seconds === undefined ? 0 : seconds * 1000;
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  throw usageError(`${flag} ${JSON.stringify(text)} is not a duration`, {
    hint: 'for example 500ms, 60s, 2m or 1h30m',
  });
}

const BYTE_UNITS: Record<string, number> = {
  '': 1,
  b: 1,
  k: 1024,
  kib: 1024,
  kb: 1000,
  m: 1024 ** 2,
  mib: 1024 ** 2,
  mb: 1000 ** 2,
  g: 1024 ** 3,
  gib: 1024 ** 3,
  gb: 1000 ** 3,
};

/** `4MiB`, `10MB`, `500k` or plain bytes in bytes. Throws a usage error that names the flag. */
export function parseBytes(text: string, flag: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text.replace(/\/s$/, ''));
  const unit = BYTE_UNITS[match?.[2]?.toLowerCase() ?? '?'];
  const bytes = match && unit !== undefined ? Math.round(Number(match[1]) * unit) : 0;
  if (bytes > 0) return bytes;
  throw usageError(`${flag} ${JSON.stringify(text)} is not a number of bytes`, {
    hint: 'for example 500k, 4MiB or 10MB',
  });
}

/** `3.2 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let at = 0;
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024;
    at++;
  }
  return `${at === 0 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

/** `45s`, `2m05s`, `1h02m`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`;
}
