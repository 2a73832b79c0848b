import { basename } from 'node:path';
import { formatBytes, formatDuration } from '../durations.js';
import type { Io } from './io.js';
import type { Notes } from './notes.js';
import { safeJson, safeLine } from './safe-text.js';

export const PROGRESS_MODES = ['auto', 'bar', 'plain', 'json', 'none'] as const;
export type ProgressMode = (typeof PROGRESS_MODES)[number];

/** What both uploads and downloads tell (see transfer/events.ts); `path` tells the files apart. */
export interface TransferEvent {
  path: string;
  type: string;
  totalBytes?: number;
  acceptedBytes?: number;
  receivedBytes?: number;
  bytesPerSec?: number;
  waitMs?: number;
  reason?: string;
  sameRun?: boolean;
}

export interface TransferProgress {
  onEvent(event: TransferEvent): void;
  end(): void;
}

/** How progress is shown: bars on a terminal, plain lines elsewhere, events as JSON lines, or nothing. */
export async function createProgress(
  io: Pick<Io, 'stderr' | 'env'>,
  notes: Notes,
  mode: ProgressMode,
  work: { verb: 'uploading' | 'downloading'; files: number },
): Promise<TransferProgress> {
  const chosen = mode === 'auto' ? autoMode(io, notes) : mode;
  if (chosen === 'none') return { onEvent: () => undefined, end: () => undefined };
  if (chosen === 'json') {
    return { onEvent: (event) => io.stderr.write(`${safeJson(event)}\n`), end: () => undefined };
  }
  if (chosen === 'plain') return new PlainProgress(notes, work.verb);
  return createBars(io, notes, work.files);
}

function autoMode({ stderr, env }: Pick<Io, 'stderr' | 'env'>, notes: Notes): ProgressMode {
  if (notes.loudness === 'quiet') return 'none';
  return stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI ? 'bar' : 'plain';
}

const doneBytes = (event: TransferEvent) => event.acceptedBytes ?? event.receivedBytes ?? 0;

/** `41.0 MiB/s, 12s left`, or nothing while the rate is not known. */
function rateText(event: TransferEvent): string {
  const rate = event.bytesPerSec ?? 0;
  if (rate <= 0) return '';
  const left = ((event.totalBytes ?? 0) - doneBytes(event)) / rate;
  return `${formatBytes(rate)}/s${left > 0 ? `, ${formatDuration(left)} left` : ''}`;
}

const LINE_EVERY_PERCENT = 10;
const LINE_EVERY_MS = 30_000;

/** A line each 10 % or 30 s, and one for whatever is out of the ordinary. */
class PlainProgress implements TransferProgress {
  readonly #notes: Notes;
  readonly #verb: string;
  readonly #last = new Map<string, { percent: number; atMs: number }>();

  constructor(notes: Notes, verb: string) {
    this.#notes = notes;
    this.#verb = verb;
  }

  onEvent(event: TransferEvent): void {
    const name = basename(event.path);
    if (event.type === 'start') {
      this.#last.set(event.path, { percent: 0, atMs: performance.now() });
      const size = event.totalBytes === undefined ? '' : ` (${formatBytes(event.totalBytes)})`;
      this.#notes.say(`${this.#verb} ${name}${size}`);
    } else if (event.type === 'progress') this.#progress(name, event);
    else sayEvent(event, this.#notes);
  }

  #progress(name: string, event: TransferEvent): void {
    if (!event.totalBytes) return;
    const percent = Math.floor((doneBytes(event) / event.totalBytes) * 100);
    const last = this.#last.get(event.path) ?? { percent: 0, atMs: 0 };
    const now = performance.now();
    if (percent < last.percent + LINE_EVERY_PERCENT && now < last.atMs + LINE_EVERY_MS) return;
    this.#last.set(event.path, { percent: percent - (percent % LINE_EVERY_PERCENT), atMs: now });
    const rate = rateText(event);
    this.#notes.say(
      `${name}: ${percent} %, ${formatBytes(doneBytes(event))} of ${formatBytes(event.totalBytes)}${rate ? `, ${rate}` : ''}`,
    );
  }

  end(): void {
    this.#last.clear();
  }
}

