import { CENSOR_CONCLUDED } from '../../api/jobs.js';
import type { Stage } from '../../api/projects.js';
import type { ServiceContext } from '../service-context.js';
import { type ClipRow, listClips } from '../store/clips.js';
import { findProject, type ProjectRow } from '../store/projects.js';
import { bestScoreOf, clipCard } from './clip-card.js';
import { type Html, html } from './html.js';
import type { Page } from './layout.js';
import type { MediaAddresses } from './media-addresses.js';
import { collectionsOfProject, type JobLine, jobsOfProject, schedulesOfProject } from './page-queries.js';
import { progressBar } from './progress-bar.js';
import { isUnderWay, projectName } from './projects-page.js';
import { stateBadge } from './state-badge.js';
import { countText, positionText, sizeText, timeTag } from './wording.js';

/** The newest of a project, and of one clip. */
const JOBS_SHOWN = 200;
const JOBS_OF_CLIP_SHOWN = 5;

type ProjectContext = Pick<ServiceContext, 'db' | 'progress'>;

/** One project: its stage, what went wrong, its clips. Undefined when there is none of this id. */
export function projectPage(
  projectId: string,
  context: ProjectContext,
  mediaAddress: MediaAddresses,
): Page | undefined {
  const project = findProject(context.db, projectId);
  if (!project) return undefined;
  const clips = listClips(context.db, projectId);
  const jobs = jobsOfProject(context.db, projectId, JOBS_SHOWN);
  const name = projectName(project);
  return {
    title: name,
    section: '/',
    isBusy: isUnderWay(project) || jobs.some(({ status }) => status !== CENSOR_CONCLUDED),
    main: html`<p class="back"><a href="/">All projects</a></p>
<section aria-labelledby="project" data-key="project">
<div class="head"><h1 id="project" dir="auto">${name}</h1>${stateBadge(project.stage)}</div>
${stages(project)}
${isUnderWay(project) && progressBar(project.stage, context.progress.get(projectId))}
${project.error && html`<p class="error"><strong>${project.stage === 'STALLED' ? 'It stopped:' : 'Last try:'}</strong> ${project.error}</p>`}
${project.notes.length > 0 && html`<ul class="notes" aria-label="Notes">${project.notes.map((note) => html`<li>${note}</li>`)}</ul>`}
${details(project)}
</section>
${clipsSection(projectId, { clips, jobs }, context, mediaAddress)}`,
  };
}

const STEPS: readonly { stage: Stage; name: string }[] = [
  { stage: 'QUEUED', name: 'Queued' },
  { stage: 'IMPORT', name: 'Import' },
  { stage: 'CURATE', name: 'Choose' },
  { stage: 'REFINE', name: 'Refine' },
  { stage: 'RENDER', name: 'Render' },
  { stage: 'UPLOAD', name: 'Store' },
  { stage: 'COMPLETE', name: 'Complete' },
];

function stages({ stage }: ProjectRow): Html | undefined {
  const at = STEPS.findIndex((step) => step.stage === stage);
  if (at < 0) return undefined;
  const isDone = stage === 'COMPLETE';
  return html`<ol class="steps" aria-label="Stages">${STEPS.map(({ name }, index) => {
    const look = index < at || isDone ? 'done' : index === at ? 'now' : 'later';
    return html`<li class="${look}"${look === 'now' && html` aria-current="step"`}><span>${name}</span>${look === 'done' && html`<span class="hidden"> (done)</span>`}</li>`;
  })}</ol>`;
}

function details(project: ProjectRow): Html {
  const facts: [string, Html | string][] = [
    ['Id', html`<code>${project.projectId}</code>`],
    ['Source', source(project)],
    ['Created', timeTag(project.createdAt)],
    ['Last change', timeTag(project.updatedAt)],
    ['Visibility', project.visibility.toLowerCase()],
  ];
  if (project.storageBytes > 0) facts.push(['On disk', sizeText(project.storageBytes)]);
  if (project.stallCount > 0) facts.push(['Failed tries', String(project.stallCount)]);
  return html`<dl class="details">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<details data-key="preferences"><summary>Preferences it was made with</summary><pre dir="auto">${JSON.stringify(project.preferences, null, 2)}</pre></details>`;
}

function source({ sourceKind, source: text }: ProjectRow): Html {
  if (sourceKind !== 'address') return html`upload <code>${text}</code>`;
  // Checked when it came, and again here: an address with a script in it must never become a link.
  if (!/^https?:\/\//i.test(text)) return html`<bdi>${text}</bdi>`;
  return html`<a href="${text}" rel="noreferrer noopener"><bdi>${text}</bdi></a>`;
}

function clipsSection(
  projectId: string,
  { clips, jobs }: { clips: readonly ClipRow[]; jobs: readonly JobLine[] },
  { db }: ProjectContext,
  mediaAddress: MediaAddresses,
): Html {
  const collections = collectionsOfProject(db, projectId);
  const schedules = schedulesOfProject(db, projectId, 200);
  const bestScore = bestScoreOf(clips);
  return html`<section aria-labelledby="clips" data-key="clips">
<div class="head"><h2 id="clips">Clips</h2>${clips.length > 0 && html`<p>${countText(clips.length, 'clip')}, in order of time</p>`}</div>
${clips.length === 0 && html`<p class="empty">No clips yet.</p>`}
${clips.length > 1 && timeline(clips)}
<div class="clips">${clips.map((clip) =>
    clipCard(clip, {
      mediaAddress,
      bestScore,
      collections: collections.filter(({ clipId }) => clipId === clip.clipId),
      schedules: schedules.filter(({ clipId }) => clipId === clip.clipId),
      jobs: jobs.filter(({ clipId }) => clipId === clip.clipId).slice(0, JOBS_OF_CLIP_SHOWN),
    }),
  )}</div>
</section>`;
}

/** Where in the source the clips lie. The cards say the same in words. */
function timeline(clips: readonly ClipRow[]): Html {
  const endSec = Math.max(...clips.map(({ moment }) => moment.endSec));
  const percent = (seconds: number) => ((seconds / endSec) * 100).toFixed(2);
  return html`<figure class="timeline" aria-hidden="true"><svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect class="track" width="100" height="10"/>${clips.map(
    ({ moment }) =>
      html`<rect class="fill" x="${percent(moment.startSec)}" width="${percent(moment.endSec - moment.startSec)}" height="10"><title>${moment.title}</title></rect>`,
  )}</svg><figcaption><span>0:00</span><span>where the clips lie in the video</span><span>${positionText(endSec)}</span></figcaption></figure>`;
}
