import type { ServiceContext } from '../service-context.js';
import { type ClipRow, listClips } from '../store/clips.js';
import { countProjects } from '../store/projects.js';
import { bestScoreOf, clipCard } from './clip-card.js';
import { type Html, html } from './html.js';
import type { Page } from './layout.js';
import type { MediaAddresses } from './media-addresses.js';
import { olderLink } from './older-link.js';
import { type Cursor, type ProjectLine, pageOfProjects } from './page-queries.js';
import { progressBar } from './progress-bar.js';
import { stateBadge } from './state-badge.js';
import { countText, timeTag } from './wording.js';

const PROJECTS_A_PAGE = 50;
/** Of the newest project that has any; enough for a glance. */
const NEWEST_CLIPS = 3;

type ListContext = Pick<ServiceContext, 'db' | 'progress'>;

/** All projects, newest first, with the newest clips above them. */
export function projectsPage(
  context: ListContext,
  mediaAddress: MediaAddresses,
  after: Cursor | undefined,
): Page {
  const { rows, next } = pageOfProjects(context.db, after, PROJECTS_A_PAGE);
  const total = countProjects(context.db);
  const title = after ? 'Older projects' : 'Projects';
  return {
    title,
    section: '/',
    isBusy: rows.some(isUnderWay),
    main: html`${!after && newestClips(rows, context, mediaAddress)}
<section aria-labelledby="projects" data-key="projects">
<div class="head"><h1 id="projects">${title}</h1>${total > 0 && html`<p>${countText(total, 'project')}</p>`}</div>
${
  rows.length === 0
    ? noProjects(after !== undefined)
    : html`<ul class="rows">${rows.map((row) => projectLine(row, context))}</ul>`
}
${olderLink('/', next, after !== undefined)}
</section>`,
  };
}

export function isUnderWay({ stage }: Pick<ProjectLine, 'stage'>): boolean {
  return stage !== 'COMPLETE' && stage !== 'STALLED';
}

/** What a project is called: its title, else where it came from. */
export function projectName(
  project: Pick<ProjectLine, 'title' | 'source' | 'sourceKind' | 'projectId'>,
): string {
  if (project.title) return project.title;
  return project.sourceKind === 'address' ? project.source : `Upload ${project.source}`;
}

function projectLine(row: ProjectLine, { progress }: ListContext): Html {
  const busy = isUnderWay(row);
  return html`<li class="row" data-key="${row.projectId}">
<div class="what"><h2><a href="/projects/${row.projectId}" dir="auto">${projectName(row)}</a></h2>
<p class="facts"><span>${timeTag(row.createdAt)}</span> <span>${clipsText(row)}</span> <span class="id">${row.projectId}</span></p>
${row.error && html`<p class="error">${row.error}</p>`}</div>
<div class="state">${stateBadge(row.stage)}${busy && progressBar(row.stage, progress.get(row.projectId))}</div>
</li>`;
}

function clipsText({ clipCount, renderedCount, stage }: ProjectLine): string {
  if (clipCount === 0) return stage === 'COMPLETE' ? 'no clips' : 'no clips yet';
  if (renderedCount === clipCount) return countText(clipCount, 'clip');
  return `${renderedCount} of ${countText(clipCount, 'clip')} rendered`;
}

function newestClips(
  rows: readonly ProjectLine[],
  { db }: ListContext,
  mediaAddress: MediaAddresses,
): Html | undefined {
  const newest = rows.find(({ renderedCount }) => renderedCount > 0);
  if (!newest) return undefined;
  const all = listClips(db, newest.projectId);
  const best = all
    .filter((clip): clip is ClipRow & { file: string } => clip.file !== null)
    .sort((a, b) => b.moment.score - a.moment.score)
    .slice(0, NEWEST_CLIPS);
  const bestScore = bestScoreOf(all);
  return html`<section class="newest" aria-labelledby="newest" data-key="newest-${newest.projectId}">
<div class="head"><h2 id="newest">Newest clips</h2>
<p>from <a href="/projects/${newest.projectId}"><bdi>${projectName(newest)}</bdi></a>${
    newest.renderedCount > best.length && html`, the best ${best.length} of ${newest.renderedCount}`
  }</p></div>
<div class="clips">${best.map((clip) => clipCard(clip, { mediaAddress, bestScore }))}</div>
</section>`;
}

function noProjects(isOlder: boolean): Html {
  if (isOlder) return html`<p class="empty">No older projects.</p>`;
  return html`<div class="empty"><p>No projects yet. Make the first one in a terminal:</p>
<pre>clipctl --local upload talk.mp4 --wait --download clips</pre></div>`;
}
