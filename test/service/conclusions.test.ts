import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { signDelivery, verifyDelivery } from '../../src/api/webhook-signature.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { createProject, uploadVideo } from './project-client.js';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

let service: TestService | undefined;
let receiver: Server | undefined;
afterEach(async () => {
  await service?.stop();
  receiver?.close();
});

/** A receiver that answers these statuses in turn, then 204. */
async function receive(statuses: number[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(statuses[received.length - 1] ?? 204).end();
    });
  });
  receiver = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

const header = (received: Received | undefined, name: string) => String(received?.headers[name]);

test('a failed project tells its webhook and its mailbox, when they asked for failures', async () => {
  const { url, received } = await receive([500]);
  service = await startTestService();
  const { apiKey, dataDir } = service;
  const { id } = await createProject(service, {
    videoUrl: await uploadVideo(service, Buffer.from('no video')),
    uploadedVideoAttr: { title: 'Über den Wolken' },
    conclusionActions: [
      { type: 'WEBHOOK', url, notifyFailure: true },
      { type: 'WEBHOOK', url: `${url}/never` },
      { type: 'EMAIL', email: 'me@example.com', notifyFailure: true },
    ],
  });
  await service.idle();
  await vi.waitFor(() => expect(received).toHaveLength(2), { timeout: 5000 });
  const [first, second] = received;
  expect(first?.body).toBe(second?.body);
  expect(JSON.parse(String(first?.body))).toMatchObject({
    event: 'project.failed',
    projectId: id,
    stage: 'STALLED',
  });
  expect(header(first, 'x-service-salt')).not.toBe(header(second, 'x-service-salt'));
  for (const delivery of received) {
    const parts = {
      apiKey,
      rawBody: delivery.body,
      signature: header(delivery, 'x-service-signature'),
      salt: header(delivery, 'x-service-salt'),
      timestamp: header(delivery, 'x-service-timestamp'),
    };
    const nowSec = Number(parts.timestamp) + 10;
    expect(verifyDelivery({ ...parts, nowSec })).toBe('valid');
    expect(verifyDelivery({ ...parts, nowSec: nowSec + 300 })).toBe('too-old');
    expect(verifyDelivery({ ...parts, nowSec, apiKey: 'other' })).toBe('wrong-signature');
    expect(verifyDelivery({ ...parts, nowSec, rawBody: `${delivery.body} ` })).toBe('wrong-signature');
    expect(verifyDelivery({ ...parts, nowSec, salt: undefined })).toBe('header-missing');
  }
  const [mail, ...more] = await readdir(join(dataDir, 'outbox', 'mail'));
  expect(more).toEqual([]);
  const text = await readFile(join(dataDir, 'outbox', 'mail', String(mail)), 'utf8');
  expect(text).toContain('\r\nTo: me@example.com\r\n');
  expect(text).toMatch(/^Subject: [\x20-\x7e]*=\?UTF-8\?[BQ]\?/m);
});

test('a delivery that found nobody is made after a restart', async () => {
  const { url, received } = await receive([503, 503]);
  service = await startTestService();
  await createProject(service, {
    videoUrl: await uploadVideo(service, Buffer.from('no video')),
    conclusionActions: [{ type: 'WEBHOOK', url, notifyFailure: true }],
  });
  await vi.waitFor(() => expect(received.length).toBeGreaterThan(0), { timeout: 5000 });
  await service.restart();
  await vi.waitFor(() => expect(received).toHaveLength(3), { timeout: 15_000 });
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
}, 30_000);

test('a receiver that does not answer holds up no other', async () => {
  const held: ServerResponse[] = [];
  const dead = createServer((_request, response) => held.push(response));
  await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve));
  const deadUrl = `http://127.0.0.1:${(dead.address() as AddressInfo).port}`;
  const { url, received } = await receive([]);
  service = await startTestService();
  await createProject(service, {
    videoUrl: await uploadVideo(service, Buffer.from('no video')),
    conclusionActions: [
      ...['/a', '/b'].map((path) => ({ type: 'WEBHOOK', url: deadUrl + path, notifyFailure: true })),
      { type: 'WEBHOOK', url, notifyFailure: true },
    ],
  });
  await vi.waitFor(() => expect([held.length, received.length]).toEqual([1, 1]), { timeout: 10_000 });
  held[0]?.writeHead(204).end();
  await vi.waitFor(() => expect(held).toHaveLength(2), { timeout: 10_000 });
  held[1]?.writeHead(204).end();
  await service.idle();
  dead.close();
});

test('the signature is the documented one', () => {
  // printf '%s' '{"a":1}00112233445566ff' | openssl dgst -sha256 -hmac key
  expect(signDelivery({ apiKey: 'key', rawBody: '{"a":1}', saltHex: '00112233445566ff' })).toBe(
    'd6c841084f8e3c36cc79c775d6cf285f30fd19e2cb5a2ae3038d95b877c6faba',
  );
});
