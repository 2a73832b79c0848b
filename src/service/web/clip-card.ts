import { type FeatureName, type Features, featureNames, worthOf } from '../media/features.js';
import { clipFileName } from '../project-view.js';
import type { ClipRow } from '../store/clips.js';
import { clipJobs } from './clip-jobs.js';
import { type Html, html } from './html.js';
import type { MediaAddresses } from './media-addresses.js';
import type { JobLine, ScheduleLine } from './page-queries.js';
import { stateBadge } from './state-badge.js';
import { lengthText, positionText, sizeText, timeTag } from './wording.js';

export interface ClipCardOptions {
  mediaAddress: MediaAddresses;
  /** The best score among the clips it is shown with; scores have no fixed top. */
  bestScore: number;
  collections?: readonly { collectionId: string; name: string }[];
  schedules?: readonly ScheduleLine[];
  jobs?: readonly JobLine[];
  /** Shown among clips of other projects. */
  linksProject?: boolean;
}

/** A clip with its video, and why it was chosen. */
export function clipCard(clip: ClipRow, options: ClipCardOptions): Html {
  const { moment } = clip;
  const { collections = [], schedules = [], jobs = [] } = options;
  return html`<article class="clip" data-key="${clip.clipId}" aria-labelledby="t-${clip.clipId}">
<div class="screen">${video(clip, options.mediaAddress)}</div>
<div class="about">
<h3 id="t-${clip.clipId}" dir="auto">${moment.title || 'Untitled clip'}</h3>
<p class="facts">${facts(clip)}</p>
<p class="reason" dir="auto">${moment.reason}</p>
${scoreLine(moment.score, options.bestScore)}
${why(moment.features)}
${
  moment.text &&
  html`<details data-key="text"><summary>What is said</summary><blockquote dir="auto">${moment.text}</blockquote></details>`
}
${clip.notes.length > 0 && html`<ul class="notes" aria-label="Notes">${clip.notes.map((note) => html`<li>${note}</li>`)}</ul>`}
${
  collections.length > 0 &&
  html`<p class="tags"><span class="label">In</span> ${collections.map(
    ({ collectionId, name }) =>
      html`<a class="tag" href="/collections/${collectionId}"><bdi>${name}</bdi></a> `,
  )}</p>`
}
${schedules.map(
  (schedule) =>
    html`<p class="tags">${stateBadge(schedule.state)} ${timeTag(schedule.publishAt)} on <bdi>${schedule.account}</bdi></p>${schedule.error !== null && html`<p class="error" dir="auto">${schedule.error}</p>`}`,
)}
<p class="actions">${
    clip.file !== null &&
    html`<a class="button" href="${options.mediaAddress(clip)}" download="${clipFileName(clip)}">Download</a>`
  }${options.linksProject && html`<a class="button quiet" href="/projects/${clip.projectId}">Its project</a>`}</p>
${clipJobs(jobs)}
</div>
</article>`;
}

function video(clip: ClipRow, mediaAddress: MediaAddresses): Html {
  if (clip.file === null) return html`<div class="waiting"><span>Not rendered yet</span></div>`;
  return html`<video controls preload="metadata" playsinline width="${clip.width}" height="${clip.height}" src="${mediaAddress(clip)}" aria-label="${`Clip: ${clip.moment.title}`}"></video>`;
}

function facts({ moment, ...clip }: ClipRow): Html {
  const seconds = clip.durationMs === null ? moment.endSec - moment.startSec : clip.durationMs / 1000;
  const parts = [
    lengthText(seconds),
    `from ${positionText(moment.startSec)} to ${positionText(moment.endSec)}`,
    clip.width !== null && clip.height !== null && `${clip.width} × ${clip.height}`,
    clip.sizeBytes !== null && sizeText(clip.sizeBytes),
    clip.version > 1 && `version ${clip.version}`,
  ].filter((part) => part !== false);
  return html`${parts.map((part) => html`<span>${part}</span> `)}`;
}

function scoreLine(score: number, bestScore: number): Html {
  const percent = bestScore > 0 ? Math.max(0, Math.min(1, score / bestScore)) * 100 : 0;
  return html`<p class="score"><span class="label">Score</span> <strong>${score.toFixed(2)}</strong>
<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="6"/><rect class="fill" width="${percent.toFixed(1)}" height="6"/></svg></p>`;
}

const FEATURE_TEXTS: Record<FeatureName, string> = {
  keywords: 'Says what was asked for',
  centrality: 'Close to the main subject',
  hook: 'Opens with a hook',
  dangling: 'Leans on what came before',
  pauseBefore: 'Pause before it',
  pauseAfter: 'Pause after it',
  topicStart: 'Starts with a topic',
  topicEnd: 'Ends with a topic',
  topicInside: 'Topic changes inside',
  sceneStart: 'Starts with a scene',
  sceneInside: 'Scene changes inside',
  fillers: 'Filler words',
  silence: 'Silence',
  loudness: 'Energy of the voice',
};

/** Features that moved the score, by how much. A contribution below this is not worth a line. */
const LEAST_WORTH = 0.005;
/** The contribution that fills the bar. */
const FULL_BAR = 1;

function why(features: Record<string, number>): Html | false {
  const lines = featureNames()
    .filter((name) => typeof features[name] === 'number')
    .map((name) => ({ name, worth: worthOf(name, features as Features) }))
    .filter(({ worth }) => Math.abs(worth) >= LEAST_WORTH)
    .sort((a, b) => b.worth - a.worth);
  if (lines.length === 0) return false;
  const rows = lines.map(
    ({ name, worth }) =>
      html`<tr><th scope="row">${FEATURE_TEXTS[name]}</th><td class="bar">${worthBar(worth)}</td><td class="worth">${worth < 0 ? '−' : '+'}${Math.abs(worth).toFixed(2)}</td></tr>`,
  );
  return html`<details data-key="why"><summary>What moved the score</summary>
<table class="why"><caption class="hidden">What each feature added to the score or took from it</caption>
<thead class="hidden"><tr><th scope="col">Feature</th><td></td><th scope="col">Effect</th></tr></thead>
<tbody>${rows}</tbody></table></details>`;
}

function worthBar(worth: number): Html {
  const width = Math.min(1, Math.abs(worth) / FULL_BAR) * 50;
  const x = worth < 0 ? 50 - width : 50;
  return html`<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="${worth < 0 ? 'minus' : 'plus'}" x="${x.toFixed(1)}" width="${width.toFixed(1)}" height="8"/><rect class="axis" x="49.6" width="0.8" height="8"/></svg>`;
}

export function bestScoreOf(clips: readonly ClipRow[]): number {
  return clips.reduce((best, { moment }) => Math.max(best, moment.score), 0);
}
