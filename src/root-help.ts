import { COMMANDS } from './command-table.js';
import { GLOBAL_OPTIONS } from './globals.js';

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
    'Global options, before or after the command:',
    ...twoColumns(options, columns),
    '',
    'Start here, without an account:',
    '  clipctl --local upload talk.mp4 --duration 0-30 --caption --wait --download clips',
    '',
    'With an account:',
    '  clipctl auth login --base-url https://…',
    '  clipctl upload talk.mp4 --genre Podcast --wait --download clips',
    '',
    'clipctl help <command> explains a command; clipctl help topics lists the topics.',
    '',
  ].join('\n');
}

/** Terms left, sentences right, wrapped under themselves. */
function twoColumns(rows: readonly (readonly [string, string])[], columns: number): string[] {
  const left = Math.max(...rows.map(([term]) => term.length)) + 4;
  const width = Math.max(20, Math.min(columns, 100) - left);
  return rows.flatMap(([term, about]) =>
    wrap(about, width).map((line, at) => (at === 0 ? `  ${term}`.padEnd(left) : ' '.repeat(left)) + line),
  );
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
