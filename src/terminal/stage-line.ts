import type { Io } from './io.js';
import type { Notes } from './notes.js';
import { safeLine } from './safe-text.js';
import { fitText } from './table.js';

/** What a project tells of where it is. `progress` is the local service's; others may not have it. */
interface Staged {
  stage?: string;
  progress?: unknown;
}

/** Shows where a project is while somebody waits: one line drawn over in a terminal, a line a stage elsewhere. */
export class StageLine {
  readonly #io: Pick<Io, 'stderr' | 'env'>;
  readonly #notes: Notes;
  #shown = '';

  constructor(io: Pick<Io, 'stderr' | 'env'>, notes: Notes) {
    this.#io = io;
    this.#notes = notes;
  }

  show(project: Staged): void {
    if (this.#notes.loudness === 'quiet' || this.#notes.loudness === 'terse') return;
    if (!this.#redraws) {
      this.#plain(project);
      return;
    }
    const text = describeStage(project);
    this.#notes.beforeWrite = () => this.#clear();
    this.#clear();
    this.#shown = fitText(text, (this.#io.stderr.columns ?? 80) - 1);
    this.#io.stderr.write(this.#shown);
  }

  /** Ends the line; called before anything else is said. */
  end(): void {
    this.#clear();
    this.#notes.beforeWrite = undefined;
  }

  get #redraws(): boolean {
    return this.#io.stderr.isTTY === true && this.#io.env.TERM !== 'dumb';
  }

  #plain(project: Staged): void {
    const stage = project.stage ?? 'UNKNOWN';
    if (stage === this.#shown) return;
    this.#shown = stage;
    this.#notes.say(`stage: ${safeLine(stage)}`);
  }

  #clear(): void {
    if (this.#shown && this.#redraws) this.#io.stderr.write('\r\u001b[K');
    if (this.#redraws) this.#shown = '';
  }
}

function describeStage({ stage, progress }: Staged): string {
  const members =
    typeof progress === 'object' && progress !== null ? (progress as Record<string, unknown>) : {};
  const percent = typeof members.fraction === 'number' ? ` ${Math.round(members.fraction * 100)} %` : '';
  const message = typeof members.message === 'string' && members.message !== '' ? `  ${members.message}` : '';
  return safeLine(`${stage ?? 'UNKNOWN'}${percent}${message}`);
}
