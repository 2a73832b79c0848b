/** What a PUT to a location means by its Content-Range. Byte positions, `total` undefined when `*`. */
export type PutRange =
  | { kind: 'whole'; total?: undefined }
  | { kind: 'ask'; total: number | undefined }
  | { kind: 'rest'; start: number; end: number; total: number | undefined };

/** Reads a Content-Range of a request. Returns undefined for a text that is none. */
export function parseContentRange(header: string | undefined): PutRange | undefined {
  if (header === undefined) return { kind: 'whole' };
  const ask = /^bytes \*\/(\d{1,15}|\*)$/.exec(header);
  if (ask) return { kind: 'ask', total: toTotal(ask[1]) };
  const rest = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header);
  if (!rest) return undefined;
  const [start, end, total] = [Number(rest[1]), Number(rest[2]), toTotal(rest[3])];
  if (end < start || (total !== undefined && end >= total)) return undefined;
  return { kind: 'rest', start, end, total };
}

function toTotal(text: string | undefined): number | undefined {
  return text === undefined || text === '*' ? undefined : Number(text);
}
