// The figures of the local service. `npm run bench -- service`. Service and bare loop are processes of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';

const PROGRAM = join(import.meta.dirname, '../../bin/clipctl.js');
const MIB = 1024 * 1024;
const CONNECTIONS = 8;
const ROUND_MS = 1500;
const ROUNDS = 5;
const MANY = 10_000;
const COLLECTIONS = 50;
const KEY = 'bench-key-0123456789';

const row = (what, measured, ratio, target) =>
  console.log(`| ${what} | ${measured} | ${ratio} | ${target} |`);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export async function run() {
  console.log('| what | measured | ratio | target |\n|---|---|---|---|');
  const folder = await mkdtemp(join(tmpdir(), 'clipctl-bench-'));
  try {
    const small = join(folder, 'small');
    const large = join(folder, 'large');
    await seed(small, 10);
    await seed(large, MANY);
    await withService(large, (service) => requests(folder, service));
    await uploads(join(folder, 'uploads'));
    await withService(small, (few) => withService(large, (many) => sizes(few, many)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A program that prints its address when it listens. */
async function start(args, env = process.env) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const line = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), closed]);
  if (typeof line[0] !== 'string') throw new Error(`${args.join(' ')} ended: ${said}`);
  const stop = async () => {
    child.kill('SIGTERM');
    await closed;
  };
  return { url: line[0], pid: child.pid, said: () => said, stop };
}

async function withService(dataDir, use) {
  const env = { ...process.env, CLIPCTL_API_KEY: KEY, CLIPCTL_CONFIG_DIR: `${dataDir}.config` };
  const service = await start([PROGRAM, 'serve', '--port', '0', '--data-dir', dataDir], env);
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}

/** Projects that are complete, each with a clip, straight into the store of a fresh data directory; and collections. */
async function seed(dataDir, count) {
  await withService(dataDir, async () => undefined);
  const db = new Libsql(join(dataDir, 'store.db'));
  const project = db.prepare(
    `INSERT INTO projects (project_id, stage, source_kind, source, title, preferences, visibility, notes, tries, stall_count,
       due_at, storage_bytes, created_at, updated_at) VALUES (?, 'COMPLETE', 'upload', 'U1', ?, ?, 'DEFAULT', '[]', 0, 0, ?, 1, ?, ?)`,
  );
  const preferences = JSON.stringify({ curationPref: { clipDurations: [[0, 30]], genre: 'Podcast' } });
  const at = (index) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
  const moment = {
    startSec: 0,
    endSec: 9,
    title: 'A',
    text: 'A b',
    score: 1,
    reason: 'r',
    features: {},
    keywords: [],
  };
  const clip = db.prepare(
    `INSERT INTO clips (clip_id, project_id, position, moment, version, notes, created_at, file, rendered_at, duration_ms)
     VALUES (?, ?, 0, ?, 1, '[]', ?, ?, ?, 9000)`,
  );
  db.exec('BEGIN');
  for (let index = 1; index <= count; index++) {
    const time = at(index);
    project.run(`P${index}`, `Talk ${index}`, preferences, time, time, time);
    clip.run(`C${index}`, `P${index}`, JSON.stringify(moment), time, `P${index}.C${index}.mp4`, time);
  }
  const collection = db.prepare(`INSERT INTO collections VALUES (?, 'bench', ?, ?)`);
  for (let index = 1; index <= COLLECTIONS; index++) collection.run(`L${index}`, at(0), at(0));
  db.exec('COMMIT');
  db.close();
}

