import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { run } from '../../src/cli.js';
import type { Io } from '../../src/terminal/io.js';

export interface CliRun {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  env?: Record<string, string | undefined>;
  stdin?: string;
  /** Streams that say they are terminals. */
  tty?: boolean;
  columns?: number;
  signal?: AbortSignal;
  now?: () => Date;
}

/** Io in memory: the twin of the process's own. What is written can be read back. */
export function memoryIo(options: CliOptions & { home: string }) {
  const stdin: Readable & { isTTY?: boolean } = options.tty
    ? new PassThrough()
    : Readable.from([options.stdin ?? '']);
  stdin.isTTY = options.tty === true;
  const stdout = collector(options);
  const stderr = collector(options);
  const io: Io = {
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { HOME: options.home, PATH: process.env.PATH, ...options.env },
    cwd: process.cwd(),
    now: options.now ?? (() => new Date()),
  };
  return { io, stdout: stdout.text, stderr: stderr.text };
}

function collector(options: { tty?: boolean; columns?: number }) {
  let text = '';
  const stream: Writable & { isTTY?: boolean; columns?: number } = new Writable({
    write(chunk, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  stream.isTTY = options.tty === true;
  stream.columns = options.columns ?? 80;
  return { stream, text: () => text };
}

/** An empty home directory, removed by `remove`. */
export async function makeHome(): Promise<{ home: string; remove(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'clipctl-home-'));
  return { home, remove: () => rm(home, { recursive: true, force: true }) };
}

/** Runs a whole command line in this process: `runCli('accounts list --json', {home})`. Quotes group words. */
export async function runCli(
  line: string | readonly string[],
  options: CliOptions & { home: string },
): Promise<CliRun> {
  const argv = typeof line === 'string' ? splitWords(line) : line;
  const { io, stdout, stderr } = memoryIo(options);
  const exitCode = await run(argv, io, options.signal ?? new AbortController().signal);
  return { exitCode, stdout: stdout(), stderr: stderr() };
}

function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}