/** Breaks and resumptions, which people want to read whatever the form of the progress. */
function sayEvent(event: TransferEvent, notes: { say(text: string): void; tell(text: string): void }): void {
  const name = basename(event.path);
  if (event.type === 'resumed') {
    const total = event.totalBytes === undefined ? '' : ` of ${formatBytes(event.totalBytes)}`;
    notes.tell(`${name}: resuming at ${formatBytes(doneBytes(event))}${total}`);
  } else if (event.type === 'retry') {
    notes.say(
      `${name}: ${event.reason ?? 'broken'}; going on in ${((event.waitMs ?? 0) / 1000).toFixed(1)} s`,
    );
  }
}

/** One bar a file and, for several, a total. */
async function createBars(
  io: Pick<Io, 'stderr' | 'env'>,
  notes: Notes,
  files: number,
): Promise<TransferProgress> {
  const { default: cliProgress } = await import('cli-progress');
  const bars = new cliProgress.MultiBar(
    {
      stream: io.stderr as NodeJS.WriteStream,
      format: barFormat,
      clearOnComplete: true,
      hideCursor: true,
      fps: 8,
      forceRedraw: true,
      gracefulExit: false,
      linewrap: false,
    },
    cliProgress.Presets.rect,
  );
  const known = new Map<
    string,
    { bar: ReturnType<typeof bars.create>; doneBytes: number; totalBytes: number }
  >();
  // Made first, so that it stays above the files.
  const total = files > 1 ? bars.create(1, 0, { name: 'total', rate: '' }) : undefined;

  function updateTotal(): void {
    if (!total) return;
    const all = [...known.values()];
    const sum = (pick: (entry: (typeof all)[number]) => number) =>
      all.reduce((bytes, entry) => bytes + pick(entry), 0);
    total.setTotal(sum((entry) => entry.totalBytes));
    total.update(
      sum((entry) => entry.doneBytes),
      { rate: '' },
    );
  }

  function lineAbove(event: TransferEvent): void {
    notes.beforeWrite = undefined;
    // The library keeps its own lines; a note goes above them through its log.
    const lines: string[] = [];
    sayEvent(event, { say: (text) => lines.push(text), tell: (text) => lines.push(text) });
    for (const line of lines) bars.log(`${safeLine(line)}\n`);
  }

  return {
    onEvent(event) {
      const { path, type } = event;
      if (type === 'start' && !known.has(path)) {
        const totalBytes = event.totalBytes ?? 0;
        const bar = bars.create(Math.max(totalBytes, 1), 0, { name: safeLine(basename(path)), rate: '' });
        known.set(path, { bar, doneBytes: 0, totalBytes });
      }
      const entry = known.get(path);
      if (!entry) return;
      if (type === 'progress' || type === 'resumed') {
        entry.doneBytes = doneBytes(event);
        if (event.totalBytes) entry.totalBytes = event.totalBytes;
        entry.bar.setTotal(Math.max(entry.totalBytes, 1));
        entry.bar.update(entry.doneBytes, { rate: rateText(event) });
      } else if (type === 'finalizing' || type === 'done') {
        entry.doneBytes = entry.totalBytes;
        entry.bar.update(Math.max(entry.totalBytes, 1), { rate: type === 'done' ? 'done' : 'finishing' });
        // Of many files only those under way have a line; the total has the others.
        if (type === 'done' && total) bars.remove(entry.bar);
      }
      if (type === 'resumed' || type === 'retry') lineAbove(event);
      updateTotal();
    },
    end() {
      bars.stop();
    },
  };
}

interface BarParams {
  progress: number;
  value: number;
  total: number;
}

/** `talk.mp4 ■■■■■    42 %  4.2 of 10 GiB  41 MiB/s, 2m left`, cut to the terminal by the library. */
function barFormat(options: unknown, params: BarParams, payload: { name?: string; rate?: string }): string {
  const size = 24;
  const filled = Math.round(Math.min(params.progress, 1) * size);
  const bar = '■'.repeat(filled) + ' '.repeat(size - filled);
  const percent = String(Math.floor(params.progress * 100)).padStart(3);
  void options;
  return `${payload.name ?? ''} ${bar} ${percent} %  ${formatBytes(params.value)} of ${formatBytes(params.total)}  ${payload.rate ?? ''}`;
}
