import { clipAddress } from '../project-view.js';
import type { ServiceContext } from '../service-context.js';
import { ADDRESS_LIFE_SEC } from '../signed-address.js';
import type { ClipRow } from '../store/clips.js';

/** The signed address of a clip's video, relative to the page. */
export type MediaAddresses = (clip: ClipRow) => string;

/** Kept ones are used for this part of their life: whoever opens the page has the rest of it to watch. */
const REUSE_MS = (ADDRESS_LIFE_SEC * 1000) / 4;
const MAX_KEPT = 5000;

/**
 * Signed addresses carry the second they were made in. They are kept here, because a page that is made again must
 * name the same address for the same video, or every refresh would load all videos anew.
 */
export function createMediaAddresses({
  signer,
  now,
}: Pick<ServiceContext, 'signer' | 'now'>): MediaAddresses {
  const kept = new Map<string, { address: string; madeMs: number }>();
  return (clip) => {
    const nowMs = now().getTime();
    const known = kept.get(clip.clipId);
    let address = known?.address;
    if (!known || nowMs - known.madeMs > REUSE_MS) {
      address = clipAddress(clip, { signer }, '');
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(clip.clipId, { address, madeMs: nowMs });
    }
    // The version makes it another address for the browser's cache once the clip was rendered again.
    return `${address}?v=${clip.version}`;
  };
}
