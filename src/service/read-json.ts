import type { IncomingMessage } from 'node:http';
import { ServiceError } from './service-error.js';

/** More than any request of the interface needs. */
export const BODY_LIMIT_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;

/** Reads a request's JSON body. Throws PayloadTooLarge, UnsupportedMediaType or InvalidRequest. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new ServiceError('UnsupportedMediaType', 'the body must be sent as application/json');
  }
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) throw tooLarge();
  const text = await readText(request);
  const value = parse(text);
  checkValue(value);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('InvalidRequest', 'the body is not valid JSON');
  }
}

/** Walks without recursion: what is checked here is that others may recurse. */
function checkValue(root: unknown): void {
  const waiting = [{ value: root, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, depth } = next;
    if (depth > MAX_DEPTH)
      throw new ServiceError('InvalidRequest', `the body is nested deeper than ${MAX_DEPTH} levels`);
    // No text of the interface has a NUL in it, and much that reads texts ends at one.
    if (typeof value === 'string' && value.includes('\0')) {
      throw new ServiceError('InvalidRequest', 'the body has a NUL character in a text');
    }
    if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) {
      throw new ServiceError('InvalidRequest', 'the body has half a character in a text');
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      waiting.push({ value: key, depth }, { value: member, depth: depth + 1 });
    }
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    const chunk = piece as Buffer;
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_LIMIT_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new ServiceError('InvalidRequest', 'the body is not valid UTF-8');
  }
}

function tooLarge(): ServiceError {
  return new ServiceError('PayloadTooLarge', `the body is larger than ${BODY_LIMIT_BYTES} bytes`);
}
