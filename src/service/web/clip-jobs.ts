import { type Html, html } from './html.js';
import type { JobLine } from './page-queries.js';
import { stateBadge } from './state-badge.js';
import { timeTag } from './wording.js';

/** What was asked for a clip, the newest first: how far it is, and what came of it. */
export function clipJobs(jobs: readonly JobLine[]): Html | false {
  if (jobs.length === 0) return false;
  return html`<ul class="jobs" aria-label="Jobs">${jobs.map(jobLine)}</ul>`;
}

const KIND_TEXTS: Record<JobLine['kind'], string> = { censor: 'Censoring', copy: 'Social copy' };

function jobLine(job: JobLine): Html {
  const state = job.error === null ? job.status : 'FAILED';
  return html`<li data-key="${job.jobId}"><p class="tags">${stateBadge(state)} ${KIND_TEXTS[job.kind]}${
    job.platform && html` for <bdi>${job.platform}</bdi>`
  }${job.message && html`: ${job.message}`} <span class="facts">${timeTag(job.createdAt)}</span></p>
${job.error !== null && html`<p class="error" dir="auto">${job.error}</p>`}
${
  job.text &&
  html`<details data-key="copy"><summary>The text</summary><blockquote dir="auto">${job.text}</blockquote><p class="facts">made by ${job.madeBy}</p></details>`
}</li>`;
}
