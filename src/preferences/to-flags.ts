import { DEFAULT_RENDER } from './defaults.js';
import { PREFERENCE_FLAGS, type PreferenceFlag } from './flag-table.js';
import { applyNotifyFailure, attributeOf, negativeOf, readPreferenceFlags } from './flags.js';
import { isPlainObject, type JsonObject, memberAt, mergePreferences } from './merge.js';

/** Preferences back into the flags that give them, for "the equivalent command line". */

/** The words of the flags, each word one argument. What no flag can say is left out: see `inexpressibleMembers`. */
export function toFlags(preferences: JsonObject): string[] {
  const values = toFlagValues(preferences);
  return PREFERENCE_FLAGS.flatMap((row) => {
    const value = values[attributeOf(row.flag)];
    if (value === undefined) return [];
    if (value === true) return [row.flag];
    if (value === false) return [negativeOf(row) ?? ''];
    return (Array.isArray(value) ? value : [value]).flatMap((text) => [row.flag, String(text)]);
  });
}

/** Dotted paths of members that `toFlags` cannot give back; those need a preference file. */
export function inexpressibleMembers(preferences: JsonObject): string[] {
  const values = toFlagValues(preferences);
  const flags = applyNotifyFailure(readPreferenceFlags(values), values);
  const back = mergePreferences([{ renderPref: DEFAULT_RENDER }, flags]);
  return leafPaths(preferences).filter(
    (path) => !sameValue(path, memberAt(preferences, path), memberAt(back, path)),
  );
}

/** A word as a POSIX shell needs it. */
export function shellQuote(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** What commander would give for the flags of these preferences. */
function toFlagValues(preferences: JsonObject): JsonObject {
  const values: JsonObject = actionValues(preferences.conclusionActions);
  for (const row of PREFERENCE_FLAGS) {
    const value = row.path === undefined ? undefined : memberAt(preferences, row.path);
    if (value === undefined || value === null) continue;
    const words = row.boolean ? value : flagValue(row, value);
    if (words !== undefined) values[attributeOf(row.flag)] = words;
  }
  return values;
}

function flagValue(row: PreferenceFlag, value: unknown): unknown {
  if (row.many)
    return Array.isArray(value) && value.length > 0 ? value.map((item) => asText(row, item)) : undefined;
  return asText(row, value);
}

function asText({ parse }: PreferenceFlag, value: unknown): string | false {
  if (parse === 'pair' && Array.isArray(value)) return value.map(plainNumber).join('-');
  if (parse === 'decoration' && value === '') return 'none';
  if (!isPlainObject(value)) return typeof value === 'number' ? plainNumber(value) : String(value);
  if (parse === 'range') return `${plainNumber(value.startSec)}-${plainNumber(value.endSec)}`;
  if (parse === 'stroke') {
    const { enabled, color, width } = { ...DEFAULT_RENDER.font.stroke, ...value };
    return enabled && `${color},${plainNumber(width)}`;
  }
  const { enabled, color, x, y, blur } = { ...DEFAULT_RENDER.font.shadow, ...value };
  const numbers = [x, y, blur].map(plainNumber).join(',');
  return enabled && `${color},${numbers}${value.useWordHighlightColor === true ? ',word' : ''}`;
}

/** Without an exponent, which the flags do not read. */
function plainNumber(value: unknown): string {
  const text = String(value);
  return text.includes('e-')
    ? Number(value)
        .toFixed(20)
        .replace(/\.?0+$/, '')
    : text;
}

function actionValues(actions: unknown): JsonObject {
  const list = Array.isArray(actions) ? actions.filter(isPlainObject) : [];
  const texts = (type: string, member: string) =>
    list.flatMap((action) => (action.type === type ? [String(action[member])] : []));
  const [emails, urls] = [texts('EMAIL', 'email'), texts('WEBHOOK', 'url')];
  return {
    ...(emails.length > 0 ? { notifyEmail: emails } : {}),
    ...(urls.length > 0 ? { notifyWebhook: urls } : {}),
    ...(list.length > 0 && list.every(({ notifyFailure }) => notifyFailure === true)
      ? { notifyFailure: true }
      : {}),
  };
}

function leafPaths(object: JsonObject, prefix = ''): string[] {
  return Object.entries(object).flatMap(([key, value]) =>
    isPlainObject(value) ? leafPaths(value, `${prefix}${key}.`) : [prefix + key],
  );
}

/** null says "none", as absence does; actions that do not ask for failures may say so or not. */
function sameValue(path: string, value: unknown, back: unknown): boolean {
  if (path === 'conclusionActions') return comparable(value) === comparable(back);
  return JSON.stringify(value ?? null) === JSON.stringify(back ?? null);
}

function comparable(actions: unknown): string {
  const list: unknown[] = Array.isArray(actions) ? actions : [];
  const texts = list.map((action) => {
    const { type, email, url, notifyFailure = false } = isPlainObject(action) ? action : {};
    return JSON.stringify([type, email, url, notifyFailure]);
  });
  return texts.sort().join('\n');
}
