import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  read,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, extname } from 'node:path';
import { promisify } from 'node:util';
import { ClipctlError, errorCode, messageOf, usageError } from '../errors.js';

const readFd = promisify(read);

const EDGE_BYTES = 1024 * 1024;

/** What a file is, so that bytes of one are never sent as a continuation of another. */
export interface FileIdentity {
  realPath: string;
  sizeBytes: number;
  /** Nanoseconds since the epoch, as decimal text: they do not fit a number. */
  mtimeNs: string;
  /** SHA-256 of the first MiB, and of the last one, in hex. */
  headSha256: string;
  tailSha256: string;
}

/** A file that passed the checks before any request. */
export interface CheckedFile {
  /** As the person named it. */
  path: string;
  realPath: string;
  sizeBytes: number;
}

/** A file opened for sending: read through `fd` only, so that a replaced file cannot mix in. */
export interface SourceFile {
  path: string;
  fd: number;
  identity: FileIdentity;
}

/** The name without its extension: the title a project gets unless told otherwise. */
export function titleOf(path: string): string {
  return basename(path, extname(path));
}

/** Checks that there is something to upload. Throws a usage error with its fix (exit 2). */
export async function checkLocalFile(path: string): Promise<CheckedFile> {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) {
      throw usageError(`${path} is a folder`, {
        hint: 'name the files in it, or give --recursive to take them all',
      });
    }
    if (!stats.isFile())
      throw usageError(`${path} is not a regular file`, { hint: 'copy it to a file first' });
    if (stats.size === 0) {
      throw usageError(`${path} is empty`, { hint: 'check that whatever made the file has finished' });
    }
    accessSync(path, constants.R_OK);
    return { path, realPath: realpathSync.native(path), sizeBytes: stats.size };
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Opens a file and takes its identity. The caller closes it with closeSource. */
export async function openSource(path: string): Promise<SourceFile> {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const stats = fstatSync(fd, { bigint: true });
    const sizeBytes = Number(stats.size);
    const head = await digestAt(fd, 0, Math.min(EDGE_BYTES, sizeBytes));
    const tail = sizeBytes <= EDGE_BYTES ? head : await digestAt(fd, sizeBytes - EDGE_BYTES, EDGE_BYTES);
    const identity: FileIdentity = {
      realPath: realpathSync.native(path),
      sizeBytes,
      mtimeNs: stats.mtimeNs.toString(),
      headSha256: head,
      tailSha256: tail,
    };
    return { path, fd, identity };
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    throw unreadable(path, error);
  }
}

/**
 * Throws an `unfinished` error when the opened file is not any more what it was: the storage would have a mixture.
 * Cheap enough to be asked before the last bytes go out and again after the answer.
 */
export function assertUnchanged({ path, fd, identity }: SourceFile): void {
  const stats = fstatSync(fd, { bigint: true });
  if (Number(stats.size) === identity.sizeBytes && stats.mtimeNs.toString() === identity.mtimeNs) return;
  const isResized = Number(stats.size) !== identity.sizeBytes;
  throw changedError(
    path,
    isResized ? `it had ${identity.sizeBytes} bytes, now ${stats.size}` : 'it was written to',
  );
}

/** The file changed while it was read (exit 9). What the storage has of it must not be used. */
export class FileChangedError extends ClipctlError {}

export function changedError(path: string, reason: string): FileChangedError {
  return new FileChangedError('unfinished', `${path} changed while it was uploaded`, {
    reason: `${reason}; what the storage has is a mixture, so it is not used`,
    hint: 'wait until the file is complete, then run the same command again: it starts afresh',
  });
}

export function sameFile(a: FileIdentity, b: FileIdentity): boolean {
  return (
    a.realPath === b.realPath &&
    a.sizeBytes === b.sizeBytes &&
    a.mtimeNs === b.mtimeNs &&
    a.headSha256 === b.headSha256 &&
    a.tailSha256 === b.tailSha256
  );
}

export function closeSource({ fd }: SourceFile): void {
  closeSync(fd);
}

/** Up to here a read costs less than handing it to another thread. */
const SMALL_READ_BYTES = 64 * 1024;

/**
 * Fills `buffer` from `position` of the file up to `length` bytes, whatever short reads happen on the way.
 * Returns the bytes read: fewer than `length` only at the end of the file.
 */
export async function readFully(
  fd: number,
  buffer: Uint8Array,
  length: number,
  position: number,
): Promise<number> {
  let filled = 0;
  while (filled < length) {
    const bytesRead =
      length <= SMALL_READ_BYTES
        ? readSync(fd, buffer, filled, length - filled, position + filled)
        : (await readFd(fd, buffer, filled, length - filled, position + filled)).bytesRead;
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

async function digestAt(fd: number, position: number, length: number): Promise<string> {
  const buffer = Buffer.allocUnsafe(length);
  const filled = await readFully(fd, buffer, length, position);
  return createHash('sha256').update(buffer.subarray(0, filled)).digest('hex');
}

function unreadable(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return usageError(`${path} does not exist`, { hint: 'check the name and the folder', cause: error });
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return usageError(`${path} may not be read`, {
      reason: messageOf(error),
      hint: `give yourself the right to read it: chmod u+r '${path}'`,
      cause: error,
    });
  }
  if (code === undefined) return error;
  return usageError(`${path} cannot be read`, {
    reason: messageOf(error),
    hint: 'check the name, the disk and the links on the way',
    cause: error,
  });
}
