import { createHash, randomBytes } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';

export interface StorageAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface StorageSend {
  method?: string;
  headers?: Record<string, string | number>;
  body?: Buffer;
  /** Destroy the connection after writing the body instead of ending the request. */
  breakOff?: boolean;
}

/** One raw request to a storage address. Rejects when the connection breaks, with the system's code. */
export function sendStorage(
  address: string,
  { method = 'PUT', headers = {}, body, breakOff }: StorageSend = {},
) {
  return new Promise<StorageAnswer>((resolve, reject) => {
    const outgoing = request(address, { method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.on('error', reject);
    if (!breakOff) return outgoing.end(body);
    outgoing.write(body, () => setImmediate(() => outgoing.destroy(new Error('broken off'))));
  });
}

export function askStorage(location: string, totalBytes: number): Promise<StorageAnswer> {
  return sendStorage(location, {
    headers: { 'content-range': `bytes */${totalBytes}`, 'content-length': 0 },
  });
}

/** The rest of a file from `startByte` on. */
export function sendRest(location: string, file: Buffer, startByte: number): Promise<StorageAnswer> {
  return sendStorage(location, {
    headers: {
      'content-range': `bytes ${startByte}-${file.length - 1}/${file.length}`,
      'content-length': file.length - startByte,
    },
    body: file.subarray(startByte),
  });
}

/** Bytes kept as a 308 says. */
export function keptOf(answer: StorageAnswer): number {
  const match = /^bytes=0-(\d+)$/.exec(String(answer.headers.range ?? ''));
  return match ? Number(match[1]) + 1 : 0;
}

/** A file without repetition. */
export function makeFile(sizeBytes: number): { bytes: Buffer; hashHeader: string } {
  const bytes = randomBytes(sizeBytes);
  return { bytes, hashHeader: `sha256=${createHash('sha256').update(bytes).digest('hex')}` };
}

/** Link and start: the location of a fresh session. */
export async function openSession(service: {
  call(method: string, path: string, body?: unknown): Promise<{ body: unknown }>;
}): Promise<{ uploadId: string; location: string; url: string; sessionId: string }> {
  const { body } = await service.call('POST', '/api/upload-links', { video: { usecase: 'LocalUpload' } });
  const { url, uploadId } = body as { url: string; uploadId: string };
  const started = await sendStorage(url, {
    method: 'POST',
    headers: { 'x-storage-resumable': 'start', 'content-length': 0 },
  });
  return {
    uploadId,
    url,
    location: String(started.headers.location),
    sessionId: String(started.headers['x-storage-resumable-upload-id']),
  };
}
