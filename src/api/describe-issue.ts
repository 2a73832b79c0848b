import type * as z from 'zod/mini';
import { nearest } from '../nearest.js';

/** One problem of a value with a schema: where, and what is expected there. */
export interface Problem {
  /** Dotted, like `curationPref.clipDurations.0`. Empty for the value itself. */
  path: string;
  message: string;
}

/** What a schema finds wrong with a value, in words; nothing when it fits. zod/mini has no messages of its own. */
export function findProblems(schema: z.ZodMiniType, value: unknown): Problem[] {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => describeIssue(schema, issue));
}

type Issue = z.core.$ZodIssue;

function describeIssue(schema: z.ZodMiniType, issue: Issue): Problem[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path);
    return issue.keys.map((key) => {
      const near = nearest(key, known);
      return {
        path: path ? `${path}.${key}` : key,
        message: `unknown${near ? `; did you mean ${near}?` : ''}`,
      };
    });
  }
  return [{ path, message: describe(schema, issue) }];
}

function describe(schema: z.ZodMiniType, issue: Issue): string {
  if (issue.message !== 'Invalid input') return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `is missing (${issue.expected})`
        : `must be ${article(issue.expected)}`;
    case 'invalid_value':
      return oneOf(issue.values, issue.input);
    case 'too_small':
      return issue.origin === 'string'
        ? 'must not be empty'
        : `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_union':
      // The only unions are told apart by one member, and the path is its.
      return oneOf(valuesAt(schema, issue.path));
    default:
      return 'is not valid';
  }
}

function oneOf(values: readonly unknown[], input?: unknown): string {
  const near = nearest(
    typeof input === 'string' ? input : '',
    values.filter((value) => typeof value === 'string'),
  );
  const expected = `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`;
  return near === undefined ? expected : `${expected}; did you mean ${JSON.stringify(near)}?`;
}

function article(type: string): string {
  if (type === 'array') return 'a list';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** The member names a schema knows at a path, through optional, nullable, lists and unions. */
export function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  return [...new Set(defsAt(schema, path).flatMap(({ shape }) => Object.keys(shape ?? {})))];
}

/** The literals it takes there. */
function valuesAt(schema: unknown, path: readonly PropertyKey[]): unknown[] {
  return defsAt(schema, path).flatMap(({ values }) => values ?? []);
}

interface Def {
  innerType?: unknown;
  options?: unknown[];
  element?: unknown;
  shape?: Record<string, unknown>;
  values?: unknown[];
}

/** What a schema has at a path: of a union, what each of its options has. */
function defsAt(schema: unknown, path: readonly PropertyKey[]): Def[] {
  const def = (schema as { _zod?: { def?: Def } } | undefined)?._zod?.def;
  if (!def) return [];
  if (def.innerType) return defsAt(def.innerType, path);
  if (def.options) return def.options.flatMap((option) => defsAt(option, path));
  const [head, ...rest] = path;
  if (head === undefined) return [def];
  return defsAt(def.element ?? def.shape?.[String(head)], rest);
}
