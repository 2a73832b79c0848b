import { COMMANDS } from './command-table.js';
import { GLOBAL_OPTIONS } from './globals.js';
import { wrap } from './terminal/wrap.js';

/**
 * The help of clipctl itself, without commander: it is what people ask for first and most, and loading the parser to
 * print two tables took a third of the time.
 */
export function rootHelp(columns: number): string {
  const commands = COMMANDS.map(({ name, summary }): [string, string] => [name, summary]);
  const options = [
    ...GLOBAL_OPTIONS,
    ['--version', 'print the version'],
    ['-h, --help', 'help for a command'],
  ] as const;
  return [
    'Turn long videos into short clips.',
    '',
    'Usage: clipctl <command> [options]',
    '',
    'Commands:',
    ...twoColumns(commands, columns),
    '',
    ...wrap('Global options, before or after the command:', columns),
    ...twoColumns(options, columns),
    '',
    'Start here, without an account:',
    '  clipctl --local upload talk.mp4 --duration 0-30 --caption --wait --download clips',
    '',
    'With an account:',
    '  clipctl auth login --base-url https://…',
    '  clipctl upload talk.mp4 --genre Podcast --wait --download clips',
    '',
    ...wrap('clipctl help <command> explains a command; clipctl help topics lists the topics.', columns),
    '',
  ].join('\n');
}

const LEAST_WIDTH = 20;

/** Terms left, sentences right, wrapped under themselves; where that is too narrow, sentences under their terms. */
function twoColumns(rows: readonly (readonly [string, string])[], columns: number): string[] {
  const left = Math.max(...rows.map(([term]) => term.length)) + 4;
  const width = Math.min(columns, 100) - left;
  if (width < LEAST_WIDTH) {
    return rows.flatMap(([term, about]) => [
      `  ${term}`,
      ...wrap(about, columns - 6).map((line) => `      ${line}`),
    ]);
  }
  return rows.flatMap(([term, about]) =>
    wrap(about, width).map((line, at) => (at === 0 ? `  ${term}`.padEnd(left) : ' '.repeat(left)) + line),
  );
}
