import { EXIT_CODES } from '../exit-codes.js';
import { OTHER_ENVIRONMENT, SETTINGS, type Setting } from '../settings/table.js';
import { IDS_TEXT, OUTPUT_TEXT, SECURITY_TEXT, TIME_TEXT, UPLOADS_TEXT } from './help-topics-prose.js';

export interface Topic {
  name: string;
  about: string;
  text(): string | Promise<string>;
}

/** The topics of `clipctl help <topic>`. Those with tables are made from the tables the program works by. */
export const TOPICS: readonly Topic[] = [
  { name: 'exit-codes', about: 'what each exit code means', text: exitCodesText },
  { name: 'environment', about: 'environment variables and settings', text: environmentText },
  { name: 'output', about: 'stdout and stderr, --json, --query, tables', text: () => OUTPUT_TEXT },
  {
    name: 'preferences',
    about: 'flags, presets and files that say what the clips are like',
    text: preferencesText,
  },
  { name: 'time', about: 'how times and durations are written', text: () => TIME_TEXT },
  { name: 'ids', about: 'which ids there are and where they come from', text: () => IDS_TEXT },
  { name: 'uploads', about: 'how uploads go on after a break', text: () => UPLOADS_TEXT },
  { name: 'security', about: 'where the key is kept and where it goes', text: () => SECURITY_TEXT },
  { name: 'service', about: 'what the local service decided for itself', text: serviceText },
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

/** The flags beside the members they set, from the flags' own table. */
async function preferencesText(): Promise<string> {
  const { PREFERENCE_FLAGS } = await import('../preferences/flag-table.js');
  const { GENRES, MODELS } = await import('../api/preference-values.js');
  const rows = PREFERENCE_FLAGS.flatMap(({ flag, placeholder, negatable, path }) => {
    const negative = negatable ? `, ${flag.replace(/^--/, '--no-')}` : '';
    return path === undefined ? [] : [[`${flag}${placeholder ? ` ${placeholder}` : ''}${negative}`, path]];
  });
  const width = Math.max(...rows.map(([flag = '']) => flag.length));
  return [
    'Preferences: what upload, project create, batch and preset save take',
    '',
    'Sources, later ones win: config defaults.* < --preset (repeatable) < --prefs (repeatable) < flags. Objects are',
    'merged member by member, lists are replaced. A --preset with / or . in it is a file.',
    '',
    'A file is YAML or JSON, the body of the creation without videoUrl, in the names of the interface document:',
    '',
    '  curationPref:',
    '    genre: Podcast',
    '    clipDurations: [[30, 60]]',
    '  renderPref:',
    '    enableCaption: true',
    '',
    'Flags and the members they set:',
    '',
    ...rows.map(([flag = '', path = '']) => `  ${flag.padEnd(width)}  ${path}`),
    '',
    `Genres: ${GENRES.join(', ')} (qa is Q&A).`,
    `Models: ${MODELS.join(', ')}. Keywords work with ClipBasic, a prompt with ClipAnything.`,
    '',
    'renderPref is sent only when something of the look was given, and then complete: what was not given is off, with',
    '4:3 and a default font; a note says what the clips will look like. config render.send=partial sends only what was',
    'given, a font and highlight colours whole. --interactive asks for everything and says the same as a command line.',
    '',
  ].join('\n');
}

async function serviceText(): Promise<string> {
  const { DECISIONS } = await import('../service/decisions.js');
  return [
    'The local service (clipctl serve, --local) answers the whole interface. Where the interface document shows nothing',
    'it had to choose; another service may have chosen otherwise:',
    '',
    ...DECISIONS.flatMap(({ about, choice }) => [about, `  ${choice}`]),
    '',
  ].join('\n');
}
