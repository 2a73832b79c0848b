import { spawn } from 'node:child_process';
import { access, constants, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ClipctlError } from '../../errors.js';
import type { ImportOptions } from './import-source.js';

/** The end of what a failing program said. */
const TAIL_CHARS = 2000;

/**
 * Downloads the video of a web page with the user's own yt-dlp.
 * @throws ClipctlError `rejected` when there is none on the PATH, or it refuses.
 */
export async function downloadPage(
  address: string,
  target: string,
  options: ImportOptions,
  run: { signal: AbortSignal; report(fraction: number, message: string): void },
): Promise<void> {
  const program = await findOnPath('yt-dlp', options.env);
  if (!program) {
    throw new ClipctlError('rejected', 'the address is a web page, not a video file', {
      reason: 'the local service downloads from pages with yt-dlp, which is not on the PATH',
      hint: 'install yt-dlp and start the service again, or give a direct link to the file',
    });
  }
  const madePath = `${target}.mp4`;
  const limits = ['--max-filesize', String(options.maxBytes), '--socket-timeout', '60', '--retries', '5'];
  const output = ['--merge-output-format', 'mp4', '--remux-video', 'mp4', '--no-progress', '-o', madePath];
  const args = ['--ignore-config', '--no-playlist', '--no-exec', ...limits, ...output, '--', address];
  run.report(0, 'downloading with yt-dlp');
  await runProgram(
    program,
    args,
    AbortSignal.any([run.signal, AbortSignal.timeout(options.maxMs)]),
    options.env,
  );
  await rename(madePath, target).catch(async (error: unknown) => {
    await rm(madePath, { force: true });
    throw new ClipctlError('rejected', 'yt-dlp downloaded no video', {
      reason: 'it may be larger than the limit',
      cause: error,
    });
  });
}

function runProgram(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
  env: Record<string, string | undefined>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env, signal });
    let tail = '';
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => {
      tail = (tail + text).slice(-TAIL_CHARS);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) return resolve();
      const lastLine = tail.trim().split('\n').at(-1) ?? '';
      reject(new ClipctlError('rejected', 'yt-dlp could not download the video', { reason: lastLine }));
    });
  });
}

/** A program's path by the PATH of `env`; undefined when it is not there. */
async function findOnPath(
  name: string,
  env: Record<string, string | undefined>,
): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (!folder) continue;
    for (const ending of ['', '.exe']) {
      const path = join(folder, name + ending);
      if (
        await access(path, constants.X_OK).then(
          () => true,
          () => false,
        )
      )
        return path;
    }
  }
  return undefined;
}
