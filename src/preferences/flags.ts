import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { usageError } from '../errors.js';
import { PREFERENCE_FLAGS, type PreferenceFlag } from './flag-table.js';
import { type JsonObject, mergePreferences, objectAt } from './merge.js';
import { PARSERS, type ParseValue } from './parse-values.js';

/** Declares every preference flag on a command. Help shows them in their groups. */
export function registerPreferenceFlags(command: CommandUnknownOpts): void {
  for (const row of PREFERENCE_FLAGS) {
    const [positive, negative] = [
      command.createOption(spelling(row), aboutWithNegative(row)),
      negativeOf(row),
    ];
    if (row.many) positive.argParser((value: string, list: string[] | undefined) => [...(list ?? []), value]);
    command.addOption(positive.helpGroup(`${row.group}:`));
    if (negative)
      command.addOption(
        command.createOption(negative, `no: ${row.about}`).helpGroup(`${row.group}:`).hideHelp(),
      );
  }
}

/** Help shows one line a flag: the negative form is named beside the positive one. */
function aboutWithNegative(row: PreferenceFlag): string {
  const negative = negativeOf(row);
  return negative ? `${row.about} (off: ${negative})` : row.about;
}

function spelling(row: PreferenceFlag): string {
  return row.placeholder === undefined ? row.flag : `${row.flag} ${row.placeholder}`;
}

export function negativeOf({ flag, negatable }: PreferenceFlag): string | undefined {
  return negatable ? flag.replace(/^--/, '--no-') : undefined;
}

/** commander's name of a flag's value: `--font-px` is `fontPx`. */
export function attributeOf(flag: string): string {
  return flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Boolean flags take no value. `--caption=false` would otherwise be an unknown option, and `--caption false` would
 * make a file of the word, so both are refused with the way to write it. `valueFlags`: other options that take the
 * next word as their value, so that a value which looks like a flag is left alone.
 */
export function checkBooleanFlagMisuse(argv: readonly string[], valueFlags?: ReadonlySet<string>): void {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') return;
    const [name = '', value] = word.split(/=(.*)/s, 2);
    const row = PREFERENCE_FLAGS.find(
      (each) => each.boolean && (each.flag === name || negativeOf(each) === name),
    );
    if (row) {
      const given = value ?? (/^(true|false)$/i.test(argv[at + 1] ?? '') ? argv[at + 1] : undefined);
      if (given !== undefined) throw refuseBoolean(row, word, given, value === undefined);
    } else if (value === undefined && (takesValue(name) || valueFlags?.has(name))) at++;
  }
}

function takesValue(name: string): boolean {
  return PREFERENCE_FLAGS.some(({ flag, placeholder }) => placeholder !== undefined && flag === name);
}

function refuseBoolean(row: PreferenceFlag, word: string, value: string, apart: boolean) {
  const negated = word.startsWith(negativeOf(row) ?? '\n');
  const off = /^(false|no|off|0)$/i.test(value) !== negated;
  const instead = off ? (negativeOf(row) ?? `no ${row.flag}`) : row.flag;
  return usageError(`${word}${apart ? ` ${value}` : ''}: this flag takes no value`, {
    hint: `write ${instead}`,
  });
}

/**
 * The creation body's members that flags set. `values` is what commander gives. Files that flags name are read
 * elsewhere (resolve.ts).
 */
export function readPreferenceFlags(values: JsonObject): JsonObject {
  const parts: JsonObject[] = [];
  for (const row of PREFERENCE_FLAGS) {
    const value = values[attributeOf(row.flag)];
    // `--no-title` leaves false: no title was given.
    if (row.path === undefined || value === undefined || (value === false && !row.negatable)) continue;
    parts.push(objectAt(row.path, readValue(row, value)));
  }
  return mergePreferences([...parts, readRange(values), readActions(values)]);
}

function readValue(row: PreferenceFlag, value: unknown): unknown {
  if (row.boolean) return value === true;
  if (value === false) return { enabled: false };
  const parse: ParseValue = PARSERS[row.parse ?? 'anyText'];
  if (Array.isArray(value)) return value.map((text) => parse(String(text), row.flag));
  return parse(String(value), row.flag);
}

/** `--start` and `--end` belong together, and not beside `--range`. */
function readRange({ start, end, range }: JsonObject): JsonObject {
  if (start === undefined && end === undefined) return {};
  if (range !== undefined)
    throw usageError('--range excludes --start and --end', { hint: 'give one form only' });
  if (start === undefined || end === undefined) {
    throw usageError(
      `--${start === undefined ? 'end' : 'start'} needs --${start === undefined ? 'start' : 'end'}`,
      {
        hint: 'a range has both ends; leave both away for the whole video',
      },
    );
  }
  const startSec = PARSERS.seconds(String(start), '--start');
  const endSec = PARSERS.seconds(String(end), '--end');
  if (startSec < endSec) return { curationPref: { range: { startSec, endSec } } };
  throw usageError(`--start ${String(start)} is not before --end ${String(end)}`);
}

function readActions({ notifyEmail, notifyWebhook }: JsonObject): JsonObject {
  const texts = (value: unknown, parse: ParseValue, flag: string) =>
    Array.isArray(value) ? value.map((text) => parse(String(text), flag)) : [];
  const actions = [
    ...texts(notifyEmail, PARSERS.email, '--notify-email').map((email) => ({ type: 'EMAIL', email })),
    ...texts(notifyWebhook, PARSERS.url, '--notify-webhook').map((url) => ({ type: 'WEBHOOK', url })),
  ];
  return actions.length > 0 ? { conclusionActions: actions } : {};
}

/** `--notify-failure` is of all actions, wherever they were given; without any there is nobody to tell. */
export function applyNotifyFailure(preferences: JsonObject, { notifyFailure }: JsonObject): JsonObject {
  if (notifyFailure !== true) return preferences;
  const { conclusionActions } = preferences;
  if (!Array.isArray(conclusionActions) || conclusionActions.length === 0) {
    throw usageError('--notify-failure needs an action', { hint: 'add --notify-email or --notify-webhook' });
  }
  return {
    ...preferences,
    conclusionActions: conclusionActions.map((action) => ({ ...action, notifyFailure: true })),
  };
}
