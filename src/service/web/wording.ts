import { type Html, html } from './html.js';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** `November 2026`, of a month from 1. */
export function monthName(year: number, month: number): string {
  return `${MONTHS[month - 1]} ${year}`;
}

/**
 * A time for people, in UTC as everywhere in the interface: the page is made here and does not know the reader's
 * zone. Where there is script, pointing at it tells the local time.
 */
export function timeTag(iso: string): Html {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return html`<span>${iso}</span>`;
  const month = MONTHS[date.getUTCMonth()]?.slice(0, 3);
  return html`<time datetime="${iso}">${date.getUTCDate()} ${month} ${date.getUTCFullYear()}, ${clockTime(iso)} UTC</time>`;
}

/** `05:41`, UTC. */
export function clockTime(iso: string): string {
  return iso.slice(11, 16);
}

/** `1:05` or `1:02:03`. */
export function positionText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** `12.4 s`, `1 min 5 s`. */
export function lengthText(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `1.4 MB`, in powers of ten as file managers count. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 'bytes';
  for (const next of units) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** `1 clip`, `2 clips`. */
export function countText(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}
