import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { PlannedFault } from '../../src/service/faults.js';
import { MIB, randomFile, temporaryFolder } from './helpers.js';
import { runProgram, startProgram, startProxy } from './program.js';
import { CERT_PATH, startTlsService } from './tls-service.js';
import { digestOf, ScenarioWorld } from './upload-scenario.js';

/** Uploads by the built program, in processes of their own. */

async function start(faults: PlannedFault[], sizeBytes: number) {
  const world = await ScenarioWorld.start(faults, sizeBytes);
  onTestFinished(() => world.stop());
  return { world, env: envOf(world.folder, world.service.url, world.service.apiKey) };
}

function envOf(folder: string, url: string, key = 'test-key-1234'): Record<string, string> {
  return {
    HOME: folder,
    CLIPCTL_CONFIG_DIR: join(folder, 'config'),
    CLIPCTL_STATE_DIR: join(folder, 'state'),
    CLIPCTL_BASE_URL: url,
    CLIPCTL_API_KEY: key,
  };
}

const slow = (mibPerSec: number): PlannedFault => ({
  on: 'put',
  action: { type: 'slow', bytesPerSec: mibPerSec * MIB },
});

/** Bytes that the service's storage has of any upload. */
async function storedBytes(world: ScenarioWorld): Promise<number> {
  const folder = join(world.service.dataDir, 'uploads');
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function untilStored(world: ScenarioWorld, bytes: number): Promise<void> {
  while ((await storedBytes(world)) < bytes) await sleep(3);
}

/** A line to the service that counts what comes to it. */
async function startCountingLine(port: number): Promise<{ url: string; received(): number }> {
  let receivedBytes = 0;
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    client.on('data', (chunk) => {
      receivedBytes += chunk.length;
    });
    client.pipe(target).pipe(client);
    client.on('error', () => target.destroy());
    target.on('error', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    received: () => receivedBytes,
  };
}

test('killed at ten points and run again each time: one correct file, one project, few bytes sent twice', async () => {
  const kills = 10;
  const sizeBytes = 60 * MIB;
  const { world, env } = await start(
    Array.from({ length: kills }, () => slow(30)),
    sizeBytes,
  );
  const line = await startCountingLine(world.service.port);
  const command = ['upload', world.path, '--progress', 'none'];
  for (let kill = 1; kill <= kills; kill++) {
    const program = startProgram(command, { ...env, CLIPCTL_BASE_URL: line.url });
    await untilStored(world, (kill * sizeBytes) / (kills + 3)); // never so near the end that it ends by itself
    program.child.kill('SIGKILL');
    expect(await program.exit).toBeNull();
  }
  const last = await runProgram(command, { ...env, CLIPCTL_BASE_URL: line.url });
  expect(last.exit, last.stderr).toBe(0);
  expect(last.stdout).toMatch(/^\S+\n$/);
  expect(await world.storedDigests()).toEqual([await digestOf(world.path)]);
  expect(await world.projectCount()).toBe(1);
  expect(line.received() - sizeBytes).toBeLessThan(kills * 8 * MIB);
  expect(await readdir(join(world.stateDir, 'uploads'))).toEqual([]);
});

test('killed while the project is asked for: never a second project, and it is said what to do', async () => {
  const { world, env } = await start([{ on: 'create', action: { type: 'stall' } }], MIB);
  const command = ['upload', world.path, '--progress', 'none'];
  const program = startProgram(command, env);
  while (world.service.faultsLeft().length > 0) await sleep(5);
  program.child.kill('SIGKILL');
  await program.exit;
  const again = await runProgram(command, env);
  expect(again.exit, again.stderr).toBe(10);
  expect(again.stderr).toContain('--upload-id');
  expect(await world.projectCount()).toBe(0);
});

test('two processes on one file: the second says who has it, the first is not disturbed', async () => {
  const { world, env } = await start([slow(20)], 20 * MIB);
  const first = startProgram(['upload', world.path, '--progress', 'none'], env);
  await untilStored(world, MIB);
  const second = await runProgram(['upload', world.path], env);
  expect(second.exit).toBe(9);
  expect(second.stderr).toContain(String(first.child.pid));
  expect(await first.exit, first.stderr).toBe(0);
  expect(await world.storedDigests()).toEqual([await digestOf(world.path)]);
  expect(await world.projectCount()).toBe(1);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s stops cleanly, keeps the upload and says how to go on', async (signal, exit) => {
  const { world, env } = await start([slow(20)], 20 * MIB);
  const program = startProgram(['upload', world.path], env);
  await untilStored(world, 6 * MIB);
  program.child.kill(signal);
  expect(await program.exit).toBe(exit);
  expect(program.stderr).toContain('clipctl uploads resume');
  expect(program.stdout).toBe('');
  const again = await runProgram(['upload', world.path, '--json'], env);
  expect(again.exit, again.stderr).toBe(0);
  expect(again.stderr).toMatch(/resuming at .* of 20/);
  expect(JSON.parse(again.stdout)).toMatchObject({ resumed: true, file: { size: 20 * MIB } });
  expect(await world.storedDigests()).toEqual([await digestOf(world.path)]);
});

test('progress as JSON: one versioned event a line, from start to done', async () => {
  const { world, env } = await start(
    [slow(40), { on: 'put', action: { type: 'reset', afterBytes: MIB } }],
    16 * MIB,
  );
  const { exit, stderr } = await runProgram(['upload', world.path, '--progress', 'json', '--no-create'], env);
  expect(exit, stderr).toBe(0);
  const events = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  expect(events[0]).toMatchObject({ v: 1, type: 'start', totalBytes: 16 * MIB });
  expect(events.filter(({ type }) => type === 'progress').length).toBeGreaterThan(1);
  expect(events.at(-1)).toMatchObject({ v: 1, type: 'done' });
});

test('TLS: an authority that is named is trusted, a slow and broken line included; another one is not', async () => {
  const folder = await temporaryFolder();
  const service = await startTlsService({ pauseMs: 1 });
  const { path, sha256 } = await randomFile(join(folder, 'talk.mp4'), 9 * MIB + 5);
  service.cutAfterBytes = 4 * MIB + 1;
  const env = envOf(folder, service.url);
  const untrusted = await runProgram(['upload', path, '--retries', '0'], env);
  expect(untrusted.exit).toBe(8);
  expect(untrusted.stderr).toContain('NODE_EXTRA_CA_CERTS');
  expect(service.seen).toEqual([]);
  const trusted = await runProgram(['upload', path], { ...env, NODE_EXTRA_CA_CERTS: CERT_PATH });
  expect(trusted.exit, trusted.stderr).toBe(0);
  expect(trusted.stdout).toBe('P1\n');
  expect(service.sha256).toBe(sha256);
  expect(service.seen).toEqual([
    'POST /api/upload-links',
    'POST /link',
    'PUT /session',
    `PUT /session bytes */${9 * MIB + 5}`,
    `PUT /session bytes ${4 * MIB + 1}-${9 * MIB + 4}/${9 * MIB + 5}`,
    'POST /api/clip-projects',
  ]);
});

test('HTTPS_PROXY is for the upload too, and NO_PROXY takes it back', async () => {
  const folder = await temporaryFolder();
  const service = await startTlsService();
  const proxy = await startProxy();
  const { path, sha256 } = await randomFile(join(folder, 'talk.mp4'), 9 * MIB + 5);
  service.cutAfterBytes = 2 * MIB;
  const env = { ...envOf(folder, service.url), NODE_EXTRA_CA_CERTS: CERT_PATH, HTTPS_PROXY: proxy.url };
  const through = await runProgram(['upload', path], env);
  expect(through.exit, through.stderr).toBe(0);
  expect(service.sha256).toBe(sha256);
  expect(new Set(proxy.requests)).toEqual(new Set([`CONNECT 127.0.0.1:${service.port}`]));
  expect(proxy.requests.length).toBeGreaterThan(1);
  proxy.requests.length = 0;
  const around = await startTlsService();
  const direct = await runProgram(['upload', path], {
    ...env,
    CLIPCTL_BASE_URL: around.url,
    NO_PROXY: '127.0.0.1',
  });
  expect(direct.exit, direct.stderr).toBe(0);
  expect(around.sha256).toBe(sha256);
  expect(proxy.requests).toEqual([]);
});

test('HTTP_PROXY carries plain uploads; the key never goes to the storage', async () => {
  const { world, env } = await start(
    [{ on: 'put', action: { type: 'reset', afterBytes: 2 * MIB } }],
    5 * MIB,
  );
  const proxy = await startProxy();
  const { exit, stderr } = await runProgram(['upload', world.path], { ...env, HTTP_PROXY: proxy.url });
  expect(exit, stderr).toBe(0);
  expect(await world.storedDigests()).toEqual([await digestOf(world.path)]);
  const host = `127.0.0.1:${world.service.port}`;
  expect(new Set(proxy.requests)).toEqual(new Set([`POST ${host}`, `PUT ${host}`]));
});

test('a proxy that refuses is an error that says so, and nothing is lost', async () => {
  const folder = await temporaryFolder();
  const service = await startTlsService();
  const proxy = await startProxy('refuse=407');
  const { path } = await randomFile(join(folder, 'talk.mp4'), MIB);
  const env = { ...envOf(folder, service.url), NODE_EXTRA_CA_CERTS: CERT_PATH, HTTPS_PROXY: proxy.url };
  const { exit, stderr } = await runProgram(['upload', path, '--retries', '0'], env);
  expect([7, 8]).toContain(exit);
  expect(stderr).toContain('407');
  expect(service.seen).toEqual([]);
});

test('no secret is shown, whatever is asked to be shown', async () => {
  const { world, env } = await start([{ on: 'put', action: { type: 'status', status: 403 } }], MIB);
  const { exit, stderr, stdout } = await runProgram(['upload', world.path, '--verbose'], {
    ...env,
    CLIPCTL_DEBUG: '1',
  });
  expect(exit).toBe(7);
  expect(stderr + stdout).not.toContain('/storage/sessions/');
  expect(stderr + stdout).not.toContain(world.service.apiKey);
  const key = (await readFile(join(world.service.dataDir, 'api-key'), 'utf8')).trim();
  expect(stderr + stdout).not.toContain(key);
});