function send(agent, url, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers }, (incoming) => {
      const chunks = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.once('error', reject);
      incoming.once('end', () =>
        resolve({
          status: incoming.statusCode,
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

const asJson = (value) => {
  const body = JSON.stringify(value);
  const headers = {
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return { method: 'POST', headers, body };
};
const withKey = { headers: { authorization: `Bearer ${KEY}` } };

/** Requests a second over kept connections; `next` gives the options of each. */
async function rate(url, next) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const until = performance.now() + ROUND_MS;
  let done = 0;
  const client = async () => {
    while (performance.now() < until) {
      const { status, text } = await send(agent, url, next());
      if (status !== 200) throw new Error(`${url}: ${status} ${text}`);
      done++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  agent.destroy();
  return (done * 1000) / ROUND_MS;
}

/** Requests that each add another clip: collection after collection is filled with all clips there are. */
function additions() {
  let count = 0;
  return () => {
    const clip = (count % MANY) + 1;
    const collectionId = `L${Math.floor(count++ / MANY) + 1}`;
    return asJson({ collectionId, contentId: `P${clip}.C${clip}` });
  };
}

async function requests(folder, service) {
  const { text } = await send(undefined, `${service.url}/api/clip-projects/P1`, withKey);
  const bare = await start([join(import.meta.dirname, 'bare-loop.mjs'), join(folder, 'bare.db'), text]);
  const cases = [
    { name: '`GET` project', path: '/api/clip-projects/P1', newRequests: () => () => withKey },
    { name: '`POST` collection-contents', path: '/api/collection-contents', newRequests: additions },
  ];
  for (const { name, path, newRequests } of cases) {
    const [oursNext, theirsNext] = [newRequests(), newRequests()];
    const ours = [];
    const theirs = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const pair = [await rate(service.url + path, oursNext), await rate(bare.url + path, theirsNext)];
      if (round === 0) continue; // both warm
      ours.push(pair[0]);
      theirs.push(pair[1]);
    }
    const measured = `${median(ours).toFixed(0)} / ${median(theirs).toFixed(0)} a second`;
    const ratio = median(ours.map((value, index) => value / theirs[index]));
    row(`${name} against bare node:http + SQLite`, measured, ratio.toFixed(2), '≥ 0.6');
  }
  await bare.stop();
}

/** Peak resident memory of a process so far, from the system; undefined where /proc is not there. */
async function peakMib(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const match = /^VmHWM:\s+(\d+) kB/m.exec(status);
  return match ? Number(match[1]) / 1024 : undefined;
}

const UPLOADS = 200;
const FEW_UPLOADS = 20;
const UPLOAD_BYTES = 5 * MIB;

async function uploads(dataDir) {
  const bytes = Buffer.alloc(UPLOAD_BYTES, 'clip');
  await withService(dataDir, async (service) => {
    const agent = new Agent({ keepAlive: true });
    const upload = async () => {
      const link = asJson({ video: { usecase: 'LocalUpload' } });
      const { url } = JSON.parse((await send(agent, `${service.url}/api/upload-links`, link)).text);
      const headers = { 'x-storage-resumable': 'start', 'content-length': 0 };
      const started = await send(agent, url, { method: 'POST', headers });
      const put = { method: 'PUT', headers: { 'content-length': UPLOAD_BYTES }, body: bytes };
      const { status } = await send(agent, started.headers.location, put);
      if (status !== 200) throw new Error(`an upload ended with ${status}`);
    };
    const uploadAll = async (atOnce) => {
      let left = UPLOADS;
      const uploader = async () => {
        while (left-- > 0) await upload();
      };
      await Promise.all(Array.from({ length: atOnce }, uploader));
      return peakMib(service.pid);
    };
    const few = await uploadAll(FEW_UPLOADS);
    const startedMs = performance.now();
    const all = await uploadAll(UPLOADS);
    const seconds = (performance.now() - startedMs) / 1000;
    agent.destroy();
    const speed = (UPLOADS * UPLOAD_BYTES) / MIB / seconds;
    row(`${UPLOADS} parallel uploads of 5 MiB`, `${seconds.toFixed(1)} s, ${speed.toFixed(0)} MiB/s`, '', '');
    if (few === undefined || all === undefined) return;
    row(
      `peak memory of the service during them, against ${FEW_UPLOADS} at a time`,
      `${all.toFixed(0)} / ${few.toFixed(0)} MiB`,
      (all / few).toFixed(2),
      'flat: ≤ 1.5',
    );
  });
}

async function sizes(few, many) {
  const paths = { 'list page': '/', 'project fetch': '/api/clip-projects/P5' };
  for (const [name, path] of Object.entries(paths)) {
    const times = [[], []];
    const openers = await Promise.all([few, many].map(openPages));
    for (let round = 0; round < 120; round++) {
      for (const [index, service] of [few, many].entries()) {
        const { agent, headers } = openers[index];
        const startedMs = performance.now();
        const { status } = await send(agent, service.url + path, {
          headers: { ...headers, ...withKey.headers },
        });
        if (status !== 200) throw new Error(`${path}: ${status}`);
        if (round >= 20) times[index].push(performance.now() - startedMs);
      }
    }
    for (const { agent } of openers) agent.destroy();
    const [small, large] = times.map(median);
    const measured = `${large.toFixed(2)} ms / ${small.toFixed(2)} ms`;
    row(`${name} with 10,000 projects against 10`, measured, (large / small).toFixed(2), '< 3');
  }
}

/** The cookie that the address on the service's stderr gives. */
async function openPages(service) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const find = () => /(http:\S+\?token=\S+)/.exec(service.said())?.[1];
  for (let tries = 0; !find() && tries < 50; tries++) await sleep(100); // it comes after the line on stdout
  const address = find();
  if (!address) throw new Error('the service did not tell the address of its pages');
  const { headers } = await send(agent, address);
  return { agent, headers: { cookie: String(headers['set-cookie'] ?? '').split(';')[0] } };
}
