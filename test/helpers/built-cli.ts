import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export const REPOSITORY = resolve(import.meta.dirname, '../..');
export const BIN = join(REPOSITORY, 'bin/clipctl.js');
export const SAMPLE = join(REPOSITORY, 'examples/talk.mp4');

/** Environment of a newcomer: an empty home and a PATH that holds only node. */
export async function newcomerEnv(home: string): Promise<Record<string, string>> {
  const path = join(home, 'bin');
  await mkdir(path, { recursive: true });
  await symlink(process.execPath, join(path, 'node')).catch(() => undefined);
  return { HOME: home, PATH: path };
}

export interface BuiltRun {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** The built program as its own process. */
export function startBuilt(args: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [BIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

export async function runBuilt(args: readonly string[], env: Record<string, string>): Promise<BuiltRun> {
  const child = startBuilt(args, env);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const exitCode = await new Promise<number | null>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done(code));
  });
  return { exitCode, stdout: stdout(), stderr: stderr() };
}

function collect(stream: ChildProcess['stdout']): () => string {
  let text = '';
  stream?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

/** The first line a process prints on stdout. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) done(text.slice(0, text.indexOf('\n')));
    });
    child.once('close', (code) => fail(new Error(`the process ended with ${code} before it printed a line`)));
  });
}
