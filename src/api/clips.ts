import * as z from 'zod/mini';
import type { Route } from './route.js';
import { envelope, nonEmpty } from './wire.js';

/** The document names GET /api/exportable-clips and says its `id` is the full clip id; the rest is the local service's own. */
export const Clip = z.looseObject({
  id: nonEmpty,
  projectId: z.optional(z.string()),
  curationId: z.optional(z.string()),
  title: z.optional(z.nullable(z.string())),
  durationMs: z.optional(z.nullable(z.number())),
  startSec: z.optional(z.nullable(z.number())),
  endSec: z.optional(z.nullable(z.number())),
  uriForExport: z.optional(z.nullable(z.string())),
});
export type Clip = z.infer<typeof Clip>;

export const CLIP_QUERY = 'findByProjectId';
export const ClipQuery = z.looseObject({ q: z.literal(CLIP_QUERY), projectId: nonEmpty });

export const clipRoutes = {
  listClips: {
    name: 'listClips',
    method: 'GET',
    path: '/api/exportable-clips',
    summary: 'List the clips of a project',
    repeatable: true,
    envelope: true,
    status: 200,
    statusShown: false,
    documented: false,
    query: ClipQuery,
    response: envelope(z.array(Clip)),
  },
} as const satisfies Record<string, Route>;

/**
 * Splits a full clip id `{projectId}.{curationId}` at its first dot.
 * Returns undefined for a bare id, and for a text with an empty half.
 */
export function splitContentId(text: string): { projectId: string; clipId: string } | undefined {
  const dot = text.indexOf('.');
  if (dot <= 0 || dot === text.length - 1) return undefined;
  return { projectId: text.slice(0, dot), clipId: text.slice(dot + 1) };
}
