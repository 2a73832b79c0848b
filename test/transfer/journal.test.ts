import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { entryName, listEntries, openJournal } from '../../src/transfer/journal.js';
import type { JournalEntry } from '../../src/transfer/journal-entry.js';
import { errorOf, temporaryFolder } from './helpers.js';

const accountKey = 'https://api.test#1234';
const realPath = '/videos/talk.mp4';
const DAY_MS = 86_400_000;

function entryOf(changes: Partial<JournalEntry> = {}): JournalEntry {
  const time = '2026-01-02T03:04:05.000Z';
  return {
    version: 1,
    accountKey,
    file: { realPath, sizeBytes: 9, mtimeNs: '1', headSha256: 'a', tailSha256: 'b' },
    uploadId: 'up_1',
    location: 'https://storage.test/s/secret',
    stage: 'started',
    acceptedBytes: 4,
    body: { uploadedVideoAttr: { title: 'Talk' } },
    createdAt: time,
    updatedAt: time,
    ...changes,
  };
}

async function setUp() {
  const stateDir = await temporaryFolder();
  const warnings: string[] = [];
  const open = (now = Date.now) =>
    openJournal({ stateDir, accountKey, now, warn: (text) => warnings.push(text) });
  const folder = join(stateDir, 'uploads');
  return { stateDir, folder, warnings, open, file: join(folder, `${entryName(accountKey, realPath)}.json`) };
}

test('an entry is found again, by this account only, and nobody else may read it', async () => {
  const { open, folder, file } = await setUp();
  const claim = await (await open()).claim(realPath);
  expect(claim.entry).toBeUndefined();
  await claim.save(entryOf());
  await claim.release();
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const again = await (await open()).claim(realPath);
  expect(again.entry).toEqual(entryOf());
  await again.remove();
  await again.release();
  expect(await readdir(folder)).toEqual([]);
  expect(entryName('other', realPath)).not.toBe(entryName(accountKey, realPath));
});

test('saves are done in the order they were asked for', async () => {
  const { open, folder, file } = await setUp();
  const claim = await (await open()).claim(realPath);
  const saves = [1, 2, 3, 4].map((acceptedBytes) => claim.save(entryOf({ acceptedBytes })));
  await Promise.all(saves);
  expect(JSON.parse(await readFile(file, 'utf8')).acceptedBytes).toBe(4);
  void claim.save(entryOf());
  void claim.remove();
  await claim.release();
  expect(await readdir(folder)).toEqual([]);
});

test.each(['', '{', '[]', 'null', '{"version":1}', JSON.stringify({ ...entryOf(), version: 2 })])(
  'an entry that reads %j is set aside and said',
  async (text) => {
    const { open, file, folder, warnings } = await setUp();
    await mkdir(folder, { recursive: true });
    await writeFile(file, text);
    const claim = await (await open()).claim(realPath);
    expect(claim.entry).toBeUndefined();
    await claim.save(entryOf());
    await claim.release();
    const aside = (await readdir(folder)).find((name) => name.includes('.damaged-'));
    expect(await readFile(join(folder, aside ?? ''), 'utf8')).toBe(text);
    expect(warnings).toEqual([expect.stringContaining(aside ?? 'no name')]);
  },
);

test('a state folder that cannot be written costs the resuming, not the upload', async () => {
  const stateDir = join(await temporaryFolder(), 'file');
  await writeFile(stateDir, '');
  const warnings: string[] = [];
  const journal = await openJournal({
    stateDir,
    accountKey,
    now: Date.now,
    warn: (text) => warnings.push(text),
  });
  for (const path of [realPath, '/videos/other.mp4']) {
    const claim = await journal.claim(path);
    expect(claim.isKept).toBe(false);
    await claim.save(entryOf());
    await claim.remove();
    await claim.release();
  }
  expect(warnings).toHaveLength(1);
});

test('one file has one uploader: the second is told who it is', async () => {
  const { open } = await setUp();
  const first = await (await open()).claim(realPath);
  const error = await errorOf((await open()).claim(realPath));
  expect(error).toMatchObject({
    kind: 'unfinished',
    details: { reason: expect.stringContaining(String(process.pid)) },
  });
  await first.release();
  await (await (await open()).claim(realPath)).release();
});

/** Leaves a lock as a process with this mark would. */
async function leaveLock(file: string, mark: Record<string, unknown>, ageMs = 0): Promise<void> {
  const lock = file.replace('.json', '.lock');
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(
    lock,
    JSON.stringify({ host: hostname(), started: '', namespace: await namespace(), ...mark }),
  );
  const time = new Date(Date.now() - ageMs);
  await utimes(lock, time, time);
}

