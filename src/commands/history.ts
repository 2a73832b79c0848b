import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { CancelledError, ClipctlError, usageError } from '../errors.js';
import type { HistoryKind } from '../history/journal.js';
import type { Remembered } from '../history/select.js';
import { showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';

export function registerHistory(command: Command, context: Context): void {
  const list = command
    .command('list')
    .description('list what this machine created, newest first')
    .option('--kind <kind>', 'upload, project, collection, censor, schedule or copy')
    .option('--since <when>', 'only since then: 12h, 7d, 2026-11-01')
    .option('--limit <n>', 'at most this many')
    .option('--all', 'with --kind schedule: also those that are published or cancelled')
    .action(async (options) => historyList(options, context));
  addHelp(list, {
    about:
      'The service offers no lists, so this journal is where ids are found again. It knows what was created with\n' +
      'this machine and user only. --kind schedule lists what is still ahead, the next one first, in local time.',
    examples: ['history list', 'history list --kind project --since 7d', 'history list --kind schedule'],
  });
  const show = command
    .command('show <id>')
    .description('show what the history knows of an id')
    .action(async (id) => historyShow(id, context));
  addHelp(show, { examples: ['history show P123', 'history show P123 --json'], exitCodes: [5] });
  const clear = command
    .command('clear')
    .description('forget the history; nothing at the service changes')
    .action(async () => historyClear(context));
  addHelp(clear, { examples: ['history clear', 'history clear --yes'], exitCodes: [130] });
}

interface ListOptions {
  kind?: string;
  since?: string;
  limit?: string;
  all?: true;
}

async function historyList(options: ListOptions, context: Context): Promise<void> {
  const { parseSince, selectHistory, stillAhead } = await import('../history/select.js');
  const nowMs = context.io.now().getTime();
  const kind = options.kind === undefined ? undefined : await checkKind(options.kind);
  const sinceMs = options.since === undefined ? undefined : parseSince(options.since, nowMs);
  const limit = checkLimit(options.limit);
  const known = selectHistory(await readRows(context), { kind, sinceMs });
  const schedules = kind === 'schedule';
  const rows = (schedules && !options.all ? stillAhead(known, nowMs) : known).slice(0, limit);
  if (rows.length === 0) context.notes.say(emptyText(schedules, known.length));
  const table = schedules ? scheduleTable(rows, context) : generalTable(rows, context);
  await context.output.result({ json: rows, table: await table });
}

function emptyText(schedules: boolean, known: number): string {
  if (schedules && known > 0) return 'nothing is ahead; --all shows what was';
  return 'nothing in the history';
}

async function checkKind(text: string): Promise<HistoryKind> {
  const { HISTORY_KINDS } = await import('../history/journal.js');
  const kind = HISTORY_KINDS.find((known) => known === text);
  if (kind) return kind;
  const { nearest } = await import('../nearest.js');
  const near = nearest(text, HISTORY_KINDS);
  throw usageError(`--kind ${JSON.stringify(text)} is not one of ${HISTORY_KINDS.join(', ')}`, {
    hint: near ? `did you mean ${near}?` : undefined,
  });
}

function checkLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(`--limit ${JSON.stringify(text)} is not a number above 0`);
}

async function readRows({ dirs, notes }: Pick<Context, 'dirs' | 'notes'>): Promise<Remembered[]> {
  const { historyPath, readHistory } = await import('../history/journal.js');
  const { foldHistory } = await import('../history/select.js');
  const { entries, damaged } = await readHistory(dirs.state);
  if (damaged > 0) notes.warn(`${damaged} lines of ${historyPath(dirs.state)} cannot be read`);
  return foldHistory(entries);
}

async function generalTable(rows: readonly Remembered[], { io }: Pick<Context, 'io'>) {
  const { relativeTime } = await import('../terminal/show-time.js');
  const nowMs = io.now().getTime();
  const cells = (time: (iso: string) => string) =>
    rows.map((row) => [row.id, row.kind, time(row.time), describeRow(row)]);
  return {
    header: ['ID', 'KIND', 'WHEN', 'WHAT'],
    rows: cells((iso) => relativeTime(iso, nowMs, io.env)),
    pipeRows: cells((iso) => iso),
  };
}

async function scheduleTable(rows: readonly Remembered[], { io }: Pick<Context, 'io'>) {
  const { localTime, relativeTime } = await import('../terminal/show-time.js');
  const nowMs = io.now().getTime();
  const cells = (time: (iso: string) => string) =>
    rows.map((row) => [row.id, time(row.publishAt ?? ''), clipOf(row), describeRow(row)]);
  return {
    header: ['ID', 'PUBLISHES', 'CLIP', 'WHAT'],
    whole: [0, 2],
    rows: cells((iso) => `${localTime(iso, io.env)} (${relativeTime(iso, nowMs, io.env)})`),
    pipeRows: cells((iso) => iso),
  };
}

function clipOf({ projectId, clipId }: Remembered): string {
  return [projectId, clipId].filter((part) => part !== undefined).join('.');
}

function describeRow(row: Remembered): string {
  const what = row.title ?? row.file ?? row.videoUrl ?? (clipOf(row) || row.uploadId || '');
  return row.event === 'cancelled' ? `cancelled${what ? `: ${what}` : ''}` : what;
}

async function historyShow(id: string, context: Context): Promise<void> {
  const rows = await readRows(context);
  const found = rows.filter((row) => [row.id, row.uploadId].includes(id));
  const [first] = found;
  if (!first) {
    const { nearest } = await import('../nearest.js');
    const near = nearest(
      id,
      rows.map((row) => row.id),
    );
    throw new ClipctlError('not-found', `the history knows nothing of ${JSON.stringify(id)}`, {
      hint: near ? `did you mean ${near}?` : 'clipctl history list shows what it knows',
    });
  }
  await context.output.result({
    json: found.length === 1 ? first : found,
    lines: found.flatMap((row) => Object.entries(row).map(([name, value]) => `${name}: ${String(value)}`)),
  });
}

async function historyClear(context: Context): Promise<void> {
  const { clearHistory, historyPath } = await import('../history/journal.js');
  const path = historyPath(context.dirs.state);
  if (context.flags.dryRun) {
    context.notes.note(`would delete ${path}`);
    return showDryRun(context, []);
  }
  if (!(await context.confirm('Forget the whole history? Ids that are only here cannot be found again.'))) {
    throw new CancelledError('SIGINT', 'the history stays');
  }
  await clearHistory(context.dirs.state);
  context.notes.say(`deleted ${path}`);
  await context.output.document({ cleared: true });
}
