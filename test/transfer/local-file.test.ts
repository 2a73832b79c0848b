import { appendFile, chmod, mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ClipctlError } from '../../src/errors.js';
import { expandInputs } from '../../src/transfer/expand-inputs.js';
import {
  assertUnchanged,
  checkLocalFile,
  closeSource,
  openSource,
  sameFile,
} from '../../src/transfer/local-file.js';
import { errorOf, MIB, randomFile, temporaryFolder } from './helpers.js';

async function problemOf(path: string): Promise<ClipctlError> {
  const error = await errorOf(checkLocalFile(path));
  if (!(error instanceof ClipctlError)) throw error;
  expect(error.kind).toBe('usage');
  expect(error.details.hint).toBeTruthy();
  return error;
}

test('a path with nothing to upload is a usage error with a fix', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'empty.mp4'), '');
  await symlink('nowhere', join(folder, 'broken.mp4'));
  expect((await problemOf(join(folder, 'no.mp4'))).message).toMatch(/does not exist/);
  expect((await problemOf(join(folder, 'broken.mp4'))).message).toMatch(/does not exist/);
  expect((await problemOf(join(folder, 'empty.mp4/x'))).message).toMatch(/does not exist/);
  expect((await problemOf(join(folder, 'empty.mp4'))).message).toMatch(/is empty/);
  expect((await problemOf(folder)).message).toMatch(/is a folder/);
  expect((await problemOf('/dev/null')).message).toMatch(/not a regular file/);
});

test('a file that may not be read is a usage error with a fix', async () => {
  const { path } = await randomFile(join(await temporaryFolder(), 'a.mp4'), 10);
  await chmod(path, 0);
  const isRoot = process.geteuid?.() === 0; // root may read everything
  if (isRoot) process.seteuid?.(65534);
  try {
    expect((await problemOf(path)).details.hint).toMatch(/chmod/);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test('an identity sees every change of size, time, beginning and end', async () => {
  const folder = await temporaryFolder();
  const { path } = await randomFile(join(folder, 'a.mp4'), 3 * MIB);
  const source = await openSource(path);
  const { identity } = source;
  expect(identity).toMatchObject({ sizeBytes: 3 * MIB });
  expect(identity.headSha256).not.toBe(identity.tailSha256);
  assertUnchanged(source);
  for (const change of [
    { sizeBytes: 1 },
    { mtimeNs: '1' },
    { headSha256: 'x' },
    { tailSha256: 'x' },
    { realPath: '/x' },
  ]) {
    expect(sameFile(identity, { ...identity, ...change })).toBe(false);
  }
  await utimes(path, 1, 1);
  expect(() => assertUnchanged(source)).toThrow(expect.objectContaining({ kind: 'unfinished' }));
  await appendFile(path, 'more');
  expect(() => assertUnchanged(source)).toThrow(expect.objectContaining({ kind: 'unfinished' }));
  closeSource(source);
});

test('folders stand for the videos in them, patterns for what they match', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'b/c'), { recursive: true });
  await mkdir(join(folder, 'none'));
  for (const name of ['a.mp4', 'notes.txt', 'b/.hidden.mp4', 'b/z.MOV', 'b/c/k.webm', 'odd[1].mp4']) {
    await writeFile(join(folder, name), 'x');
  }
  const inFolder = (...names: string[]) => names.map((name) => join(folder, name));
  expect(await expandInputs([folder], { recursive: true })).toEqual(
    inFolder('a.mp4', 'b/c/k.webm', 'b/z.MOV', 'odd[1].mp4'),
  );
  expect(await expandInputs([folder], { recursive: false })).toEqual([folder]);
  expect(await expandInputs([join(folder, '**/*.{webm,MOV}')], { recursive: false })).toEqual(
    inFolder('b/c/k.webm', 'b/z.MOV'),
  );
  const literal = join(folder, 'odd[1].mp4');
  expect(await expandInputs([literal], { recursive: false })).toEqual([literal]);
  expect(await errorOf(expandInputs([join(folder, '*.avi')], { recursive: false }))).toMatchObject({
    kind: 'usage',
  });
  expect(await errorOf(expandInputs([join(folder, 'none')], { recursive: true }))).toMatchObject({
    kind: 'usage',
  });
});
