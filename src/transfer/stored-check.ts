import { createHash } from 'node:crypto';
import { ClipctlError } from '../errors.js';
import { readFully, type SourceFile } from './local-file.js';
import type { StoredFacts } from './storage-protocol.js';

/**
 * Compares what the storage says it stored with the file. The digest is made here by reading the file once more,
 * and only when the storage sent one: most do not, and a resumed upload has not seen the bytes of earlier runs.
 * Throws `service` when they differ: the upload must not be used.
 */
export async function checkStored(
  source: SourceFile,
  facts: StoredFacts,
  options: { buffer: Uint8Array; signal: AbortSignal },
): Promise<void> {
  const { path, identity } = source;
  if (facts.lengthBytes !== undefined && facts.lengthBytes !== identity.sizeBytes) {
    throw differsError(
      path,
      `it says it stored ${facts.lengthBytes} bytes, the file has ${identity.sizeBytes}`,
    );
  }
  const told = CHECKED.map((algorithm) => facts.hashes.find((hash) => hash.algorithm === algorithm)).find(
    Boolean,
  );
  if (!told) return;
  const hasher = told.algorithm === 'crc32c' ? createCrc32c() : createHash(told.algorithm);
  const { buffer, signal } = options;
  for (let position = 0; position < identity.sizeBytes; ) {
    signal.throwIfAborted();
    const filled = await readFully(
      source.fd,
      buffer,
      Math.min(buffer.length, identity.sizeBytes - position),
      position,
    );
    if (filled === 0) break;
    hasher.update(buffer.subarray(0, filled));
    position += filled;
  }
  const digest = hasher.digest();
  const value = told.value.replace(/^"(.*)"$/, '$1');
  if (value.toLowerCase() === digest.toString('hex') || value === digest.toString('base64')) return;
  throw differsError(path, `its ${told.algorithm} is ${value}, that of the file ${digest.toString('hex')}`);
}

/** Digests that are compared, the surest first. Others are not known here, and so say nothing. */
const CHECKED = ['sha256', 'sha512', 'sha1', 'md5', 'crc32c'];

function differsError(path: string, reason: string): ClipctlError {
  return new ClipctlError('service', `the storage has something else than ${path}`, {
    reason,
    hint: 'no project was made of it; run the same command again to upload the file anew',
  });
}

/** CRC-32C (Castagnoli), as cloud storages send it: four bytes, most significant first. */
export function createCrc32c(): { update(bytes: Uint8Array): void; digest(): Buffer } {
  const table = crcTable();
  let crc = 0xffffffff;
  return {
    update(bytes) {
      let value = crc;
      for (let at = 0; at < bytes.length; at++)
        value = (table[(value ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (value >>> 8);
      crc = value >>> 0;
    },
    digest() {
      const digest = Buffer.alloc(4);
      digest.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
      return digest;
    },
  };
}

const CASTAGNOLI = 0x82f63b78; // the polynomial, bits reversed

function crcTable(): Uint32Array {
  const table = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ CASTAGNOLI : value >>> 1;
    table[byte] = value >>> 0;
  }
  return table;
}
