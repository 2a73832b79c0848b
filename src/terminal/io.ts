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

/** The Io of the running process. */
export function processIo(): Io {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
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
