import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClipctlError, errorCode, messageOf, usageError } from '../errors.js';

export type JsonObject = Record<string, unknown>;

/**
 * The two stores on disk, both JSON of mode 0600: `config` (settings, profiles, defaults) and `credentials`
 * (keys, each with the base address it was saved for).
 *
 * Reading is a plain JSON.parse: every command reads, and conf brings a schema validator that costs as much as
 * all of our own code. Writing goes through conf, which writes whole files.
 */
export interface Store {
  name: 'config' | 'credentials';
  dir: string;
}

export function storePath(store: Store): string {
  return join(store.dir, `${store.name}.json`);
}

/** The store's object; empty when there is no file. A damaged file is an error and stays as it is. */
export function readStore(store: Store): JsonObject {
  const path = storePath(store);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return {};
    throw usageError(`cannot read ${path}`, {
      reason: messageOf(error),
      hint: 'check its owner and mode',
      cause: error,
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(path, messageOf(error), error);
  }
  if (!isObject(value)) throw damaged(path, 'it holds no JSON object');
  return value;
}

function damaged(path: string, reason: string, cause?: unknown): ClipctlError {
  return usageError(`${path} is damaged`, {
    reason,
    hint: `mend it, or move it away (mv ${path} ${path}.damaged) and set things again; it was left as it is`,
    cause,
  });
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Changes a store: `change` gets a copy of what is there and returns what shall be there. Written whole, mode 0600. */
export async function changeStore(store: Store, change: (current: JsonObject) => JsonObject): Promise<void> {
  const next = change(structuredClone(readStore(store)));
  const { default: Conf } = await import('conf');
  try {
    const conf = new Conf<JsonObject>({
      projectName: 'clipctl',
      cwd: store.dir,
      configName: store.name,
      configFileMode: 0o600,
      clearInvalidConfig: false,
      serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
    });
    conf.store = next;
  } catch (error) {
    throw usageError(`cannot write ${storePath(store)}`, {
      reason: messageOf(error),
      hint: 'check the directory, or choose another with CLIPCTL_CONFIG_DIR',
      cause: error,
    });
  }
}

/** The value at a dotted key, or undefined. */
export function getDotted(object: JsonObject, key: string): unknown {
  let at: unknown = object;
  for (const part of key.split('.')) at = isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  return at;
}

/** A copy with the value at a dotted key; undefined removes it, and objects left empty with it. */
export function setDotted(object: JsonObject, key: string, value: unknown): JsonObject {
  const [head = '', ...rest] = key.split('.');
  const copy = { ...object };
  const child = Object.hasOwn(copy, head) ? copy[head] : undefined;
  const next = rest.length === 0 ? value : setDotted(isObject(child) ? child : {}, rest.join('.'), value);
  if (next === undefined || (isObject(next) && rest.length > 0 && Object.keys(next).length === 0))
    delete copy[head];
  else
    Object.defineProperty(copy, head, { value: next, enumerable: true, writable: true, configurable: true });
  return copy;
}
