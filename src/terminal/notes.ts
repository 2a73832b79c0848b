import type { Io } from './io.js';
import { withLocal } from './local-hints.js';
import { safeText } from './safe-text.js';
import type { Style } from './style.js';

/** How much is said on stderr. */
export type Loudness = 'quiet' | 'normal' | 'verbose' | 'debug';

/** What a person reads beside the result: notes, warnings and next steps, on stderr. */
export class Notes {
  readonly loudness: Loudness;
  readonly style: Style;
  readonly #stderr: Io['stderr'];
  readonly #local: boolean;
  readonly #seen: string[] = [];
  /** Set while a progress bar owns the last line: it is cleared before a note and drawn again after. */
  beforeWrite: (() => void) | undefined;

  constructor(io: Pick<Io, 'stderr'>, options: { loudness: Loudness; style: Style; local: boolean }) {
    this.#stderr = io.stderr;
    this.#local = options.local;
    this.loudness = options.loudness;
    this.style = options.style;
  }

  /** Something worth knowing. Also kept for the `notes` of a dry run. */
  note(text: string): void {
    this.#seen.push(text);
    if (this.loudness !== 'quiet') this.#line(`${this.style.dim('note:')} ${safeText(text)}`);
  }

  /** Something that may go wrong; shown even when quiet. */
  warn(text: string): void {
    this.#seen.push(text);
    this.#line(`${this.style.yellow('warning:')} ${safeText(text)}`);
  }

  /** What a person would type next. */
  next(text: string): void {
    if (this.loudness === 'quiet') return;
    this.#line(`${this.style.cyan('next:')} ${safeText(this.#local ? withLocal(text) : text)}`);
  }

  /** A plain line of progress or prose. */
  say(text: string): void {
    if (this.loudness !== 'quiet') this.#line(safeText(text));
  }

  /** One line a request, under --verbose. */
  trace(text: string): void {
    if (this.loudness === 'verbose' || this.loudness === 'debug') this.#line(this.style.dim(safeText(text)));
  }

  /** Headers and bodies, secrets already redacted, under CLIPCTL_DEBUG. */
  debug(text: string): void {
    if (this.loudness === 'debug') this.#line(this.style.dim(safeText(text)));
  }

  get seen(): readonly string[] {
    return this.#seen;
  }

  #line(text: string): void {
    this.beforeWrite?.();
    this.#stderr.write(`${text}\n`);
  }
}
