import * as z from 'zod/mini';
import type { Route } from './route.js';
import { envelope, nonEmpty } from './wire.js';

/** Which members are required is not shown; the client requires what makes a post a post, the rest is passed through. */
export const ScheduleBody = z.strictObject({
  projectId: nonEmpty,
  clipId: nonEmpty,
  postAccountId: nonEmpty,
  subAccountId: z.optional(z.string()),
  postDetail: z.optional(
    z.strictObject({
      title: z.optional(z.string()),
      custom: z.optional(
        z.strictObject({ description: z.optional(z.string()), privacy: z.optional(z.string()) }),
      ),
      mediaType: z.optional(z.string()),
    }),
  ),
  /** Future instant, UTC, ISO 8601 with `Z`. */
  publishAt: z
    .string()
    .check(
      z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/, 'must be UTC, like 2030-01-31T09:00:00Z'),
    ),
});
export type ScheduleBody = z.infer<typeof ScheduleBody>;

export const ScheduleCreated = z.looseObject({ scheduleId: nonEmpty });

export const scheduleRoutes = {
  createSchedule: {
    name: 'createSchedule',
    method: 'POST',
    path: '/api/publish-schedules',
    summary: 'Schedule a post',
    repeatable: false,
    envelope: true,
    status: 201,
    statusShown: true,
    documented: true,
    request: ScheduleBody,
    response: envelope(ScheduleCreated),
  },
  cancelSchedule: {
    name: 'cancelSchedule',
    method: 'DELETE',
    path: '/api/publish-schedules/{scheduleId}',
    summary: 'Cancel a scheduled post',
    repeatable: true,
    envelope: true,
    status: 200,
    statusShown: true,
    documented: true,
    response: envelope(z.looseObject({})),
  },
} as const satisfies Record<string, Route>;
