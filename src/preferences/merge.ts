export type JsonObject = Record<string, unknown>;

export function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Merges left to right: objects by key, everything else (lists too) is replaced by the later one. */
export function mergePreferences(objects: readonly JsonObject[]): JsonObject {
  return objects.reduce<JsonObject>((merged, next) => mergeTwo(merged, next), {});
}

function mergeTwo(base: JsonObject, over: JsonObject): JsonObject {
  const entries = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const known = entries.get(key);
    entries.set(key, isPlainObject(known) && isPlainObject(value) ? mergeTwo(known, value) : value);
  }
  return Object.fromEntries(entries);
}

/** The member at a dotted path, or undefined. */
export function memberAt(object: unknown, path: string): unknown {
  let at = object;
  for (const name of path.split('.'))
    at = isPlainObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}

/** An object that holds only the value at a dotted path. */
export function objectAt(path: string, value: unknown): JsonObject {
  const [head = '', ...rest] = path.split('.');
  return { [head]: rest.length === 0 ? value : objectAt(rest.join('.'), value) };
}

/** Without members that are null, at any depth of objects. */
export function withoutNulls(object: JsonObject): JsonObject {
  const entries = Object.entries(object)
    .filter(([, value]) => value !== null)
    .map(([key, value]): [string, unknown] => [key, isPlainObject(value) ? withoutNulls(value) : value]);
  return Object.fromEntries(entries);
}
