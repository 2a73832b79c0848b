import * as z from 'zod/mini';
import { CurationPref, ImportPref, RenderPref } from './preferences.js';
import type { Route } from './route.js';
import { dateTimeText, nonEmpty } from './wire.js';

export const STAGES = [
  'PENDING',
  'QUEUED',
  'IMPORT',
  'CURATE',
  'REFINE',
  'RENDER',
  'UPLOAD',
  'COMPLETE',
  'STALLED',
] as const;
export type Stage = (typeof STAGES)[number];

/** Stages after which nothing more happens by itself. */
export const FINAL_STAGES: readonly string[] = ['COMPLETE', 'STALLED'] satisfies Stage[];

/** Those a caller may ask for; PUBLIC_VIEW only appears in answers. */
export const SETTABLE_VISIBILITIES = ['DEFAULT', 'PUBLIC'] as const;

/** Header that carries the upload id when a project is made of an upload. */
export const UPLOAD_ID_HEADER = 'x-service-upload-id';

export const ConclusionAction = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('EMAIL'), notifyFailure: z.optional(z.boolean()), email: nonEmpty }),
  z.strictObject({ type: z.literal('WEBHOOK'), notifyFailure: z.optional(z.boolean()), url: nonEmpty }),
]);
export type ConclusionAction = z.infer<typeof ConclusionAction>;

/** The creation body without `videoUrl`: also the shape of a preference file. */
export const preferencesShape = {
  conclusionActions: z.optional(z.array(ConclusionAction)),
  curationPref: z.optional(CurationPref),
  renderPref: z.optional(RenderPref),
  importPref: z.optional(ImportPref),
  brandTemplateId: z.optional(z.nullable(z.string())),
  uploadedVideoAttr: z.optional(z.strictObject({ title: z.string() })),
};
export const ProjectPreferences = z.strictObject(preferencesShape);
export type ProjectPreferences = z.infer<typeof ProjectPreferences>;

export const CreationBody = z.strictObject({ videoUrl: nonEmpty, ...preferencesShape });
export type CreationBody = z.infer<typeof CreationBody>;

/**
 * A project as answered. Only the id is relied upon; enums of the document are plain text here, because an
 * unknown value must be shown and never be an error. `STAGES` and its like are the known ones.
 */
export const Project = z.looseObject({
  id: nonEmpty,
  projectId: z.optional(z.string()),
  userId: z.optional(z.string()),
  orgId: z.optional(z.string()),
  isDeleted: z.optional(z.boolean()),
  isPurged: z.optional(z.boolean()),
  sourcePlatform: z.optional(z.string()),
  sourceId: z.optional(z.string()),
  sourceUri: z.optional(z.nullable(z.string())),
  labels: z.optional(z.array(z.string())),
  productTier: z.optional(z.string()),
  stage: z.optional(z.string()),
  model: z.optional(z.string()),
  error: z.optional(z.nullable(z.string())),
  stallCount: z.optional(z.nullable(z.number())),
  workerUrl: z.optional(z.nullable(z.string())),
  curationPref: z.optional(z.nullable(z.looseObject({}))),
  renderPref: z.optional(z.nullable(z.looseObject({}))),
  importPref: z.optional(z.nullable(z.looseObject({}))),
  storageSize: z.optional(z.number()),
  storageStatus: z.optional(z.string()),
  storageExpireAt: z.optional(z.nullable(dateTimeText)),
  refundStatus: z.optional(z.nullable(z.string())),
  createdAt: z.optional(dateTimeText),
  updatedAt: z.optional(dateTimeText),
  clusterJobId: z.optional(z.string()),
  cluster: z.optional(z.string()),
  visibility: z.optional(z.string()),
  permissions: z.optional(z.array(z.string())),
  promptRecommendations: z.optional(z.array(z.string())),
});
export type Project = z.infer<typeof Project>;

/** Members the document marks as required in a Project; the local service sends them all. */
export const PROJECT_REQUIRED = [
  'id',
  'projectId',
  'userId',
  'orgId',
  'isDeleted',
  'isPurged',
  'sourcePlatform',
  'sourceId',
  'labels',
  'productTier',
  'stage',
  'storageSize',
  'storageStatus',
  'storageExpireAt',
  'createdAt',
  'updatedAt',
  'clusterJobId',
  'cluster',
  'visibility',
  'permissions',
  'promptRecommendations',
] as const;

export const VisibilityBody = z.strictObject({ visibility: z.enum(SETTABLE_VISIBILITIES) });

export const projectRoutes = {
  createProject: {
    name: 'createProject',
    method: 'POST',
    path: '/api/clip-projects',
    summary: 'Create a project',
    repeatable: false,
    envelope: false,
    status: 201,
    statusShown: true,
    documented: true,
    request: CreationBody,
    response: Project,
  },
  getProject: {
    name: 'getProject',
    method: 'GET',
    path: '/api/clip-projects/{projectId}',
    summary: 'Get a project',
    repeatable: true,
    envelope: false,
    status: 200,
    statusShown: false,
    documented: false,
    response: Project,
  },
  updateVisibility: {
    name: 'updateVisibility',
    method: 'POST',
    path: '/api/clip-projects/{projectId}/update-visibility',
    summary: 'Update project visibility',
    repeatable: true,
    envelope: false,
    status: 200,
    statusShown: true,
    documented: true,
    request: VisibilityBody,
    response: Project,
  },
} as const satisfies Record<string, Route>;
