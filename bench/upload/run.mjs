// The figures of uploads. `npm run bench -- upload`. Wall and CPU are of whole processes, start-up included.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CERT,
  GIB,
  inTurn,
  KEY,
  makeFile,
  makeSparseFile,
  measure,
  PROGRAM,
  uploadEnv,
  withFolder,
  withSink,
} from './measure.mjs';

const ROUNDS = 5;
const row = (what, value, target) => console.log(`| ${what} | ${value} | ${target} |`);

export async function run() {
  console.log('| what | measured | target |\n|---|---|---|');
  await withFolder(async (folder) => {
    const file = await makeFile(join(folder, 'two.mp4'), 2 * GIB);
    await againstCurl(folder, file);
    await againstCurlTls(folder, file);
    await memory(folder, file);
    await resets(folder);
    await smallFiles(folder);
  });
}

const upload = (folder, origin, ...args) =>
  measure(process.execPath, [PROGRAM, 'upload', '--progress', 'none', ...args], uploadEnv(folder, origin));
// Without `Expect:` curl waits a second for leave to send, which a sink does not give.
const curl = (origin, file) =>
  measure('curl', ['-sS', '-H', 'Expect:', '-T', file, `${origin}/curl`, '--cacert', CERT]);

async function againstCurl(folder, file) {
  await withSink([], async (origin) => {
    const { ratio, medianOf, first, second } = await inTurn(
      ROUNDS,
      () => upload(folder, origin, file),
      () => curl(origin, file),
    );
    const seconds = `${medianOf(first, 'wallSec').toFixed(2)} s / ${medianOf(second, 'wallSec').toFixed(2)} s`;
    row('2 GiB, wall against `curl -T`', `${ratio('wallSec').toFixed(2)} (${seconds})`, '≤ 1.25');
    row('the same, CPU', ratio('cpuSec').toFixed(2), '≤ 1.6');
  });
}

async function againstCurlTls(folder, file) {
  await withSink([`tls=${KEY},${CERT}`], async (origin) => {
    const { ratio, medianOf, first, second } = await inTurn(
      3,
      () => upload(folder, origin, file),
      () => curl(origin, file),
    );
    const seconds = `${medianOf(first, 'wallSec').toFixed(2)} s / ${medianOf(second, 'wallSec').toFixed(2)} s`;
    row('2 GiB over TLS, wall against `curl -T`', `${ratio('wallSec').toFixed(2)} (${seconds})`, '≤ 1.1');
  });
}

async function memory(folder, file) {
  await withSink([], async (origin) => {
    const sparse = await makeSparseFile(join(folder, 'twelve.mp4'), 12 * GIB);
    const two = await upload(folder, origin, file);
    const twelve = await upload(folder, origin, sparse);
    const text = `${two.peakMib.toFixed(0)} and ${twelve.peakMib.toFixed(0)} MiB`;
    row('peak memory, 2 GiB and 12 GiB (sparse)', text, '≤ 80 MiB, the same');
  });
}

async function resets(folder) {
  const file = await makeFile(join(folder, 'one.mp4'), GIB);
  const args = ['upload', '--progress', 'json', file];
  const { stderr } = await withSink([`resets=10,${GIB}`], (origin) =>
    measure(process.execPath, [PROGRAM, ...args], uploadEnv(folder, origin)),
  );
  const events = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const done = events.find(({ type }) => type === 'done');
  const cuts = events.filter(({ type }) => type === 'retry').length;
  row(`bytes sent ÷ size, 1 GiB with ${cuts} random resets`, (done.sentBytes / GIB).toFixed(3), '≤ 1.05');
}

async function smallFiles(folder) {
  const small = join(folder, 'small');
  await mkdir(small);
  const files = Array.from({ length: 1000 }, (_, at) => join(small, `${at}.mp4`));
  for (const [at, file] of files.entries()) await writeFile(file, Buffer.alloc(1024, at));
  await withSink([], async (origin) => {
    const { ratio, medianOf, first, second } = await inTurn(
      ROUNDS,
      () => upload(folder, origin, '--concurrency', '8', ...files),
      () => measure(process.execPath, [join(import.meta.dirname, 'bare-loop.mjs'), origin, '8', ...files]),
    );
    const seconds = `${medianOf(first, 'wallSec').toFixed(2)} s / ${medianOf(second, 'wallSec').toFixed(2)} s`;
    row(
      '1,000 files of 1 KiB, 8 at a time, wall against a bare undici loop',
      `${ratio('wallSec').toFixed(2)} (${seconds})`,
      '≤ 1.5',
    );
  });
}
