import { createHash, randomFillSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export const MIB = 1024 * 1024;

/** A folder that goes with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clipctl-transfer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** Bytes that never repeat, so that no shift or mixture of them has the same digest. */
export function randomBytes(sizeBytes: number): Buffer {
  return randomFillSync(Buffer.allocUnsafe(sizeBytes));
}

export async function randomFile(path: string, sizeBytes: number): Promise<{ path: string; sha256: string }> {
  const bytes = randomBytes(sizeBytes);
  await writeFile(path, bytes);
  return { path, sha256: sha256(bytes) };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The error a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
