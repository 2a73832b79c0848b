import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultAction } from './faults.js';
import { errorBody } from './service-error.js';

/** Ends the connection with RST, so that the client sees a reset and not an end. */
export function resetConnection(request: IncomingMessage): void {
  request.socket.resetAndDestroy();
}

/** Resolves when the client has gone. */
export function whenClosed(request: IncomingMessage): Promise<void> {
  if (request.socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    request.socket.once('close', () => resolve());
  });
}

/** Answers and lets the rest of the request's body run dry, so that the client can read the answer. */
export function sendAnswer(
  response: ServerResponse,
  status: number,
  headers: Record<string, string | number> = {},
  body = '',
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

/** Answers with the documented error body. */
export function sendRefusal(
  response: ServerResponse,
  status: number,
  errorName: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  sendAnswer(
    response,
    status,
    { 'content-type': 'application/json', ...headers },
    errorBody(errorName, message),
  );
}

/**
 * Does a fault that needs nothing of the work itself, before it. Answers true when the request is over.
 * `stall` and `delay` come back false when the work is to go on.
 */
export async function applyFault(
  action: FaultAction,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  switch (action.type) {
    case 'status':
      sendAnswer(
        response,
        action.status,
        { 'content-type': 'application/json', ...action.headers },
        action.body ?? errorBody('PlannedFault', 'a planned fault'),
      );
      return true;
    case 'body':
      sendAnswer(response, action.status ?? 200, { 'content-type': 'text/html' }, action.text);
      return true;
    case 'redirect':
      sendAnswer(response, action.status ?? 307, { location: action.location });
      return true;
    case 'reset':
      resetConnection(request);
      return true;
    case 'fin':
      request.socket.destroy();
      return true;
    case 'delay':
      await sleep(action.ms);
      return false;
    case 'stall':
      await (action.ms === undefined ? whenClosed(request) : sleep(action.ms));
      return action.ms === undefined;
    default:
      return false;
  }
}

/** Lets the work run to its end and resets the connection when it would answer. */
export function dropAnswer(request: IncomingMessage, response: ServerResponse): void {
  const destroy = () => {
    resetConnection(request);
    return response;
  };
  response.writeHead = destroy;
  response.end = destroy;
}
