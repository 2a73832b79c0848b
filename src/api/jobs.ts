import * as z from 'zod/mini';
import type { Route } from './route.js';
import { envelope, nonEmpty } from './wire.js';

/** The one censor job status the document shows. The local service also says QUEUED and PROCESSING. */
export const CENSOR_CONCLUDED = 'CONCLUDED';

export const CensorBody = z.strictObject({
  projectId: nonEmpty,
  clipId: nonEmpty,
  options: z.optional(z.strictObject({ beepSound: z.optional(z.boolean()) })),
});

/** An answer without `jobId` but with a message is a success that says so. */
export const CensorCreated = z.looseObject({
  jobId: z.optional(z.nullable(z.string())),
  message: z.optional(z.nullable(z.string())),
});
export const CensorStatus = z.looseObject({
  status: z.optional(z.string()),
  error: z.optional(z.nullable(z.string())),
});

export const CopyBody = z.strictObject({
  projectId: nonEmpty,
  clipId: nonEmpty,
  postAccountId: nonEmpty,
  subAccountId: z.optional(z.string()),
  prompt: z.optional(z.string()),
  forceRegenerate: z.optional(z.boolean()),
});
export const CopyCreated = z.looseObject({ jobId: nonEmpty });

/** The generated copy and its fields are not shown in the document; these are the local service's. */
export const CopyJob = z.looseObject({
  jobId: z.optional(z.string()),
  status: z.optional(z.string()),
  error: z.optional(z.nullable(z.string())),
});

export const jobRoutes = {
  createCensorJob: {
    name: 'createCensorJob',
    method: 'POST',
    path: '/api/censor-jobs',
    summary: 'Create a censor job',
    repeatable: false,
    envelope: false,
    status: 200,
    statusShown: false,
    documented: true,
    request: CensorBody,
    response: CensorCreated,
  },
  getCensorJob: {
    name: 'getCensorJob',
    method: 'GET',
    path: '/api/censor-jobs/{jobId}',
    summary: 'Get a censor job status',
    repeatable: true,
    envelope: false,
    status: 200,
    statusShown: false,
    documented: true,
    response: CensorStatus,
  },
  createCopyJob: {
    name: 'createCopyJob',
    method: 'POST',
    path: '/api/social-copy-jobs',
    summary: 'Create a social copy job',
    repeatable: false,
    envelope: true,
    status: 201,
    statusShown: true,
    documented: true,
    request: CopyBody,
    response: envelope(CopyCreated),
  },
  getCopyJob: {
    name: 'getCopyJob',
    method: 'GET',
    path: '/api/social-copy-jobs/{jobId}',
    summary: 'Get the result of a social copy job',
    repeatable: true,
    envelope: true,
    status: 200,
    statusShown: false,
    documented: false,
    response: envelope(CopyJob),
  },
} as const satisfies Record<string, Route>;
