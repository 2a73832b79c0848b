import type { IncomingMessage } from 'node:http';
import { ServiceError } from './service-error.js';

/** More than any request of the interface needs. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/** Reads a request's JSON body. Throws PayloadTooLarge, UnsupportedMediaType or InvalidRequest. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new ServiceError('UnsupportedMediaType', 'the body must be sent as application/json');
  }
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) throw tooLarge();
  const text = await readText(request);
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('InvalidRequest', 'the body is not valid JSON');
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
