import { closeSync, fsync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder, TEMPORARY_SUFFIX } from '../write-whole.js';

const syncFd = promisify(fsync);

interface Job {
  path: string;
  text: string;
  temporary: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Writes small files of one folder whole and durably, as writeWhole does, and those that are wanted at the same time
 * together: the disk's journal is committed once for all of them. Uploading a thousand small files waits for little
 * else. Only the syncs wait in another thread; the rest of a small file costs less than being handed to one.
 */
export function createBatchWriter(folder: string): (path: string, text: string) => Promise<void> {
  let waiting: Job[] = [];
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      const jobs = waiting;
      waiting = [];
      await writeTogether(folder, jobs);
    }
    isRunning = false;
  };
  return (path, text) =>
    new Promise((resolve, reject) => {
      const temporary = join(
        folder,
        `.${basename(path)}.${Math.random().toString(36).slice(2)}${TEMPORARY_SUFFIX}`,
      );
      waiting.push({ path, text, temporary, resolve, reject });
      // Not at once: others of this moment come along.
      if (!isRunning) setImmediate(() => !isRunning && void run());
    });
}

async function writeTogether(folder: string, jobs: readonly Job[]): Promise<void> {
  const results = await Promise.allSettled(jobs.map(writeTemporary));
  const renamed: Job[] = [];
  for (const [at, job] of jobs.entries()) {
    const result = results[at];
    try {
      if (result?.status === 'rejected') throw result.reason;
      renameSync(job.temporary, job.path);
      renamed.push(job);
    } catch (error) {
      rmSync(job.temporary, { force: true });
      job.reject(error);
    }
  }
  await syncFolder(folder);
  for (const { resolve } of renamed) resolve();
}

async function writeTemporary({ temporary, text }: Job): Promise<void> {
  const fd = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(fd, text);
    await syncFd(fd);
  } finally {
    closeSync(fd);
  }
}