async function namespace(): Promise<string> {
  const { readlink } = await import('node:fs/promises');
  return readlink('/proc/self/ns/pid').catch(() => '');
}

test('the lock of a process that is gone is taken over, also when its pid runs again', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const { open, file } = await setUp();
  await leaveLock(file, { pid: child.pid });
  expect(await errorOf((await open()).claim(realPath))).toMatchObject({ kind: 'unfinished' });
  await leaveLock(file, { pid: child.pid, started: 'another boot:1' });
  const isLinux = process.platform === 'linux';
  if (isLinux) await (await (await open()).claim(realPath)).release();
  await leaveLock(file, { pid: child.pid });
  child.kill('SIGKILL');
  await once(child, 'exit');
  await (await (await open()).claim(realPath)).release();
});

test('a process killed at any moment leaves no lock that keeps the next one out', async () => {
  const { open, file, folder } = await setUp();
  const script = join(folder, '../lock-loop.mjs');
  await build({
    stdin: {
      contents: `import { takeLock } from './file-lock.js';
        import { markOfThisProcess } from './process-mark.js';
        const mark = await markOfThisProcess();
        process.stdout.write('ready');
        for (;;) (await takeLock(process.argv[2], mark, Date.now)).lock?.release();`,
      resolveDir: join(import.meta.dirname, '../../src/transfer'),
    },
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  await (await (await open()).claim(realPath)).release(); // makes the folder
  for (let kill = 0; kill < 25; kill++) {
    const child = spawn(process.execPath, [script, file.replace('.json', '.lock')]);
    await once(child.stdout, 'data');
    await sleep(kill / 3);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await (await open()).claim(realPath)).release();
  }
});

test('a lock of another machine holds while it is touched', async () => {
  const { open, file } = await setUp();
  await leaveLock(file, { pid: 1, host: 'elsewhere' }, 30_000);
  expect(await errorOf((await open()).claim(realPath))).toMatchObject({ kind: 'unfinished' });
  await leaveLock(file, { pid: 1, host: 'elsewhere' }, 10 * 60_000);
  await (await (await open()).claim(realPath)).release();
});

test('of many that want an abandoned lock one gets it', async () => {
  const { open, file } = await setUp();
  await leaveLock(file, { pid: 2 ** 22 + 1 });
  const journals = await Promise.all(Array.from({ length: 12 }, () => open()));
  const claims = await Promise.allSettled(journals.map((journal) => journal.claim(realPath)));
  expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a process that lost its lock may not go on', async () => {
  const { open, file } = await setUp();
  const claim = await (await open()).claim(realPath);
  claim.assertOwned();
  await leaveLock(file, { pid: 1, host: 'elsewhere' });
  expect(() => claim.assertOwned()).toThrow(expect.objectContaining({ kind: 'unfinished' }));
  await claim.release();
  expect(await readFile(file.replace('.json', '.lock'), 'utf8')).toContain('elsewhere');
});

test('old records go when they can be of no use, and only then', async () => {
  const { open, folder, stateDir } = await setUp();
  await mkdir(folder, { recursive: true });
  const put = async (name: string, text: string, days: number) => {
    await writeFile(join(folder, name), text);
    const time = new Date(Date.now() - days * DAY_MS);
    await utimes(join(folder, name), time, time);
  };
  const text = (changes: Partial<JournalEntry>) => JSON.stringify(entryOf(changes));
  await put('started-old.json', text({}), 15);
  await put('started-new.json', text({}), 6);
  await put('creating-old.json', text({ stage: 'creating' }), 400);
  await put('uploaded-old.json', text({ stage: 'uploaded' }), 400);
  await put('created-old.json', text({ stage: 'created', project: { id: 'P1' } }), 31);
  await put('created-new.json', text({ stage: 'created', project: { id: 'P1' } }), 20);
  await put('damaged.json', '{', 400);
  await put('.x.json.abc.tmp', '{', 2);
  await open();
  expect((await readdir(folder)).sort()).toEqual([
    'created-new.json',
    'creating-old.json',
    'damaged.json',
    'started-new.json',
    'uploaded-old.json',
  ]);
  const { uploads, damaged } = await listEntries(stateDir, Date.now());
  expect(uploads).toHaveLength(4);
  expect(damaged).toEqual([join(folder, 'damaged.json')]);
});
