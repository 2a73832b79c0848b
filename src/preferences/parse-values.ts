import { ASPECT_RATIOS, FONT_SIZES, FONT_TYPES, GENRES, MODELS } from '../api/preference-values.js';
import { parseSeconds } from '../durations.js';
import { usageError } from '../errors.js';
import { nearest } from '../nearest.js';

/** Text of a flag into the value that is sent. Each throws a usage error that names the flag and what is accepted. */
export type ParseValue = (text: string, flag: string) => unknown;

function refuse(text: string, flag: string, accepted: string, near?: string): never {
  throw usageError(
    `${flag} ${JSON.stringify(text)} is not ${accepted}`,
    near ? { hint: `did you mean ${near}?` } : {},
  );
}

/** A name of a list, whatever its case, with other spellings. */
function oneOf(names: readonly string[], others: Record<string, string> = {}): ParseValue {
  return (text, flag) => {
    const found = findName(text, names, others);
    if (found !== undefined) return found;
    const near = nearest(text, names);
    return refuse(
      text,
      flag,
      `one of ${names.join(', ')}`,
      near && (near.includes(' ') ? `'${near}'` : near),
    );
  };
}

function findName(
  text: string,
  names: readonly string[],
  others: Record<string, string>,
): string | undefined {
  const typed = text.toLowerCase();
  const other = Object.hasOwn(others, typed) ? others[typed] : undefined;
  return names.find((name) => name.toLowerCase() === typed) ?? other;
}

const OTHER_GENRES = { qa: 'Q&A' };

/** The genre as the document writes it, or undefined when there is none like it. */
export function findGenre(text: string): string | undefined {
  return findName(text, GENRES, OTHER_GENRES);
}

const HEX_COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

export function isHexColor(text: string): boolean {
  return HEX_COLOR.test(text);
}

function color(text: string, flag: string): string {
  return isHexColor(text) ? text : refuse(text, flag, 'a hex colour such as #ffcc00');
}

function seconds(text: string, flag: string): number {
  return parseSeconds(text) ?? refuse(text, flag, 'a time such as 90, 90s, 1:30 or 01:02:03');
}

/** `30-60`, `1m30s-2m`. */
function pair(text: string, flag: string): [number, number] {
  const match = /^([^-]+)-([^-]+)$/.exec(text);
  const [from, to] = [parseSeconds(match?.[1] ?? ''), parseSeconds(match?.[2] ?? '')];
  if (from === undefined || to === undefined) return refuse(text, flag, 'two times, like 30-60 or 1m-1m30s');
  if (from < to) return [from, to];
  return refuse(text, flag, 'a span: its first time must be below its second');
}

function range(text: string, flag: string): { startSec: number; endSec: number } {
  const [startSec, endSec] = pair(text, flag);
  return { startSec, endSec };
}

const nonEmptyText: ParseValue = (text, flag) => (text.trim() === '' ? refuse(text, flag, 'a text') : text);

const FULL_EMAIL = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>.]+$/;

export function isEmail(text: string): boolean {
  return FULL_EMAIL.test(text);
}

export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text);
}

const LANGUAGE = /^(auto|[a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$/i;

export function isLanguage(text: string): boolean {
  return LANGUAGE.test(text);
}

export function isRatio(text: string): boolean {
  const match = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/.exec(text);
  return match !== null && Number(match[1]) > 0 && Number(match[2]) > 0;
}

function positive(text: string, flag: string): number {
  return /^\d+(\.\d+)?$/.test(text) && Number(text) > 0
    ? Number(text)
    : refuse(text, flag, 'a number above 0');
}

function stroke(text: string, flag: string): { enabled: true; color: string; width: number } {
  const [hex = '', width = '', ...rest] = text.split(',');
  if (rest.length > 0 || !isHexColor(hex) || !/^\d+(\.\d+)?$/.test(width)) {
    return refuse(text, flag, 'a colour and a width, like #000000,4');
  }
  return { enabled: true, color: hex, width: Number(width) };
}

function shadow(text: string, flag: string): Record<string, unknown> {
  const [hex = '', x = '', y = '', blur = '', word, ...rest] = text.split(',');
  const numbers = [x, y, blur].map(Number);
  const fine =
    isHexColor(hex) && [x, y].every((part) => /^-?\d+(\.\d+)?$/.test(part)) && /^\d+(\.\d+)?$/.test(blur);
  if (!fine || rest.length > 0 || (word !== undefined && word !== 'word')) {
    return refuse(text, flag, 'a colour, x, y and blur, like #000000,2,2,4 or #000000,2,2,4,word');
  }
  const [xNumber, yNumber, blurNumber] = numbers;
  const base = { enabled: true, color: hex, x: xNumber, y: yNumber, blur: blurNumber };
  return word === undefined ? base : { ...base, useWordHighlightColor: true };
}

/** Parsers by the name the flag table gives them. */
export const PARSERS = {
  text: nonEmptyText,
  anyText: (text: string) => text,
  genre: oneOf(GENRES, OTHER_GENRES),
  model: oneOf(MODELS),
  aspect: oneOf(ASPECT_RATIOS, { '9:16': 'portrait', '16:9': 'landscape', '1:1': 'square' }),
  fontType: oneOf(FONT_TYPES),
  fontSize: oneOf(FONT_SIZES),
  decoration: (text: string, flag: string) =>
    text.toLowerCase() === 'none' ? '' : oneOf(['underline', 'line-through', 'none'])(text, flag),
  color,
  seconds,
  pair,
  range,
  stroke,
  shadow,
  positive,
  email: (text: string, flag: string) => (isEmail(text) ? text : refuse(text, flag, 'an e-mail address')),
  url: (text: string, flag: string) => (isHttpUrl(text) ? text : refuse(text, flag, 'an http(s) address')),
  language: (text: string, flag: string) =>
    isLanguage(text) ? text : refuse(text, flag, 'a language code such as en, de or pt-BR, or auto'),
  ratio: (text: string, flag: string) => (isRatio(text) ? text : refuse(text, flag, 'a ratio such as 4:3')),
} as const satisfies Record<string, ParseValue>;
