// Start-up of the built program against a bare `node -e 0`.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const BIN = resolve(import.meta.dirname, '../../bin/clipctl.js');
const ROUNDS = 15;

/** Wall milliseconds of one process. */
function timeOnce(args, env) {
  return new Promise((done, fail) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
    child.once('error', fail);
    child.once('exit', (code) =>
      code === 0 ? done(performance.now() - started) : fail(new Error(`${args.join(' ')}: exit ${code}`)),
    );
  });
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export async function run() {
  const home = await mkdtemp(join(tmpdir(), 'clipctl-bench-'));
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end('{"id":"P1","stage":"COMPLETE"}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  // The person's own environment: what slows node down there (NODE_EXTRA_CA_CERTS does) slows every program.
  const env = {
    ...process.env,
    HOME: home,
    CLIPCTL_BASE_URL: `http://127.0.0.1:${server.address().port}`,
    CLIPCTL_API_KEY: 'bench-key-0123456789',
  };
  const cases = {
    'node -e 0': ['-e', '0'],
    'clipctl --version': [BIN, '--version'],
    'clipctl --help': [BIN, '--help'],
    'clipctl project get (one request)': [BIN, 'project', 'get', 'P1'],
  };
  const targets = {
    'clipctl --version': 1.25,
    'clipctl --help': 1.35,
    'clipctl project get (one request)': 2.3,
  };
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  spawnSync(process.execPath, cases['clipctl --help'], { env });
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, args] of Object.entries(cases)) times[name].push(await timeOnce(args, env));
  }
  server.close();
  await rm(home, { recursive: true, force: true });
  const base = median(times['node -e 0']);
  console.log('| command | median ms | ratio to `node -e 0` | target |\n|---|---|---|---|');
  for (const [name, values] of Object.entries(times)) {
    console.log(
      `| ${name} | ${median(values).toFixed(0)} | ${(median(values) / base).toFixed(2)} | ${targets[name] ? `≤ ${targets[name]}` : ''} |`,
    );
  }
}
