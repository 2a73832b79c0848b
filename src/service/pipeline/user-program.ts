import { type ChildProcess, spawn } from 'node:child_process';
import { ClipctlError } from '../../errors.js';
import { withoutSecrets } from '../../without-secrets.js';

/** What is kept of the end of stderr. */
const TAIL_CHARS = 500;

/** Elsewhere there are no process groups, and a program is ended without what it started. */
const HAS_GROUPS = process.platform !== 'win32';

export interface ProgramRun {
  /** What a person calls it, for errors. */
  name: string;
  args?: readonly string[];
  /** Written to its stdin. */
  input?: string;
  /** Folder it runs in. */
  cwd?: string;
  env: Record<string, string | undefined>;
  signal: AbortSignal;
  timeoutMs: number;
  maxOutputBytes: number;
}

/**
 * Runs a program of the user's own, without a shell and without our secrets, and answers what it printed. When it
 * goes beyond its limits or the signal comes, it is ended with everything it started.
 * @throws ClipctlError `service` when it fails, with the end of its stderr as reason; `rejected` when it cannot be
 * started or goes beyond a limit. The signal's reason when aborted.
 */
export function runUserProgram(path: string, run: ProgramRun): Promise<string> {
  const { name, args = [], input = '', cwd, signal, timeoutMs, maxOutputBytes } = run;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const env = withoutSecrets(run.env);
    const child = spawn(path, args, { cwd, env, stdio: 'pipe', detached: HAS_GROUPS, windowsHide: true });
    let stop: unknown;
    const end = (why: unknown) => {
      stop ??= why;
      killGroup(child);
      child.stdout.destroy(); // whoever left the group may hold them open
      child.stderr.destroy();
    };
    const abort = () => end(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const tooLong = () => end(refused(name, `it was stopped after ${timeoutMs / 1000} s`));
    const timer = setTimeout(tooLong, timeoutMs);
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > maxOutputBytes) end(refused(name, `it printed more than ${maxOutputBytes} bytes`));
      else chunks.push(chunk);
    });
    let tail = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-TAIL_CHARS);
    });
    child.stdin.on('error', () => undefined); // it may not read its input; its exit code tells
    child.stdin.end(input);
    child.once('error', (error) => {
      stop ??= refused(name, `it cannot be started: ${error.message}`);
    });
    child.once('close', (code, killedBy) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      if (stop !== undefined) reject(stop);
      else if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(failed(name, code === null ? `ended by ${killedBy}` : `exit code ${code}`, tail));
    });
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (HAS_GROUPS && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function refused(name: string, reason: string): ClipctlError {
  return new ClipctlError('rejected', `${name} failed`, { reason });
}

function failed(name: string, how: string, stderrTail: string): ClipctlError {
  const words = stderrTail.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return new ClipctlError('service', `${name} failed`, { reason: words ? `${how}: ${words}` : how });
}
