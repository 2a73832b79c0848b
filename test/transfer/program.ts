import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

const BIN = join(import.meta.dirname, '../../bin/clipctl.js');

export interface RunningProgram {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  /** Resolves when it has ended, with its exit code; null after a kill. */
  exit: Promise<number | null>;
}

/** Starts the built program in a process of its own, in an environment that holds nothing but `env`. */
export function startProgram(args: readonly string[], env: Record<string, string>): RunningProgram {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH, CI: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const program: RunningProgram = {
    child,
    stdout: '',
    stderr: '',
    exit: once(child, 'close').then(([code]) => code),
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    program.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    program.stderr += text;
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await program.exit;
  });
  return program;
}

/** Runs the built program to its end. */
export async function runProgram(args: readonly string[], env: Record<string, string>) {
  const program = startProgram(args, env);
  const exit = await program.exit;
  return { exit, stdout: program.stdout, stderr: program.stderr };
}

/** A forward proxy in its own process; `requests` are the lines it printed. */
export async function startProxy(...args: string[]): Promise<{ url: string; requests: string[] }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fixtures/forward-proxy.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  const requests: string[] = [];
  const lines = createInterface({ input: child.stdout });
  const [port] = await once(lines, 'line');
  lines.on('line', (line) => requests.push(line));
  return { url: `http://127.0.0.1:${port}`, requests };
}
