import type { Progress } from '../pipeline/progress-board.js';
import { type Html, html } from './html.js';

/** How far a stage is; nothing while nothing is known of it. */
export function progressBar(stage: string, progress: Progress | undefined): Html | undefined {
  if (progress?.stage !== stage) return undefined;
  const percent = Math.floor(progress.fraction * 100);
  return html`<div class="progress"><progress max="100" value="${percent}" aria-label="Progress of this stage">${percent} %</progress>
<span>${percent} % ${progress.message}</span></div>`;
}
