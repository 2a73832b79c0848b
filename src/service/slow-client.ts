import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendRefusal } from './fault-answers.js';

/** A request has so long to arrive whole. */
const LIMIT_MS = 30_000;

/**
 * Ends a request that does not arrive whole in time, also after it was answered: a refused client could hold its
 * connection for ever by sending its body byte by byte. Not for bytes of uploads, which take as long as they take.
 */
export function limitTime(request: IncomingMessage, response: ServerResponse): void {
  const { headers } = request;
  // Without a body it is whole when it comes here.
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    sendRefusal(response, 408, 'InvalidRequest', 'the request did not arrive in time');
    request.socket.destroySoon();
  }, LIMIT_MS);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}
