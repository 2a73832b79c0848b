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

/** Adds the parts every command's help has after its options. A group's help shows the first example of each verb. */
export function addHelp(command: CommandUnknownOpts, help: HelpText): void {
  if (command.parent?.parent) addGroupExample(command.parent, help.examples[0]);
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

const groupExamples = new WeakMap<CommandUnknownOpts, string[]>();

function addGroupExample(group: CommandUnknownOpts, example: string | undefined): void {
  if (example === undefined) return;
  const known = groupExamples.get(group);
  if (known) {
    known.push(example);
    return;
  }
  const examples = [example];
  groupExamples.set(group, examples);
  group.addHelpText('after', () =>
    ['', 'Examples:', ...examples.map((line) => `  clipctl ${line}`)].join('\n'),
  );
}
