// Runs programs and says what they cost.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const MIB = 1024 * 1024;
export const GIB = 1024 * MIB;
const ROOT = join(import.meta.dirname, '../..');
export const PROGRAM = join(ROOT, 'bin/clipctl.js');
const FIXTURES = join(ROOT, 'test/transfer/fixtures');
export const KEY = join(FIXTURES, 'storage-key.pem');
export const CERT = join(FIXTURES, 'storage-cert.pem');

/** A folder for the files of a bench, removed after it. */
export async function withFolder(use) {
  const folder = await mkdtemp(join(tmpdir(), 'clipctl-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The sink in its own process; its origin is given to `use`. */
export async function withSink(args, use) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'sink.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  try {
    const [origin] = await once(createInterface({ input: child.stdout }), 'line');
    return await use(origin);
  } finally {
    child.kill();
    await closed;
  }
}

/** A file of bytes that do not repeat, written once and then in the cache of the system. */
export async function makeFile(path, sizeBytes) {
  const random = createReadStream('/dev/urandom', { end: 64 * MIB - 1, highWaterMark: MIB });
  const blocks = [];
  for await (const block of random) blocks.push(block);
  const handle = await open(path, 'w');
  for (let at = 0, turn = 0; at < sizeBytes; at += blocks[0].length, turn++) {
    const block = blocks[turn % blocks.length];
    block.writeDoubleLE(turn, 0);
    await handle.write(block, 0, Math.min(block.length, sizeBytes - at));
  }
  await handle.close();
  return path;
}

/** A file that takes no room on the disk. */
export async function makeSparseFile(path, sizeBytes) {
  const handle = await open(path, 'w');
  await handle.truncate(sizeBytes);
  await handle.close();
  return path;
}

/**
 * Runs a program to its end. Wall and CPU time of the whole process in seconds, as the shell's `time` tells them; for
 * node programs also the peak of their memory in MiB. Throws when it fails.
 */
export async function measure(command, args, env = {}) {
  const usageFile = join(
    tmpdir(),
    `clipctl-bench-usage-${process.pid}-${Math.random().toString(36).slice(2)}`,
  );
  const isNode = command === process.execPath;
  const nodeArgs = isNode ? ['--import', join(import.meta.dirname, 'tell-usage.mjs')] : [];
  const script = 'TIMEFORMAT="bench %R %U %S"; time "$@"';
  const child = spawn('bash', ['-c', script, 'bench', command, ...nodeArgs, ...args], {
    env: { PATH: process.env.PATH, CI: '1', BENCH_USAGE_FILE: usageFile, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  }
  const [code] = await once(child, 'close');
  const times = /bench ([\d.]+) ([\d.]+) ([\d.]+)\s*$/.exec(output.stderr);
  if (code !== 0 || !times) throw new Error(`${command} ${args.join(' ')}: exit ${code}\n${output.stderr}`);
  const usage = isNode ? JSON.parse(await readFile(usageFile, 'utf8')) : { maxRSS: Number.NaN };
  await rm(usageFile, { force: true });
  return {
    wallSec: Number(times[1]),
    cpuSec: Number(times[2]) + Number(times[3]),
    peakMib: usage.maxRSS / 1024,
    ...output,
  };
}

/** The environment of an upload to a sink: nothing of this machine's settings. */
export function uploadEnv(folder, origin) {
  return {
    HOME: folder,
    CLIPCTL_CONFIG_DIR: join(folder, 'config'),
    CLIPCTL_STATE_DIR: join(folder, 'state'),
    CLIPCTL_BASE_URL: origin,
    CLIPCTL_API_KEY: 'bench-key',
    NODE_EXTRA_CA_CERTS: CERT,
  };
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Runs both in turn, so that whatever else the machine does meets both, and gives medians. */
export async function inTurn(rounds, first, second) {
  const results = { first: [], second: [] };
  for (let round = 0; round < rounds; round++) {
    results.first.push(await first());
    results.second.push(await second());
  }
  const of = (list, key) => median(list.map((entry) => entry[key]));
  const ratio = (key) => of(results.first, key) / of(results.second, key);
  return { ...results, ratio, medianOf: of };
}
