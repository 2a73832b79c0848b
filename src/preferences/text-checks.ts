import type { Problem } from '../api/describe-issue.js';
import { isPlainObject, type JsonObject, memberAt } from './merge.js';
import { isEmail, isHexColor, isHttpUrl, isLanguage, isRatio } from './parse-values.js';

type TextForm = readonly [fits: (text: string) => boolean, what: string];

const HEX: TextForm = [isHexColor, 'a hex colour such as #ffcc00'];

/** Forms of single texts, which the schema does not know. */
const TEXT_FORMS: Record<string, TextForm> = {
  'importPref.sourceLang': [isLanguage, 'a language code such as en or pt-BR, or auto'],
  'renderPref.fitLayoutCropRatio': [isRatio, 'a ratio such as 4:3'],
  'renderPref.font.color': HEX,
  'renderPref.font.stroke.color': HEX,
  'renderPref.font.shadow.color': HEX,
  'renderPref.highlightColor.primary': HEX,
  'renderPref.highlightColor.secondary': HEX,
};

const ACTION_FORMS: Record<string, TextForm> = {
  email: [isEmail, 'an e-mail address'],
  url: [isHttpUrl, 'an http(s) address'],
};

/** Texts that do not have the form their member asks for: colours, addresses, the language, the ratio. */
export function findTextProblems(preferences: JsonObject): Problem[] {
  const problems = Object.entries(TEXT_FORMS).flatMap(([path, form]) =>
    check(path, memberAt(preferences, path), form),
  );
  const actions: unknown[] = Array.isArray(preferences.conclusionActions)
    ? preferences.conclusionActions
    : [];
  for (const [at, action] of actions.entries()) {
    if (!isPlainObject(action)) continue;
    for (const [member, form] of Object.entries(ACTION_FORMS)) {
      problems.push(...check(`conclusionActions.${at}.${member}`, action[member], form));
    }
  }
  return problems;
}

function check(path: string, value: unknown, [fits, what]: TextForm): Problem[] {
  // Empty texts where one is needed are the schema's to tell.
  if (typeof value !== 'string' || value === '' || fits(value)) return [];
  return [{ path, message: `${JSON.stringify(value)} is not ${what}` }];
}
