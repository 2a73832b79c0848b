import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export const CERT_PATH = join(import.meta.dirname, 'fixtures/storage-cert.pem');

export interface TlsService {
  url: string;
  port: number;
  /** Digest of the whole upload, once it is complete. */
  sha256?: string;
  projects: number;
  /** Requests in order: method, path, range. */
  seen: string[];
  /** The next PUT of bytes is cut off (TLS and all) after this many. */
  cutAfterBytes?: number;
}

/**
 * An https service that vouches for itself: link, start, a storage that reads slowly, and projects. For what the
 * local service cannot be: TLS, and locations without a scheme.
 */
export async function startTlsService(options: { pauseMs?: number } = {}): Promise<TlsService> {
  const hash = createHash('sha256');
  const state: TlsService = { url: '', port: 0, projects: 0, seen: [] };
  let keptBytes = 0;
  const server = createServer(
    {
      key: readFileSync(join(import.meta.dirname, 'fixtures/storage-key.pem')),
      cert: readFileSync(CERT_PATH),
    },
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const range = request.headers['content-range'];
    state.seen.push([request.method, request.url, range].filter(Boolean).join(' '));
    if (request.url === '/session' && request.method === 'PUT') return putBytes(request, response, range);
    for await (const _ of request);
    if (request.url === '/api/upload-links')
      sendJson(response, 200, { url: `${state.url}/link`, uploadId: 'up_1' });
    else if (request.url === '/link')
      response.writeHead(201, { location: `//127.0.0.1:${state.port}/session` }).end();
    else if (request.url === '/api/clip-projects') {
      state.projects++;
      sendJson(response, 201, { id: 'P1', stage: 'QUEUED' });
    } else response.writeHead(404).end();
  }

  async function putBytes(
    request: IncomingMessage,
    response: ServerResponse,
    range: string | undefined,
  ): Promise<void> {
    const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range ?? '') ?? [
      undefined,
      '0',
      request.headers['content-length'],
    ];
    const isQuestion = range?.startsWith('bytes */') ?? false;
    if (!isQuestion && Number(from) !== keptBytes)
      return void response.writeHead(503).end('content-range: a gap');
    for await (const piece of request) {
      const chunk: Buffer = piece;
      const { cutAfterBytes } = state;
      const taken =
        cutAfterBytes === undefined ? chunk : chunk.subarray(0, Math.max(0, cutAfterBytes - keptBytes));
      hash.update(taken);
      keptBytes += taken.length;
      if (cutAfterBytes !== undefined && keptBytes >= cutAfterBytes) {
        state.cutAfterBytes = undefined;
        request.socket.destroy();
        return;
      }
      if (options.pauseMs) await sleep(options.pauseMs);
    }
    const isComplete = isQuestion ? state.sha256 !== undefined : keptBytes === Number(total);
    if (!isComplete)
      return void response.writeHead(308, keptBytes ? { range: `bytes=0-${keptBytes - 1}` } : {}).end();
    state.sha256 ??= hash.copy().digest('hex');
    response.writeHead(200).end();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  state.port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  state.url = `https://127.0.0.1:${state.port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return state;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
