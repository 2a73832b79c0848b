import { type Html, html } from './html.js';
import type { Cursor } from './page-queries.js';

/** Links below one page of a long list. */
export function olderLink(path: string, next: Cursor | undefined, isOlder: boolean): Html | undefined {
  if (!next && !isOlder) return undefined;
  return html`<nav class="pages" aria-label="More of this list">${isOlder && html`<a class="button quiet" href="${path}">Newest</a>`}${
    next &&
    html`<a class="button" rel="next" href="${path}?before=${encodeURIComponent(`${next.at} ${next.id}`)}">Older</a>`
  }</nav>`;
}

/** The cursor of an address; undefined, which is the first page, when it is none of ours. */
export function readCursor(text: string | null): Cursor | undefined {
  const match = /^(\d{4}-\d{2}-\d{2}T[\d:.]{8,12}Z) ([A-Za-z0-9_-]{1,64})$/.exec(text ?? '');
  return match?.[1] && match[2] ? { at: match[1], id: match[2] } : undefined;
}
