import type { ServiceContext } from '../service-context.js';
import { findCollection, listCollections, listContent } from '../store/collections.js';
import { bestScoreOf, clipCard } from './clip-card.js';
import { html } from './html.js';
import type { Page } from './layout.js';
import type { MediaAddresses } from './media-addresses.js';
import { countText, timeTag } from './wording.js';

/** So many clips of a collection are shown; more is for the command line. */
const MAX_CLIPS_SHOWN = 100;

export function collectionsPage({ db }: Pick<ServiceContext, 'db'>): Page {
  const collections = listCollections(db);
  return {
    title: 'Collections',
    section: '/collections',
    main: html`<section aria-labelledby="collections" data-key="collections">
<div class="head"><h1 id="collections">Collections</h1>${collections.length > 0 && html`<p>${countText(collections.length, 'collection')}</p>`}</div>
${
  collections.length === 0
    ? html`<div class="empty"><p>No collections yet. A collection keeps clips of many projects together:</p>
<pre>clipctl --local collection create "Best of"</pre></div>`
    : html`<ul class="rows">${collections.map(
        (collection) => html`<li class="row" data-key="${collection.collectionId}">
<div class="what"><h2><a href="/collections/${collection.collectionId}" dir="auto">${collection.name}</a></h2>
<p class="facts"><span>changed ${timeTag(collection.updatedAt)}</span> <span class="id">${collection.collectionId}</span></p></div>
<div class="state"><span class="count">${countText(collection.clipCount, 'clip')}</span></div></li>`,
      )}</ul>`
}
</section>`,
  };
}

/** Undefined when there is none of this id. */
export function collectionPage(
  collectionId: string,
  { db }: Pick<ServiceContext, 'db'>,
  mediaAddress: MediaAddresses,
): Page | undefined {
  const collection = findCollection(db, collectionId);
  if (!collection) return undefined;
  const clips = listContent(db, collectionId);
  const shown = clips.slice(0, MAX_CLIPS_SHOWN);
  const bestScore = bestScoreOf(clips);
  return {
    title: collection.name,
    section: '/collections',
    main: html`<p class="back"><a href="/collections">All collections</a></p>
<section aria-labelledby="collection" data-key="collection">
<div class="head"><h1 id="collection" dir="auto">${collection.name}</h1><p>${countText(clips.length, 'clip')}</p></div>
${clips.length === 0 && html`<p class="empty">Nothing is in it yet.</p>`}
${shown.length < clips.length && html`<p class="facts">The first ${shown.length} are shown.</p>`}
<div class="clips">${shown.map((clip) => clipCard(clip, { mediaAddress, bestScore, linksProject: true }))}</div>
</section>`,
  };
}
