import type { Command } from '@commander-js/extra-typings';

/** The global options as commander gives them. Absent means: look at environment, profile and config. */
export interface GlobalFlags {
  profile?: string;
  local?: boolean;
  baseUrl?: string;
  apiKeyFile?: string;
  json?: boolean;
  query?: string;
  quiet?: boolean;
  verbose?: boolean;
  input?: boolean;
  yes?: boolean;
  dryRun?: boolean;
  color?: boolean;
  timeout?: string;
  retries?: string;
}

/** The one list of global options: registration and the search for the command's name read it. */
export const GLOBAL_OPTIONS = [
  ['--profile <name>', 'use a named base address, key and defaults'],
  ['--local', 'use the local service on this machine; no account needed'],
  ['--base-url <url>', 'base address of the service'],
  ['--api-key-file <path>', 'read the API key from a file'],
  ['--json', 'one JSON document on stdout; errors as one JSON line on stderr'],
  ['--query <jmespath>', 'filter the JSON (implies --json)'],
  ['-q, --quiet', 'no notes and no progress'],
  ['-v, --verbose', 'one line per request on stderr'],
  ['--no-input', 'never ask a question'],
  ['-y, --yes', 'skip confirmations'],
  ['-n, --dry-run', 'print the requests that would be sent, as JSON; send nothing'],
  ['--no-color', 'no colour'],
  ['--timeout <duration>', 'time limit of one API request'],
  ['--retries <n>', 'how often a repeatable request is tried again'],
] as const;

export function registerGlobalOptions(program: Command): void {
  for (const [flags, about] of GLOBAL_OPTIONS) program.option(flags, about);
  // commander sets `--no-x` options to true by itself; absent must stay absent.
  program.setOptionValue('input', undefined);
  program.setOptionValue('color', undefined);
}

const VALUE_OPTIONS = new Set(
  GLOBAL_OPTIONS.filter(([flags]) => flags.includes('<')).map(([flags]) => flags.split(' ')[0]),
);

/** As they are typed: `--quiet`, `-q`. */
export const GLOBAL_NAMES = [
  ...GLOBAL_OPTIONS.flatMap(([flags]) => (flags.split(' <')[0] ?? '').split(', ')),
  ...['--version', '--help', '-h'],
];

/** Whether a word is an option, and none of those that may stand before the command. */
export function isUnknownOption(word: string): boolean {
  if (word.startsWith('--')) return !GLOBAL_NAMES.includes(word.split('=')[0] ?? '');
  return /^-./.test(word) && ![...word.slice(1)].every((letter) => GLOBAL_NAMES.includes(`-${letter}`));
}

/** The words of the command line that are neither options nor values of global options. */
export function commandWords(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') break;
    if (VALUE_OPTIONS.has(word)) at++;
    else if (!word.startsWith('-')) words.push(word);
  }
  return words;
}
