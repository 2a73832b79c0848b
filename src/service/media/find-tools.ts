import { accessSync, chmodSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { ClipctlError, messageOf, usageError } from '../../errors.js';
import type { MediaTools, Recogniser } from './media-types.js';
import { runForOutput } from './run-ffmpeg.js';

type Env = Record<string, string | undefined>;
type ToolName = 'ffmpeg' | 'ffprobe';

const ENV_NAMES = { ffmpeg: 'CLIPCTL_FFMPEG', ffprobe: 'CLIPCTL_FFPROBE' } as const;
const WHISPER_VARIABLE = 'CLIPCTL_WHISPER';
const MODEL_VARIABLE = 'CLIPCTL_WHISPER_MODEL';

const HINT =
  'install ffmpeg (Debian/Ubuntu: apt-get install ffmpeg; macOS: brew install ffmpeg; Windows: winget install ffmpeg), ' +
  'or name the programs in CLIPCTL_FFMPEG and CLIPCTL_FFPROBE';

/** What a render needs. Checked by `describeTools`, so that `doctor` can say what lacks before a clip does. */
const NEEDED_ENCODERS = ['libx264', 'aac'] as const;
const NEEDED_FILTERS = [
  'ass',
  'silencedetect',
  'ebur128',
  'select',
  'crop',
  'scale',
  'gblur',
  'overlay',
  'afade',
  'trim',
  'atrim',
  'concat',
] as const;

export interface ToolsDescription {
  ffmpegPath: string;
  ffprobePath: string;
  /** The word after "ffmpeg version". */
  ffmpegVersion: string;
  ffprobeVersion: string;
  /** Whether captions can be drawn. */
  hasLibass: boolean;
  missingEncoders: string[];
  missingFilters: string[];
}

/**
 * ffmpeg and ffprobe: named in `env` (CLIPCTL_FFMPEG, CLIPCTL_FFPROBE), else on `env.PATH`, else the installer
 * packages when they are installed.
 * @throws ClipctlError `service` with a hint when one is not found or the named file cannot be run.
 */
export async function findMediaTools(env: Env): Promise<MediaTools> {
  return {
    ffmpegPath: findTool('ffmpeg', env),
    ffprobePath: findTool('ffprobe', env),
    recogniser: findRecogniser(env),
  };
}

/**
 * The speech recogniser, when CLIPCTL_WHISPER_MODEL names a model: the program in CLIPCTL_WHISPER, else `whisper-cli`
 * on the PATH.
 * @throws ClipctlError `usage` when the model or the program is not there.
 */
export function findRecogniser(env: Env): Recogniser | undefined {
  const model = env[MODEL_VARIABLE];
  if (!model) return undefined;
  const modelPath = resolve(model);
  if (!isFile(modelPath)) {
    throw usageError(`${MODEL_VARIABLE} names no file: ${model}`, {
      hint: 'name a model of whisper.cpp, such as models/ggml-base.bin, or unset it',
    });
  }
  const named = env[WHISPER_VARIABLE] || 'whisper-cli';
  const programPath = findOnPath(named, env) ?? resolve(named);
  if (!isFile(programPath) || !isRunnable(programPath)) {
    throw usageError(`${MODEL_VARIABLE} is set, but ${named} is no program that can be run`, {
      hint: `install whisper.cpp, or name its whisper-cli in ${WHISPER_VARIABLE}`,
    });
  }
  return { programPath, modelPath };
}

/**
 * Versions and abilities of the two programs, for `doctor`.
 * @throws ClipctlError `service` when a program cannot be started.
 */
export async function describeTools(
  tools: MediaTools,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ToolsDescription> {
  const ask = (path: string, what: string) =>
    runForOutput(path, ['-hide_banner', what], { timeoutMs: 20_000, ...(signal ? { signal } : {}) });
  const [version, probeVersion, encoders, filters] = await Promise.all([
    runForOutput(tools.ffmpegPath, ['-version'], { timeoutMs: 20_000 }),
    runForOutput(tools.ffprobePath, ['-version'], { timeoutMs: 20_000 }),
    ask(tools.ffmpegPath, '-encoders'),
    ask(tools.ffmpegPath, '-filters'),
  ]);
  const has = (list: string, name: string) =>
    list.split('\n').some((line) => line.trim().split(/\s+/)[1] === name);
  return {
    ...tools,
    ffmpegVersion: versionWord(version),
    ffprobeVersion: versionWord(probeVersion),
    hasLibass: has(filters, 'ass'),
    missingEncoders: NEEDED_ENCODERS.filter((name) => !has(encoders, name)),
    missingFilters: NEEDED_FILTERS.filter((name) => !has(filters, name)),
  };
}

function versionWord(text: string): string {
  return /version (\S+)/.exec(text)?.[1] ?? 'unknown';
}

function findTool(name: ToolName, env: Env): string {
  const named = env[ENV_NAMES[name]];
  if (named !== undefined && named !== '') return namedTool(name, named, env);
  const path = findOnPath(name, env) ?? fromInstaller(name);
  if (path !== undefined) return path;
  throw new ClipctlError('service', `${name} was not found`, {
    reason: 'the local service needs ffmpeg and ffprobe to read videos and make clips',
    hint: HINT,
  });
}

function namedTool(name: ToolName, named: string, env: Env): string {
  const path = resolve(named.includes('/') || isAbsolute(named) ? named : (findOnPath(named, env) ?? named));
  if (isFile(path) && makeRunnable(path)) return path;
  throw new ClipctlError('service', `${ENV_NAMES[name]} names no program that can be run: ${named}`, {
    reason: isFile(path) ? 'the file is there, but may not be run' : 'there is no such file',
    hint: `correct ${ENV_NAMES[name]}, or unset it; ${HINT}`,
  });
}

/** A program's path by the PATH of `env`; undefined when it is not there. */
export function findOnPath(name: string, env: Env): string | undefined {
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  const endings = process.platform === 'win32' ? ['.exe', ''] : [''];
  return folders
    .flatMap((folder) => endings.map((ending) => join(folder, name + ending)))
    .find((path) => isFile(path) && isRunnable(path));
}

/**
 * The binary inside `@ffmpeg-installer/<platform>`. Resolved by names made at run time: a bundler must leave them
 * alone, and the packages' own index.js throws strings and refuses a file without the run bit.
 */
function fromInstaller(name: ToolName): string | undefined {
  const scope = `@${name}-installer`;
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  try {
    const mainPackage = createRequire(import.meta.url).resolve(`${scope}/${name}/package.json`);
    const platformPackage = `${scope}/${process.platform}-${process.arch}/package.json`;
    const path = join(dirname(createRequire(mainPackage).resolve(platformPackage)), file);
    return isFile(path) && makeRunnable(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** npm has unpacked these packages without the run bit before; a file of ours may get it back. */
function makeRunnable(path: string): boolean {
  if (isRunnable(path)) return true;
  try {
    chmodSync(path, statSync(path).mode | 0o111);
    return isRunnable(path);
  } catch (error) {
    throw new ClipctlError('service', `${path} may not be run`, {
      reason: messageOf(error),
      hint: `run: chmod +x ${path}`,
      cause: error,
    });
  }
}
