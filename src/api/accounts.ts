import * as z from 'zod/mini';
import type { Route } from './route.js';
import { envelope, nonEmpty } from './wire.js';

export const SocialAccount = z.looseObject({
  postAccountId: nonEmpty,
  subAccountId: z.optional(z.nullable(z.string())),
  platform: z.optional(z.string()),
  extUserId: z.optional(z.string()),
  extUserName: z.optional(z.string()),
  extUserPictureLink: z.optional(z.string()),
  extUserProfileLink: z.optional(z.string()),
});
export type SocialAccount = z.infer<typeof SocialAccount>;

/** The single allowed value of the query parameter whose name the document does not show. */
export const ACCOUNTS_QUERY_VALUE = 'mine';

export const accountRoutes = {
  listAccounts: {
    name: 'listAccounts',
    method: 'GET',
    path: '/api/social-accounts',
    summary: 'Get social accounts',
    repeatable: true,
    envelope: true,
    status: 200,
    statusShown: true,
    documented: true,
    query: z.looseObject({}),
    response: envelope(z.array(SocialAccount)),
  },
} as const satisfies Record<string, Route>;
