import { errorCode } from '../errors.js';
import { failureOf } from './media/run-ffmpeg.js';

/** What a person is told when the data directory has no room left. */
export const DISK_FULL = 'the disk of the data directory is full';

/** SQLite's own number for it. */
const SQLITE_FULL = 13;

/** Whether the system, the store or a program we ran said that there is no room left. */
export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL') return true;
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && error.errcode === SQLITE_FULL) return true;
  // Programs have no exit code for it, only the system's words somewhere in what they print.
  const { reason } = ('details' in error ? error.details : {}) as { reason?: unknown };
  const words = failureOf(error)?.stderrTail ?? reason;
  return typeof words === 'string' && /no space left on device|disk quota exceeded/i.test(words);
}
