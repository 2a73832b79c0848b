import type { Readable, Writable } from 'node:stream';

export type Env = Record<string, string | undefined>;

/** Everything of the process that a command may touch. The process's own is made in main.ts, a twin in memory by tests. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  env: Env;
  cwd: string;
  now(): Date;
}

/** The Io of the running process. Its streams are made when they are first used: each costs at start. */
export function processIo(): Io {
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      // Nobody reads it any more: then there is nobody to tell either.
      if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined);
      return process.stderr;
    },
    env: process.env,
    cwd: process.cwd(),
    now: () => new Date(),
  };
}

/** All of stdin as text. At a terminal a person would wait for nothing, so the caller says what it waits for first. */
export async function readStdin(io: Pick<Io, 'stdin'>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
