import { messageOf, usageError } from '../errors.js';
import type { Io } from './io.js';
import { safeJson, safeLine, safeText } from './safe-text.js';
import type { Table } from './table.js';

/**
 * The one writer of stdout. A result has two faces: lines or a table for people and shell scripts, and one JSON
 * document under `--json`. Nothing else of the program writes there.
 */
export class Output {
  readonly json: boolean;
  readonly #io: Pick<Io, 'stdout' | 'stderr'>;
  readonly #query: string | undefined;

  constructor(io: Pick<Io, 'stdout' | 'stderr'>, options: { json: boolean; query?: string }) {
    this.#io = io;
    this.json = options.json || options.query !== undefined;
    this.#query = options.query;
  }

  /** Whether `--query` picks something out of the document. */
  get filters(): boolean {
    return this.#query !== undefined;
  }

  /** Prints a finished result. Lines are made safe; JSON values stay unchanged. */
  async result(
    result: { json: unknown; lines: readonly string[] } | { json: unknown; table: Table },
  ): Promise<void> {
    if (this.json) return this.document(result.json);
    if ('lines' in result) return this.lines(result.lines);
    const { renderTable } = await import('./table.js');
    this.#write(renderTable(result.table, this.#io.stdout));
  }

  /** Lines for people and scripts; nothing under `--json`. */
  lines(lines: readonly string[]): void {
    if (!this.json && lines.length > 0) this.#write(`${lines.map(safeLine).join('\n')}\n`);
  }

  /** The JSON document; nothing without `--json`. Called once a run. */
  async document(value: unknown): Promise<void> {
    if (this.json) await this.always(value);
  }

  /** A JSON document with and without `--json`: of a dry run, which has no other face. */
  async always(value: unknown): Promise<void> {
    const shown = this.#query === undefined ? value : await this.#filter(this.#query, value);
    const isTerminal = this.#io.stdout.isTTY === true;
    if (this.#query !== undefined && typeof shown === 'string') {
      // A program gets the value unchanged, a terminal gets it safe.
      this.#write(`${isTerminal ? safeText(shown) : shown}\n`);
    } else this.#write(`${safeJson(shown ?? null, isTerminal ? 2 : 0)}\n`);
  }

  /** Text as it is (help, a completion script, a raw body); the caller answers for its safety. */
  raw(text: string | Uint8Array): void {
    this.#write(text);
  }

  /** Longer text for people: line ends stay, everything else unsafe is escaped. */
  text(text: string): void {
    this.#write(safeText(text));
  }

  /**
   * What `--query` picks. An expression that this very value does not suit must not cost the value: a command that
   * made something is done, and its id is nowhere else. So the whole value is given, with a warning.
   */
  async #filter(query: string, value: unknown): Promise<unknown> {
    const { search } = await import('./jmespath.js');
    try {
      return search(query, value);
    } catch (error) {
      const why = safeText(messageOf(error));
      this.#io.stderr.write(`warning: --query could not be applied, here is the whole result: ${why}\n`);
      return value;
    }
  }

  #write(text: string | Uint8Array): void {
    this.#io.stdout.write(text);
  }
}

/** Checks a `--query` before anything is sent, so that a typing error costs nothing. */
export async function checkQuery(query: string | undefined): Promise<void> {
  if (query === undefined) return;
  const { compile } = await import('./jmespath.js');
  try {
    compile(query);
  } catch (error) {
    throw usageError(`--query is not a JMESPath expression: ${messageOf(error)}`, {
      hint: "for example --query 'project.id'; see clipctl help output",
      cause: error,
    });
  }
}
