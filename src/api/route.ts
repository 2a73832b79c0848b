import type * as z from 'zod/mini';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * One endpoint of the interface document. `path` holds `{placeholders}`.
 *
 * `repeatable`: sending it twice does what sending it once does, so a lost answer may be asked for again.
 * `envelope`: the document shows the answer wrapped in `{data}`.
 * `status`: the success status; where the document shows none the local service answers it and `statusShown` is false.
 */
export interface Route {
  name: string;
  method: HttpMethod;
  path: string;
  summary: string;
  repeatable: boolean;
  envelope: boolean;
  status: number;
  statusShown: boolean;
  /** In the interface document, or only in ours (see cli.md, section 2). */
  documented: boolean;
  query?: z.ZodMiniType;
  request?: z.ZodMiniType;
  /** The answer with its envelope, when it has one. */
  response: z.ZodMiniType;
}

/** Fills the `{placeholders}` of a path, each percent-encoded so that an id can never become another path. */
export function fillPath(path: string, params: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`path parameter ${name} of ${path} is missing`);
    return encodeURIComponent(value);
  });
}
