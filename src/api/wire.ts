import * as z from 'zod/mini';

/**
 * Building blocks of the contract. Requests are strict (an unknown member is a mistake of ours or of the
 * person's); responses are loose (unknown members are kept and shown). zod/mini because a CLI pays for the
 * making of each schema at every start: measured at 1.19 of bare node against 1.31 with the classic build.
 */
export const nonEmpty = z.string().check(z.minLength(1));

/** ISO 8601 date-time text as it came; never re-formatted by us. */
export const dateTimeText = z.string();

/** `{data: …}` around a response. Its absence is tolerated by the client, the service always sends it. */
export function envelope<T extends z.ZodMiniType>(data: T) {
  return z.looseObject({ data });
}

/** A relative rectangle in percent of the picture. */
export const Rect = z.looseObject({
  xPct: z.number(),
  yPct: z.number(),
  wPct: z.number(),
  hPct: z.number(),
  type: z.string(),
});

/** The known error body of the service. */
export const ErrorBody = z.looseObject({ errorName: z.string(), errorMessage: z.string() });
export type ErrorBody = z.infer<typeof ErrorBody>;

/**
 * Error names. Only `QuotaExceed` is in the interface document; the others are what the local service answers
 * (the document shows neither their names nor their statuses).
 */
export const ERROR_NAMES = {
  QuotaExceed: 403,
  InvalidRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  MisdirectedRequest: 421,
  RateLimited: 429,
  InternalError: 500,
  Unavailable: 503,
} as const;
export type ErrorName = keyof typeof ERROR_NAMES;
