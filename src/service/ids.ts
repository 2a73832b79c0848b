import { randomBytes } from 'node:crypto';

const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Prefixes of the ids the service makes, so that a person sees what an id is of. */
export const ID_PREFIXES = {
  project: 'P',
  upload: 'U',
  session: 'R',
  clip: 'C',
  collection: 'L',
  schedule: 'S',
  censorJob: 'X',
  copyJob: 'T',
  delivery: 'D',
} as const;

/** A fresh id: its prefix and 14 letters (81 bits), safe in addresses and file names, without a dot. */
export function newId(kind: keyof typeof ID_PREFIXES): string {
  let text: string = ID_PREFIXES[kind];
  // 57 letters: bytes of 228 and above are thrown away, else some letters would come more often.
  while (text.length < 15) {
    for (const byte of randomBytes(16)) {
      if (byte < 228 && text.length < 15) text += ALPHABET[byte % 57];
    }
  }
  return text;
}

/** 256 random bits for an address that is itself the permission. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text can be an id of ours at all. Checked before an id meets the store or a file name. */
export function isIdText(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}
