import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signDelivery } from '../../src/api/webhook-signature.js';
import { run } from '../../src/cli.js';
import { CancelledError } from '../../src/errors.js';
import { sendWebhook } from '../../src/service/delivery/send-webhook.js';
import { makeHome, memoryIo, runCli } from '../helpers/run-cli.js';

const KEY = 'key-of-the-account';
const BODY = JSON.stringify({
  event: 'project.completed',
  projectId: 'P1',
  stage: 'COMPLETE',
  deliveryId: 'D1',
});
const SALT = '00112233aabbccdd';

let home: Awaited<ReturnType<typeof makeHome>>;
beforeEach(async () => {
  home = await makeHome();
});
afterEach(() => home.remove());

/** `webhook listen` on a free port, while it runs. */
async function listen(...flags: string[]) {
  const { io, stdout, stderr } = memoryIo({ home: home.home, env: { CLIPCTL_API_KEY: KEY } });
  const stop = new AbortController();
  const ended = run(['webhook', 'listen', '--port', '0', ...flags], io, stop.signal);
  let url: string | undefined;
  while (url === undefined) {
    url = /listening on (\S+);/.exec(stderr())?.[1];
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { url, stdout, stderr, ended, stop: () => stop.abort(new CancelledError('SIGINT')) };
}

/** A program of one's own that takes deliveries and answers with the next of `statuses`. */
async function startReceiver(statuses: number[] = []) {
  const taken: { method?: string; path?: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    taken.push({ method, path, headers, body: await text(request) });
    response.writeHead(statuses.shift() ?? 204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, taken, stop: () => new Promise((resolve) => server.close(resolve)) };
}

/** The real sender of the local service. */
const send = (url: string, more: { apiKey?: string; rawBody?: string; nowMs?: number } = {}) =>
  sendWebhook({
    url,
    apiKey: KEY,
    deliveryId: 'D1',
    rawBody: BODY,
    nowMs: Date.now(),
    signal: new AbortController().signal,
    ...more,
  });

/** A delivery with headers made by hand. */
const post = (url: string, headers: Record<string, string>, body = BODY) =>
  fetch(url, { method: 'POST', headers, body }).then(({ status }) => status);
const signed = (timestampSec = Math.floor(Date.now() / 1000)) => ({
  'x-service-signature': signDelivery({ apiKey: KEY, rawBody: BODY, saltHex: SALT }),
  'x-service-salt': SALT,
  'x-service-timestamp': String(timestampSec),
});

describe('webhook listen', () => {
  it('prints a delivery and ends, with --once', async () => {
    const receiver = await listen('--once');
    expect(receiver.stderr()).toMatch(/judged by the local service's scheme: hex HMAC-SHA256/);
    expect(await send(receiver.url)).toBe(204);
    expect(await receiver.ended).toBe(0);
    expect(receiver.stdout()).toBe('project.completed\tP1\tCOMPLETE\tD1\tvalid\n');
  });

  it('prints one line of JSON a delivery, until Ctrl-C', async () => {
    const receiver = await listen('--json');
    await send(receiver.url);
    await send(receiver.url, { rawBody: '{"event":"other","more":[1]}' });
    receiver.stop();
    expect(await receiver.ended).toBe(0);
    const [first, second, ...rest] = receiver.stdout().trimEnd().split('\n');
    expect(rest).toEqual([]);
    expect(JSON.parse(first ?? '')).toMatchObject({
      verdict: 'valid',
      headers: { 'x-service-delivery': 'D1' },
      body: JSON.parse(BODY),
    });
    expect(JSON.parse(second ?? '')).toMatchObject({ body: { event: 'other', more: [1] } });
  });

  it('refuses what is unsigned, wrong, old or sent again', async () => {
    const receiver = await listen();
    const now = Math.floor(Date.now() / 1000);
    expect(await post(receiver.url, {})).toBe(400);
    expect(await send(receiver.url, { apiKey: 'another-key' })).toBe(401);
    expect(await post(receiver.url, signed(), `${BODY} `)).toBe(401);
    expect(await post(receiver.url, signed(now - 400))).toBe(403);
    expect(await post(receiver.url, signed(now + 400))).toBe(403);
    expect(receiver.stdout()).toBe('');
    expect(await post(receiver.url, signed())).toBe(204);
    // The timestamp is not signed: a new one does not make an old delivery new.
    expect(await post(receiver.url, signed(now - 1))).toBe(403);
    expect(await fetch(receiver.url).then(({ status }) => status)).toBe(405);
    expect(await send(receiver.url)).toBe(204);
    receiver.stop();
    await receiver.ended;
    expect(receiver.stdout().trimEnd().split('\n')).toHaveLength(2);
    for (const verdict of ['header-missing', 'wrong-signature', 'too-old', 'replayed'])
      expect(receiver.stderr()).toContain(`(${verdict})`);
  });

  it('refuses a body over 1 MiB before it has come', async () => {
    const receiver = await listen('--no-verify');
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(receiver.url).port), '127.0.0.1');
      socket.on('error', reject);
      socket.once('data', (data) => {
        socket.destroy();
        resolve(data.toString());
      });
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n');
      socket.write('x'.repeat(1024 * 1024 + 1));
    });
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    receiver.stop();
    expect([await receiver.ended, receiver.stdout()]).toEqual([0, '']);
  });

  it('shows without judging, with --no-verify', async () => {
    const receiver = await listen('--no-verify', '--once');
    expect(await post(receiver.url, {}, 'no \u001b[31mJSON')).toBe(204);
    expect(await receiver.ended).toBe(0);
    expect(receiver.stdout()).toMatch(/unverified/);
    expect(receiver.stdout()).not.toContain('\u001b');
  });

  it('forwards what it took, and passes the answer on', async () => {
    const target = await startReceiver([500, 200]);
    try {
      const receiver = await listen('--once', '--forward', `http://127.0.0.1:${target.port}/hooks`);
      expect(await send(receiver.url)).toBe(500);
      expect(await send(receiver.url)).toBe(200);
      expect(await receiver.ended).toBe(0);
      expect(target.taken.map(({ method, path, body }) => [method, path, body])).toEqual([
        ['POST', '/hooks', BODY],
        ['POST', '/hooks', BODY],
      ]);
      expect(target.taken[1]?.headers).toMatchObject({ 'x-service-delivery': 'D1' });
      expect(target.taken[1]?.headers.authorization).toBeUndefined();
    } finally {
      await target.stop();
    }
  });

  it('does not wait for ever', async () => {
    const late = await listen('--once', '--wait-timeout', '50ms');
    expect(await late.ended).toBe(9);
    const stopped = await listen('--once');
    stopped.stop();
    expect(await stopped.ended).toBe(130);
    const enough = await listen('--wait-timeout', '50ms');
    expect(await enough.ended).toBe(0);
  });

  it.each([
    ['webhook listen --port x', 2, /is no port/],
    ['webhook listen --forward ftp://x', 2, /http\(s\) address/],
    ['webhook listen --wait-timeout soon', 2, /is not a duration/],
    ['webhook listen --port 0', 3, /no API key/],
  ])('%s', async (line, code, message) => {
    const result = await runCli(line, home);
    expect([result.exitCode, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toMatch(message);
  });

  it('says when the port is taken', async () => {
    const other = await startReceiver();
    try {
      const result = await runCli(`webhook listen --no-verify --port ${other.port}`, home);
      expect([result.exitCode, result.stderr]).toEqual([2, expect.stringMatching(/another program listens/)]);
    } finally {
      await other.stop();
    }
  });
});

describe('webhook verify', () => {
  const verify = (headers: ReturnType<typeof signed>, stdin = BODY, ...flags: string[]) => {
    const [signature, salt, timestamp] = Object.values(headers) as [string, string, string];
    return runCli(
      ['webhook', 'verify', '--signature', signature, '--salt', salt, '--timestamp', timestamp, ...flags],
      { home: home.home, stdin, env: { CLIPCTL_API_KEY: KEY } },
    );
  };

  it('says valid, naming the scheme', async () => {
    const result = await verify(signed());
    expect([result.exitCode, result.stdout]).toEqual([0, 'valid\n']);
    expect(result.stderr).toMatch(/the local service's scheme/);
    expect(JSON.parse((await verify(signed(), BODY, '--json')).stdout)).toMatchObject({ verdict: 'valid' });
  });

  it('ends with 7 for what is not', async () => {
    const changed = await verify(signed(), `${BODY}\n`);
    expect([changed.exitCode, changed.stdout]).toEqual([7, '']);
    expect(changed.stderr).toMatch(/wrong-signature/);
    expect((await verify(signed(1_700_000_000))).stderr).toMatch(/too-old/);
    const json = await verify({ ...signed(), 'x-service-timestamp': 'soon' }, BODY, '--json');
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'rejected', exitCode: 7 } });
  });

  it('needs its flags and a key', async () => {
    expect((await runCli('webhook verify --salt x', home)).exitCode).toBe(2);
    expect((await runCli('webhook verify --signature a --salt b --timestamp 1', home)).exitCode).toBe(3);
  });
});
