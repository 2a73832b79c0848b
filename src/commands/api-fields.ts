import { usageError } from '../errors.js';

/** Fields of a raw request, as users of `gh api` write them. */
type Field = readonly [key: string, value: unknown];

/** A field as it was typed: `-f` is text, `-F` has a type. */
export interface GivenField {
  text: string;
  typed: boolean;
}

/** `-f key=value` as text; `-F key=value` with its type, and `@file` (or `@-`) for a file's text. */
export async function readFields(
  given: readonly GivenField[],
  readText: (path: string) => Promise<string>,
): Promise<Field[]> {
  const fields: Field[] = [];
  for (const field of given) {
    const [key, value] = splitField(field.text, field.typed ? '-F' : '-f');
    if (!field.typed) fields.push([key, value]);
    else fields.push([key, value.startsWith('@') ? await readText(value.slice(1)) : typed(value)]);
  }
  return fields;
}

function splitField(text: string, flag: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usageError(`${flag} ${JSON.stringify(text)} is no field`, { hint: 'write key=value' });
}

/** `true`, `false`, `null` and numbers as such, everything else as text. */
function typed(value: string): unknown {
  if (value === 'true' || value === 'false' || value === 'null') return JSON.parse(value);
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(value) ? Number(value) : value;
}

export function withQuery(path: string, fields: readonly Field[]): string {
  if (fields.length === 0) return path;
  const query = new URLSearchParams(fields.map(([key, value]): [string, string] => [key, String(value)]));
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** The body of the fields: `a=1`, `a[b]=1` for members of members, `a[]=1` for lists. */
export function toBody(fields: readonly Field[]): Record<string, unknown> {
  const body: Record<string, unknown> = Object.create(null);
  for (const [key, value] of fields) {
    const steps = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key);
    if (!steps) throw wrongKey(key);
    const inner = [...(steps[2] ?? '').matchAll(/\[([^\]]*)\]/g)].map(([, name = '']) => name);
    put(body, [steps[1] ?? '', ...inner], value, key);
  }
  return body;
}

function put(target: Record<string, unknown>, steps: readonly string[], value: unknown, key: string): void {
  const [name = '', next, ...rest] = steps;
  if (next === undefined) {
    target[name] = value;
  } else if (next === '') {
    if (rest.length > 0) throw wrongKey(key);
    const list = target[name] ?? [];
    if (!Array.isArray(list)) throw wrongKey(key);
    target[name] = [...list, value];
  } else {
    const inner = target[name] ?? Object.create(null);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) throw wrongKey(key);
    target[name] = inner;
    put(inner, [next, ...rest], value, key);
  }
}

function wrongKey(key: string) {
  return usageError(`the field ${JSON.stringify(key)} fits into no body`, {
    hint: 'write name, name[member] or name[]; each name is either a value, an object or a list',
  });
}
