import { spawn } from 'node:child_process';
import { resolve as resolvePath } from 'node:path';
import { ClipctlError, errorCode } from '../../errors.js';

const STDERR_TAIL_CHARS = 4000;
const KILL_GRACE_MS = 2000;

export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** The process is killed after this long. */
  timeoutMs: number;
  /** Folder the process runs in, so that filter arguments can be simple names. */
  cwd?: string | undefined;
  /** Each whole line of stderr as it comes. */
  onStderrLine?: ((line: string) => void) | undefined;
}

export interface FfmpegOptions extends RunOptions {
  /** With it, `onProgress` gets fractions 0..1 of this length of output. */
  expectedSec?: number | undefined;
  onProgress?: ((fraction: number) => void) | undefined;
  /** stdout as it comes; then `-progress` is not used. */
  onStdout?: ((chunk: Buffer) => void) | undefined;
}

/** The last of stderr, kept on the error so that callers can say why. */
export interface FfmpegFailure {
  exitCode: number | null;
  stderrTail: string;
}

/**
 * Runs ffmpeg once, no shell, no stdin. Only local files can be opened, whatever a playlist inside one names:
 * callers put `LOCAL_ONLY` before each `-i`.
 * @throws ClipctlError `service` with the tail of stderr as reason; the signal's reason when aborted.
 */
export async function runFfmpeg(
  ffmpegPath: string,
  args: readonly string[],
  options: FfmpegOptions,
): Promise<void> {
  const { expectedSec, onProgress, onStdout } = options;
  const common = ['-hide_banner', '-nostdin', '-y'];
  if (onStdout !== undefined) {
    await run(ffmpegPath, [...common, ...args], options, onStdout);
    return;
  }
  const reader = progressReader(expectedSec ?? 0, onProgress);
  await run(ffmpegPath, [...common, '-progress', 'pipe:1', '-nostats', ...args], options, reader);
  onProgress?.(1);
}

/** Input options: nothing but local files. `file` is needed for the file itself, `pipe` for standard streams. */
export const LOCAL_ONLY = ['-protocol_whitelist', 'file,pipe'] as const;

/** A path as ffmpeg argument: a name like `-x.mp4` or `http:x.mp4` must stay a file, whatever folder ffmpeg runs in. */
export function fileArgument(path: string): string {
  return `file:${resolvePath(path)}`;
}

/**
 * Runs a program and returns what it printed.
 * @throws ClipctlError `service`, see `runFfmpeg`.
 */
export async function runForOutput(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<string> {
  const chunks: Buffer[] = [];
  await run(program, args, options, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** The failure of a program that ran and exited badly; undefined for any other error. */
export function failureOf(error: unknown): FfmpegFailure | undefined {
  return error instanceof ClipctlError && isFailure(error.cause) ? error.cause : undefined;
}

function isFailure(value: unknown): value is FfmpegFailure {
  return typeof value === 'object' && value !== null && 'stderrTail' in value;
}

function run(
  program: string,
  args: readonly string[],
  { signal, timeoutMs, cwd, onStderrLine }: RunOptions,
  onStdout: (chunk: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let thrown: unknown;
    let timedOut = false;
    // A handler of ours that throws must end the run, not the program.
    const guard = (work: () => void) => {
      try {
        work();
      } catch (error) {
        thrown ??= error;
        child.kill('SIGKILL');
      }
    };
    const stop = () => {
      child.kill('SIGTERM');
      // ffmpeg may finish its file on SIGTERM; nobody wants that file, so it does not get long.
      setTimeout(() => child.kill('SIGKILL'), KILL_GRACE_MS).unref();
    };
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs);
    signal?.addEventListener('abort', stop, { once: true });
    child.stdout.on('data', (chunk: Buffer) => guard(() => onStdout(chunk)));
    const errors = new StderrReader(onStderrLine);
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => guard(() => errors.add(text)));
    let startError: unknown;
    child.on('error', (error) => {
      startError = error;
    });
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      guard(() => errors.end());
      if (signal?.aborted) reject(signal.reason);
      else if (thrown !== undefined) reject(thrown);
      else if (startError !== undefined) reject(cannotStart(program, startError));
      else if (timedOut) reject(tookTooLong(program, timeoutMs));
      else if (exitCode === 0) resolve();
      else reject(failed(program, { exitCode, stderrTail: errors.tail }));
    });
  });
}

/** Keeps the end of what a program complained, and hands its lines on as they become whole. */
class StderrReader {
  tail = '';
  private part = '';

  constructor(private readonly onLine: ((line: string) => void) | undefined) {}

  add(text: string): void {
    this.tail = (this.tail + text).slice(-STDERR_TAIL_CHARS);
    if (this.onLine === undefined) return;
    const lines = (this.part + text).split(/[\r\n]+/);
    this.part = lines.pop() ?? '';
    for (const line of lines) this.onLine(line);
  }

  end(): void {
    if (this.part !== '') this.onLine?.(this.part);
  }
}

function cannotStart(program: string, error: unknown): ClipctlError {
  return new ClipctlError('service', `${program} cannot be started`, {
    reason: errorCode(error) ?? 'unknown reason',
    hint: 'run clipctl doctor to see which ffmpeg is used',
    cause: error,
  });
}

function tookTooLong(program: string, timeoutMs: number): ClipctlError {
  return new ClipctlError(
    'service',
    `${nameOf(program)} was stopped after ${Math.round(timeoutMs / 1000)} s`,
    {
      reason: 'it took longer than its time limit',
    },
  );
}

function failed(program: string, failure: FfmpegFailure): ClipctlError {
  return new ClipctlError(
    'service',
    `${nameOf(program)} failed with exit code ${failure.exitCode ?? 'none (killed)'}`,
    {
      reason: failure.stderrTail.trim().split('\n').slice(-4).join('\n'),
      cause: failure,
    },
  );
}

function nameOf(program: string): string {
  return program.split(/[/\\]/).at(-1) ?? program;
}

/** Reads `out_time_us=`/`out_time_ms=` (both microseconds, whatever the name says) of `-progress`. */
function progressReader(expectedSec: number, onProgress: ((fraction: number) => void) | undefined) {
  let text = '';
  return (chunk: Buffer) => {
    text = (text + chunk.toString('latin1')).slice(-2000);
    if (onProgress === undefined || expectedSec <= 0) return;
    const last = [...text.matchAll(/out_time_[um]s=(\d+)/g)].at(-1)?.[1];
    if (last !== undefined) onProgress(Math.min(1, Number(last) / 1e6 / expectedSec));
  };
}
