// The figures of uploads. `npm run bench -- upload`. Wall and CPU are of whole processes, start-up included.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CERT,
  GIB,
  inTurn,
  KEY,
  MIB,
  makeFile,
  makeSparseFile,
  measure,
  median,
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
    await kills(folder);
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
    const bare = [];
    const script = join(import.meta.dirname, 'bare-tls.mjs');
    const { ratio, medianOf, first, second } = await inTurn(
      ROUNDS,
      () => upload(folder, origin, file),
      async () => {
        bare.push(
          await measure(process.execPath, [script, `${origin}/curl`, file], uploadEnv(folder, origin)),
        );
        return curl(origin, file);
      },
    );
    const seconds = `${medianOf(first, 'wallSec').toFixed(2)} s / ${medianOf(second, 'wallSec').toFixed(2)} s`;
    row('2 GiB over TLS, wall against `curl -T`', `${ratio('wallSec').toFixed(2)} (${seconds})`, '≤ 1.1');
    const bareSec = median(bare.map(({ wallSec }) => wallSec));
    row(
      'a bare node:https and a piped stream against `curl -T`, nothing else done',
      `${(bareSec / medianOf(second, 'wallSec')).toFixed(2)} (${bareSec.toFixed(2)} s)`,
      'the limit',
    );
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

/** Ten kills of a 1 GiB upload, at a pace that lets them hit, the same command after each. */
async function kills(folder) {
  const file = join(folder, 'one.mp4');
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: MIB })) hash.update(chunk);
  await withSink(['hash=1'], async (origin) => {
    const stats = async () => (await fetch(`${origin}/stats`)).json();
    const env = { PATH: process.env.PATH, CI: '1', ...uploadEnv(join(folder, 'kills'), origin) };
    const args = [PROGRAM, 'upload', '--progress', 'none', '--limit-rate', '256MiB', file];
    for (let kill = 1; kill <= 10; kill++) {
      const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
      const ended = once(child, 'close');
      while ((await stats()).receivedBytes < (kill * GIB) / 11) await sleep(5);
      child.kill('SIGKILL');
      await ended;
    }
    await measure(process.execPath, args, env);
    const { receivedBytes, projects, files } = await stats();
    const isRight = projects === 1 && files.length === 1 && files[0] === hash.digest('hex');
    const twice = (receivedBytes - GIB) / 10 / MIB;
    const what = isRight ? 'one right file, one project' : 'WRONG';
    row(
      'kill -9 at ten points of 1 GiB',
      `${what}, ${twice.toFixed(1)} MiB sent twice a kill`,
      'one, one, < 8 MiB',
    );
  });
}

async function smallFiles(folder) {
  const small = join(folder, 'small');
  await mkdir(small);
  const files = Array.from({ length: 1000 }, (_, at) => join(small, `${at}.mp4`));
  for (const [at, file] of files.entries()) await writeFile(file, Buffer.alloc(1024, at));
  await withSink([], async (origin) => {
    const records = [];
    let round = 0;
    const loop = async () => {
      const script = join(import.meta.dirname, 'bare-journal.mjs');
      records.push(await measure(process.execPath, [script, join(folder, `records${round++}`), '8', '1000']));
      return measure(process.execPath, [join(import.meta.dirname, 'bare-loop.mjs'), origin, '8', ...files]);
    };
    const { ratio, medianOf, first, second } = await inTurn(
      ROUNDS,
      () => upload(folder, origin, '--concurrency', '8', ...files),
      loop,
    );
    const [ours, bare] = [medianOf(first, 'wallSec'), medianOf(second, 'wallSec')];
    const recordsSec = median(records.map(({ wallSec }) => wallSec));
    row(
      '1,000 files of 1 KiB, 8 at a time, wall against a bare undici loop',
      `${ratio('wallSec').toFixed(2)} (${ours.toFixed(2)} s / ${bare.toFixed(2)} s)`,
      '≤ 1.5',
    );
    row(
      'the same against that loop and the 1,000 durable records, nothing else done',
      `${(ours / (bare + recordsSec)).toFixed(2)} (${ours.toFixed(2)} s / ${(bare + recordsSec).toFixed(2)} s)`,
      'the limit',
    );
  });
}
