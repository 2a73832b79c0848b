import { requireAccount } from '../accounts-file.js';
import { isIdText, newId } from '../ids.js';
import type { ServiceContext } from '../service-context.js';
import { ServiceError } from '../service-error.js';
import { cancelSchedule, findSchedule, insertSchedule } from '../store/schedules.js';
import { requireClipFile } from './find-or-refuse.js';
import type { RouteHandlers } from './route-types.js';

type ScheduleRoutes = Pick<RouteHandlers, 'createSchedule' | 'cancelSchedule'>;

export function createScheduleRoutes(context: ServiceContext): ScheduleRoutes {
  const { db, now, paths } = context;
  return {
    async createSchedule({ body }) {
      const publishAt = parseFuture(body.publishAt, now());
      const { clipId } = await requireClipFile(context, body.projectId, body.clipId);
      await requireAccount(paths, body);
      const scheduleId = newId('schedule');
      insertSchedule(db, { scheduleId, clipId, request: body, publishAt }, now().toISOString());
      context.wake();
      return { scheduleId };
    },
    cancelSchedule({ params: { scheduleId = '' } }) {
      const schedule = isIdText(scheduleId) ? findSchedule(db, scheduleId) : undefined;
      if (!schedule) throw new ServiceError('NotFound', 'no such schedule');
      // Cancelling twice is cancelled: the answer of the first may have been lost.
      if (schedule.state !== 'CANCELLED' && !cancelSchedule(db, scheduleId)) {
        throw new ServiceError(
          'Conflict',
          `the schedule is ${schedule.state}, it cannot be cancelled any more`,
        );
      }
      return {};
    },
  };
}

/** The instant with milliseconds. Throws InvalidRequest for a date that is none (30 February) or not in the future. */
function parseFuture(text: string, now: Date): string {
  const timeMs = Date.parse(text);
  const normal = Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString();
  // Date rolls 30 February over to March: a real date comes back as it went in
  if (!normal || normal.slice(0, 19) !== text.slice(0, 19)) {
    throw new ServiceError('InvalidRequest', 'publishAt: no such date');
  }
  if (timeMs <= now.getTime()) throw new ServiceError('InvalidRequest', 'publishAt: must be in the future');
  return normal;
}
