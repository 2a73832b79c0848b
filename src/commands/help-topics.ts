import { EXIT_CODES } from '../exit-codes.js';
import { OTHER_ENVIRONMENT, SETTINGS, type Setting } from '../settings/table.js';

export interface Topic {
  name: string;
  about: string;
  text(): string;
}

/** The topics of `clipctl help <topic>`. Those with tables are made from the tables the program works by. */
export const TOPICS: readonly Topic[] = [
  { name: 'exit-codes', about: 'what each exit code means', text: exitCodesText },
  { name: 'environment', about: 'environment variables and settings', text: environmentText },
];

function exitCodesText(): string {
  const rows = EXIT_CODES.map(({ code, kinds, meaning }) => {
    const names = kinds.length > 0 ? ` [${kinds.join(', ')}]` : '';
    return `  ${String(code).padStart(3)}  ${meaning}${names}`;
  });
  return `Exit codes. In brackets: the "code" of the error under --json.\n\n${rows.join('\n')}\n`;
}

function environmentText(): string {
  const settings: readonly Setting[] = SETTINGS;
  const named = settings.flatMap(({ env, about }) => (env ? [{ env, about }] : []));
  const rows = [...named, ...OTHER_ENVIRONMENT];
  const width = Math.max(...rows.map(({ env }) => env.length));
  const lines = rows.map(({ env, about }) => `  ${env.padEnd(width)}  ${about}`);
  return [
    'Environment variables. A flag wins over a variable, a variable over the profile, the profile over the',
    'config file; clipctl config list --origin shows where each value came from. A .env file is not read.',
    '',
    ...lines,
    '',
  ].join('\n');
}
