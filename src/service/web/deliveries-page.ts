import type { ServiceContext } from '../service-context.js';
import type { DeliveryRow } from '../store/deliveries.js';
import { type Html, html } from './html.js';
import type { Page } from './layout.js';
import { olderLink } from './older-link.js';
import { type Cursor, pageOfDeliveries, publishedPosts } from './page-queries.js';
import { stateBadge } from './state-badge.js';
import { countText, timeTag } from './wording.js';

const DELIVERIES_A_PAGE = 50;
const POSTS_SHOWN = 20;

/** What left the service or is about to: webhooks, e-mails, posts in the outbox. */
export function deliveriesPage(
  { db, paths }: Pick<ServiceContext, 'db' | 'paths'>,
  after: Cursor | undefined,
): Page {
  const { rows, next } = pageOfDeliveries(db, after, DELIVERIES_A_PAGE);
  return {
    title: after ? 'Older deliveries' : 'Deliveries',
    section: '/deliveries',
    isBusy: rows.some(({ state }) => state === 'PENDING'),
    main: html`<section aria-labelledby="deliveries" data-key="deliveries">
<div class="head"><h1 id="deliveries">${after ? 'Older deliveries' : 'Deliveries'}</h1><p>webhooks and e-mails, newest first</p></div>
${
  rows.length === 0
    ? html`<p class="empty">Nothing was delivered yet. A project with a conclusion action brings the first one.</p>`
    : html`<ul class="rows">${rows.map(deliveryLine)}</ul>`
}
${olderLink('/deliveries', next, after !== undefined)}
</section>
${!after && outbox(db, paths.outbox)}`,
  };
}

function deliveryLine(row: DeliveryRow): Html {
  return html`<li class="row" data-key="${row.deliveryId}"><div class="what"><h2 dir="auto">${row.subject}</h2>
<p class="facts"><span>${row.kind === 'EMAIL' ? 'e-mail to' : 'webhook to'} <bdi>${row.target}</bdi></span> <span>${timeTag(row.createdAt)}</span> <span class="id">${row.deliveryId}</span></p>
${row.lastError && html`<p class="error">${row.lastError}</p>`}
<details data-key="body"><summary>What is sent</summary><pre dir="auto">${readable(row.body)}</pre></details></div>
<div class="state">${stateBadge(row.state)}<span class="facts">${howItGoes(row)}</span></div></li>`;
}

function howItGoes(row: DeliveryRow): Html {
  const status = row.lastStatus !== null && html`<span>answered ${row.lastStatus}</span> `;
  const tries = html`<span>${countText(row.tries, 'try', 'tries')}</span> `;
  if (row.state === 'PENDING' && row.tries > 0)
    return html`${status}${tries}<span>again at ${timeTag(row.dueAt)}</span>`;
  return html`${status}${row.tries > 0 && tries}${row.deliveredAt && html`<span>${timeTag(row.deliveredAt)}</span>`}`;
}

/** JSON with its lines; what was cut in the middle stays as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function outbox(db: ServiceContext['db'], folder: string): Html {
  const posts = publishedPosts(db, POSTS_SHOWN);
  return html`<section aria-labelledby="outbox" data-key="outbox"><div class="head"><h2 id="outbox">Outbox</h2><p>published posts and e-mails lie in <code>${folder}</code></p></div>
${
  posts.length === 0
    ? html`<p class="empty">No post was published yet.</p>`
    : html`<ul class="rows">${posts.map(
        (
          line,
        ) => html`<li class="row" data-key="${line.scheduleId}"><div class="what"><h3><a href="/projects/${line.projectId}" dir="auto">${line.postTitle ?? line.clipTitle}</a></h3>
<p class="facts"><span>on <bdi>${line.account}</bdi></span> <span class="id">posts/${line.folder}</span></p></div>
<div class="state">${stateBadge(line.state)}${line.isLate && html` <span class="badge bad">late</span>`}<span class="facts">${line.publishedAt && timeTag(line.publishedAt)}</span></div></li>`,
      )}</ul>`
}
</section>`;
}
