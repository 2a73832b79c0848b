import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** Media addresses carry their own permission: what they open, until when, and a signature over both. */
export interface AddressSigner {
  /** Path below the base address, e.g. `/media/clip/C…/1767225600/{signature}/name.mp4`. */
  sign(kind: string, id: string, fileName: string): string;
  /** What a path opens, or why it opens nothing. */
  check(path: string): { kind: string; id: string; fileName: string } | 'unknown' | 'expired';
}

export const MEDIA_PATH = '/media/';

/**
 * Addresses work for two days: longer than a delivery that carries them is tried, short enough for a leaked one.
 */
export const ADDRESS_LIFE_SEC = 48 * 3600;

export function createAddressSigner(key: string, now: () => Date, lifeSec = ADDRESS_LIFE_SEC): AddressSigner {
  /** `fileText` as it stands in the address. */
  const signature = (kind: string, id: string, untilSec: string, fileText: string) =>
    createHmac('sha256', key).update(`${kind}\n${id}\n${untilSec}\n${fileText}`).digest('base64url');
  return {
    sign(kind, id, fileName) {
      const untilSec = String(Math.floor(now().getTime() / 1000) + lifeSec);
      const fileText = encodeURIComponent(fileName);
      return `${MEDIA_PATH}${kind}/${id}/${untilSec}/${signature(kind, id, untilSec, fileText)}/${fileText}`;
    },
    check(path) {
      const match = /^\/media\/([a-z-]+)\/([A-Za-z0-9_-]+)\/(\d{1,12})\/([A-Za-z0-9_-]{43})\/([^/]*)$/.exec(
        path,
      );
      if (!match) return 'unknown';
      const [, kind = '', id = '', untilSec = '', given = '', fileName = ''] = match;
      if (!sameText(given, signature(kind, id, untilSec, fileName))) return 'unknown';
      if (Number(untilSec) * 1000 < now().getTime()) return 'expired';
      return { kind, id, fileName };
    },
  };
}

/** Compares two secrets in a time that says nothing of where they differ. */
export function sameText(given: string, wanted: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(given), digest(wanted));
}
