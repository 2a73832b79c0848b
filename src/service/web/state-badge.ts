import { type Html, html } from './html.js';

/** How a state looks. The colour repeats what the word says. */
const LOOKS: Record<string, 'good' | 'bad' | 'wait' | 'off'> = {
  COMPLETE: 'good',
  CONCLUDED: 'good',
  DELIVERED: 'good',
  PUBLISHED: 'good',
  STALLED: 'bad',
  FAILED: 'bad',
  CANCELLED: 'off',
};

/** A stage or state in a person's words. */
export function stateBadge(state: string): Html {
  const words = state.charAt(0) + state.slice(1).toLowerCase().replaceAll('_', ' ');
  return html`<span class="badge ${LOOKS[state] ?? 'wait'}">${words}</span>`;
}
