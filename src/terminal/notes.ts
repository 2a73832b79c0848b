import type { Io } from './io.js';
import { withLocal } from './local-hints.js';
import { safeText } from './safe-text.js';
import type { Style } from './style.js';
import { wrap } from './wrap.js';

/**
 * How much is said on stderr. `terse` is `--json` in a pipe: a program reads, so only warnings, resumptions and the
 * one line of an error are left.
 */
export type Loudness = 'quiet' | 'terse' | 'normal' | 'verbose' | 'debug';

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
    if (this.#talks)
      this.#line(this.#wrapped(`note: ${safeText(text)}`).replace('note:', this.style.dim('note:')));
  }

  /** Something that may go wrong; shown even when quiet. */
  warn(text: string): void {
    this.#seen.push(text);
    this.#line(`${this.style.yellow('warning:')} ${safeText(text)}`);
  }

  /** What a person would type next. */
  next(text: string): void {
    if (!this.#talks) return;
    this.#line(`${this.style.cyan('next:')} ${safeText(this.#local ? withLocal(text) : text)}`);
  }

  /** A plain line of progress or prose. */
  say(text: string): void {
    if (this.#talks) this.#line(safeText(text));
  }

  /** A sentence without anything to copy, wrapped to the terminal. */
  sentence(text: string): void {
    if (this.#talks) this.#line(this.#wrapped(safeText(text)));
  }

  /** What even a script's log should have: that an upload goes on and where. */
  tell(text: string): void {
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

  /** Whether people are spoken to. */
  get #talks(): boolean {
    return this.loudness !== 'quiet' && this.loudness !== 'terse';
  }

  #wrapped(text: string): string {
    const { isTTY, columns = 80 } = this.#stderr;
    return isTTY === true ? wrap(text, columns - 1, '  ').join('\n') : text;
  }

  get seen(): readonly string[] {
    return this.#seen;
  }

  #line(text: string): void {
    this.beforeWrite?.();
    this.#stderr.write(`${text}\n`);
  }
}
