import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClipctlError } from '../../errors.js';
import { findOnPath } from '../media/find-tools.js';
import type { MediaTools } from '../media/media-types.js';
import { tooLarge } from './fetch-link.js';
import type { ImportOptions } from './import-source.js';
import { startPublicProxy } from './public-proxy.js';
import { runUserProgram } from './user-program.js';

const WATCH_EVERY_MS = 1000;
const MAX_PRINTED_BYTES = 1024 * 1024;

/** Formats that come over the web. What a page names as rtmp or ftp would not go through the proxy. */
const WEB_ONLY = "[protocol~='^(http|m3u8)']";

interface PageRun {
  tools: MediaTools;
  signal: AbortSignal;
  report(fraction: number, message: string): void;
}

/**
 * Downloads the video of a web page with the user's own yt-dlp, in a folder of its own beside `target`. That stays
 * when the signal comes, and the next call goes on with it.
 * @throws ClipctlError `rejected` when there is none on the PATH, when it fails, or goes beyond the limits.
 */
export async function downloadPage(
  address: string,
  target: string,
  options: ImportOptions,
  run: PageRun,
): Promise<void> {
  const program = findOnPath('yt-dlp', options.env);
  if (!program) {
    throw new ClipctlError('rejected', 'the address is a web page, not a video file', {
      reason: 'the local service downloads from pages with yt-dlp, which is not on the PATH',
      hint: 'install yt-dlp and start the service again, or give a direct link to the file',
    });
  }
  run.report(0, 'downloading with yt-dlp');
  const folder = `${target}.page`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await runYtDlp(program, address, folder, options, run);
    await rename(await findVideo(folder, options.maxBytes), target);
  } catch (error) {
    run.signal.throwIfAborted();
    await rm(folder, { recursive: true, force: true });
    if (!(error instanceof ClipctlError)) throw error;
    // It has tried again by itself what can be tried again.
    throw new ClipctlError('rejected', error.message, error.details);
  }
  await rm(folder, { recursive: true, force: true });
}

async function runYtDlp(
  program: string,
  address: string,
  folder: string,
  { env, allowPrivate, maxBytes, maxMs }: ImportOptions,
  { tools, signal }: PageRun,
): Promise<void> {
  const proxy = allowPrivate ? undefined : await startPublicProxy();
  const tooLarge = new AbortController();
  const watch = setInterval(() => void stopWhenLarge(folder, maxBytes, tooLarge), WATCH_EVERY_MS);
  try {
    await runUserProgram(program, {
      name: 'yt-dlp',
      args: argumentsFor(address, maxBytes, tools),
      cwd: folder,
      env: proxy ? throughProxy(env, proxy.url) : env,
      signal: AbortSignal.any([signal, tooLarge.signal]),
      timeoutMs: maxMs,
      maxOutputBytes: MAX_PRINTED_BYTES,
    });
  } finally {
    clearInterval(watch);
    proxy?.close();
  }
}

/** The file's name has no part that the page could choose, and nothing of the user's own configuration is read. */
function argumentsFor(address: string, maxBytes: number, { ffmpegPath }: MediaTools): string[] {
  return [
    ...['--ignore-config', '--no-cache-dir', '--no-exec', '--quiet', '--no-warnings', '--no-mtime'],
    ...['--no-playlist', '--playlist-items', '1', '--match-filters', '!is_live'],
    ...['--max-filesize', String(maxBytes), '--socket-timeout', '60', '--retries', '5'],
    ...['--format', `bv*${WEB_ONLY}+ba${WEB_ONLY}/b${WEB_ONLY}`, '--format-sort', 'res:1080'],
    ...['--downloader', 'm3u8:native', '--merge-output-format', 'mkv', '--ffmpeg-location', ffmpegPath],
    ...['--output', 'video', '--', address],
  ];
}

/** `--max-filesize` believes what servers say of sizes, and some say nothing. */
async function stopWhenLarge(folder: string, maxBytes: number, stop: AbortController): Promise<void> {
  const [largest] = await filesBySize(folder).catch(() => []);
  if (largest && largest.sizeBytes > maxBytes) stop.abort(tooLarge(maxBytes));
}

/** All that it or what it starts fetches goes through the proxy: no variable of the user's may lead around it. */
function throughProxy(env: ImportOptions['env'], url: string): ImportOptions['env'] {
  const others = Object.entries(env).filter(([name]) => !/^(https?|all|no|ftp)_proxy$/i.test(name));
  return { ...Object.fromEntries(others), http_proxy: url, https_proxy: url };
}

async function findVideo(folder: string, maxBytes: number): Promise<string> {
  const [largest] = await filesBySize(folder);
  if (!largest) {
    throw new ClipctlError('rejected', 'yt-dlp downloaded no video', {
      reason: 'it may be live, or larger than the limit',
    });
  }
  if (largest.sizeBytes > maxBytes) throw tooLarge(maxBytes);
  return largest.path;
}

async function filesBySize(folder: string): Promise<{ path: string; sizeBytes: number }[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const files = entries.map(async ({ name }) => {
    const path = join(folder, name);
    return { path, sizeBytes: (await stat(path)).size };
  });
  return (await Promise.all(files)).sort((a, b) => b.sizeBytes - a.sizeBytes);
}
