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
  return [{ path, message: describe(issue) }];
}

function describe(issue: Issue): string {
  if (issue.message !== 'Invalid input') return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `is missing (${issue.expected})`
        : `must be ${article(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'too_small':
      return issue.origin === 'string'
        ? 'must not be empty'
        : `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_union':
      return 'fits none of the documented shapes';
    default:
      return 'is not valid';
  }
}

function article(type: string): string {
  if (type === 'array') return 'a list';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** The member names a schema knows at a path, through optional, nullable, lists and unions. */
export function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  const def = (schema as { _zod?: { def?: Record<string, unknown> } })._zod?.def;
  if (!def) return [];
  if ('innerType' in def) return keysAt(def.innerType, path);
  if (Array.isArray(def.options)) return [...new Set(def.options.flatMap((option) => keysAt(option, path)))];
  const [head, ...rest] = path;
  if ('element' in def) return head === undefined ? [] : keysAt(def.element, rest);
  const shape = def.shape as Record<string, unknown> | undefined;
  if (!shape) return [];
  return head === undefined ? Object.keys(shape) : keysAt(shape[String(head)], rest);
}
