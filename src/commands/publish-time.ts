import { usageError } from '../errors.js';
import { nearest } from '../nearest.js';

export interface PublishTime {
  /** UTC, ISO 8601, with `Z`. */
  publishAt: string;
  /** The same for a person, in their zone and in UTC. */
  said: string;
}

interface TimeDeps {
  now: Date;
  /** The zone times are shown in: `--tz`, else TZ, else the system's. */
  env: Record<string, string | undefined>;
}

const RELATIVE = /^\+(?=\d)(?:(\d{1,5})d)?(?:(\d{1,6})h)?(?:(\d{1,7})m)?$/;
const UNITS_MS = [86_400_000, 3_600_000, 60_000];
const STAMP = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|z|[+-]\d{2}:\d{2})?$/;

/**
 * Reads `--at`: RFC 3339 with an offset, local time with `--tz`, or `+90m`, `+2h`, `+1d`. Strict: no 30 February, no
 * local time that a clock change skips or repeats, nothing in the past. Throws usage errors.
 */
export async function readPublishTime(
  at: string,
  tz: string | undefined,
  deps: TimeDeps,
): Promise<PublishTime> {
  const { Temporal } = await import('temporal-polyfill');
  const zone = tz === undefined ? shownZone(deps.env) : checkZone(tz, '--tz');
  // Whole seconds: nobody plans a post to the millisecond, and not every reader of the instant takes a fraction.
  const ms = Math.floor(readInstantMs(Temporal, at, tz, deps.now) / 1000) * 1000;
  const instant = Temporal.Instant.fromEpochMilliseconds(ms);
  if (instant.epochMilliseconds <= deps.now.getTime()) {
    throw usageError(`--at ${at} is in the past`, {
      reason: `it is ${instant.toString()}, and now is ${deps.now.toISOString()}`,
      hint: 'a post is never published at once by mistake; give a time to come, or +10m',
    });
  }
  const local = instant.toZonedDateTimeISO(zone);
  const shown = `${local.toPlainDate().toString()} ${local.toPlainTime().toString({ smallestUnit: 'minute' })} ${zone}`;
  const publishAt = instant.toString();
  return { publishAt, said: `publishes at ${shown} (${publishAt})` };
}

type TemporalApi = typeof import('temporal-polyfill').Temporal;

function readInstantMs(Temporal: TemporalApi, at: string, tz: string | undefined, now: Date): number {
  const relative = RELATIVE.exec(at);
  if (relative) {
    const ms = UNITS_MS.reduce((sum, unitMs, at) => sum + Number(relative[at + 1] ?? 0) * unitMs, 0);
    // A whole second, and never one before what was asked for; +0m stays now, which is refused.
    return ms === 0 ? now.getTime() : Math.ceil((now.getTime() + ms) / 1000) * 1000;
  }
  const [, date, time, offset] = STAMP.exec(at) ?? [];
  if (date === undefined || time === undefined) {
    throw usageError(`--at ${JSON.stringify(at)} is not a time`, {
      hint: 'write 2030-01-31T09:00:00+01:00, or 2030-01-31T09:00 with --tz Europe/Berlin, or +90m, +2h, +1d',
    });
  }
  const plain = readPlain(Temporal, `${date}T${time}`, at);
  if (offset !== undefined) {
    const ms = withOffset(Temporal, `${date}T${time}${offset.toUpperCase()}`, at);
    if (tz !== undefined && /\d/.test(offset)) checkOffset(Temporal, ms, { offset, tz, at });
    return ms;
  }
  if (tz === undefined) {
    throw usageError(`--at ${at} does not say in which time zone`, {
      hint: `add an offset (${at}+02:00) or --tz <IANA zone>, for example --tz Europe/Berlin`,
    });
  }
  return inZone(plain, tz, at);
}

function readPlain(Temporal: TemporalApi, text: string, at: string) {
  try {
    // Temporal reads a leap second as the one before it, and no clock here can be asked for one.
    if (/:60/.test(text.slice(16))) throw new RangeError('second 60');
    return Temporal.PlainDateTime.from(text, { overflow: 'reject' });
  } catch (error) {
    throw usageError(`--at ${at} is no day and time of the calendar`, {
      hint: 'check the day of the month and the hour',
      cause: error,
    });
  }
}

function withOffset(Temporal: TemporalApi, text: string, at: string): number {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch (error) {
    throw usageError(`--at ${at} has no valid offset`, {
      hint: 'an offset is Z or like +01:00',
      cause: error,
    });
  }
}

/** An offset that the named zone does not have at that time is a mistake in one of the two. */
function checkOffset(
  Temporal: TemporalApi,
  ms: number,
  { offset, tz, at }: { offset: string; tz: string; at: string },
): void {
  const own = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(tz).offset;
  if (own === offset || (own === '+00:00' && offset === '-00:00')) return;
  throw usageError(`--at ${at} has another offset than ${tz}, which has ${own} then`, {
    hint: 'give the offset or --tz, not both',
  });
}

/** A local time exists once on most days; on the days of a clock change it may not at all, or twice. */
function inZone(plain: InstanceType<TemporalApi['PlainDateTime']>, tz: string, at: string): number {
  try {
    return plain.toZonedDateTime(tz, { disambiguation: 'reject' }).epochMilliseconds;
  } catch (error) {
    const [before, after] = (['earlier', 'later'] as const).map((disambiguation) =>
      plain.toZonedDateTime(tz, { disambiguation }),
    );
    const isRepeated = before?.toPlainDateTime().equals(plain) === true;
    throw usageError(
      `--at ${at} ${isRepeated ? 'comes twice' : 'does not exist'} in ${tz}: the clocks change then`,
      {
        hint: isRepeated
          ? `say which one: ${before?.toString({ timeZoneName: 'never' })} or ${after?.toString({ timeZoneName: 'never' })}`
          : 'choose a time before or after the change',
        cause: error,
      },
    );
  }
}

function checkZone(tz: string, from: string): string {
  try {
    // Offsets such as +01:00 are taken by Intl too, but do not know when the clocks change.
    if (!/^[A-Za-z]/.test(tz)) throw new RangeError('not a name');
    new Intl.DateTimeFormat('en', { timeZone: tz });
    return tz;
  } catch (error) {
    const meant = nearestZone(tz);
    throw usageError(`${from} ${JSON.stringify(tz)} is no time zone`, {
      hint: meant ? `did you mean ${meant}?` : 'an IANA name such as Europe/Berlin, America/New_York or UTC',
      cause: error,
    });
  }
}

/** A zone whose name, or whose city, is what was typed or close to it. */
function nearestZone(tz: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const typed = tz.toLowerCase().replaceAll(' ', '_');
  const city = zones.find((zone) => zone.toLowerCase().endsWith(`/${typed}`));
  return city ?? (tz.length > 5 ? nearest(tz, zones) : undefined);
}

function shownZone(env: Record<string, string | undefined>): string {
  try {
    return checkZone(env.TZ || Intl.DateTimeFormat().resolvedOptions().timeZone, 'TZ');
  } catch {
    return 'UTC';
  }
}
