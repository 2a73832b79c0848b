import { createHash } from 'node:crypto';

/** Tells accounts apart in the journals on disk, without holding the key. */
export function accountKeyOf(baseUrl: string, apiKey: string): string {
  return createHash('sha256').update(`${baseUrl}\0${apiKey}`).digest('hex').slice(0, 16);
}
