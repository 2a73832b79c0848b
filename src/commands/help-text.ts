import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { EXIT_CODES } from '../exit-codes.js';

export interface HelpText {
  /** What it does and does not do, in a few plain sentences. */
  about?: string;
  /** Command lines that work as they stand, without the leading `clipctl`. */
  examples: readonly string[];
  /** Exit codes a script should know about, beside 0, 1 and 2. */
  exitCodes?: readonly number[];
}

/** Adds the parts every command's help has after its options. */
export function addHelp(command: CommandUnknownOpts, help: HelpText): void {
  command.addHelpText('after', () => {
    const codes = [0, 2, ...(help.exitCodes ?? [])].map((code) => {
      const row = EXIT_CODES.find((known) => known.code === code);
      return `  ${String(code).padStart(3)}  ${row?.meaning ?? ''}`;
    });
    return [
      ...(help.about ? ['', help.about] : []),
      '',
      'Examples:',
      ...help.examples.map((line) => `  clipctl ${line}`),
      '',
      'Exit codes (all: clipctl help exit-codes):',
      ...codes,
      '',
      'Global options (--json, --local, --dry-run …): clipctl help',
    ].join('\n');
  });
}
