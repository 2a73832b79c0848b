import type { Clip } from '../api/clips.js';
import type { Project } from '../api/projects.js';
import type { ServiceContext } from './service-context.js';
import type { ClipRow } from './store/clips.js';
import type { ProjectRow } from './store/projects.js';

/** There is one user here, and what they keep does not expire. */
export const LOCAL_OWNER = { userId: 'local-user', orgId: 'local-org' } as const;
const NEVER = '9999-12-31T23:59:59.000Z';

/** A stored project as the interface shows it, with members of our own: progress, title, notes. */
export function viewProject(project: ProjectRow, { progress }: Pick<ServiceContext, 'progress'>): Project {
  const { preferences } = project;
  return {
    id: project.projectId,
    projectId: project.projectId,
    ...LOCAL_OWNER,
    isDeleted: false,
    isPurged: false,
    sourcePlatform: sourcePlatform(project),
    sourceId: project.source,
    sourceUri: project.sourceKind === 'address' ? project.source : null,
    labels: [],
    productTier: 'LOCAL',
    stage: project.stage,
    model: preferences.curationPref?.model ?? 'ClipBasic',
    error: project.error,
    stallCount: project.stallCount,
    workerUrl: null,
    ...(preferences.curationPref && { curationPref: preferences.curationPref }),
    ...(preferences.renderPref && { renderPref: preferences.renderPref }),
    ...(preferences.importPref && { importPref: preferences.importPref }),
    storageSize: project.storageBytes,
    storageStatus: 'ACTIVE',
    storageExpireAt: NEVER,
    refundStatus: null,
    createdAt: project.createdAt,
    updatedAt: project.updatedAt,
    clusterJobId: `local-${project.projectId}`,
    cluster: 'local',
    visibility: project.visibility,
    permissions: ['PROJECT_SHARE', 'PROJECT_EDIT', 'PROJECT_VIEW'],
    promptRecommendations: [],
    title: project.title,
    progress: progress.get(project.projectId) ?? null,
    notes: project.notes,
  };
}

const PLATFORM_HOSTS = [
  { platform: 'YOUTUBE', pattern: /(^|\.)(youtube\.com|youtu\.be)$/ },
  { platform: 'GDRIVE', pattern: /(^|\.)drive\.google\.com$/ },
  { platform: 'ZOOM', pattern: /(^|\.)zoom\.us$/ },
  { platform: 'STREAM_YARD', pattern: /(^|\.)streamyard\.com$/ },
] as const;

function sourcePlatform({ sourceKind, source }: ProjectRow): string {
  if (sourceKind === 'upload') return 'UPLOADED';
  const { hostname } = new URL(source);
  return PLATFORM_HOSTS.find(({ pattern }) => pattern.test(hostname))?.platform ?? 'YTDLP_LINK';
}

/** The name a clip is downloaded under. Made of ids only, so it is safe everywhere. */
export function clipFileName(clip: Pick<ClipRow, 'projectId' | 'clipId'>): string {
  return `${clip.projectId}.${clip.clipId}.mp4`;
}

/** Address a clip's video can be fetched from without the key, until it expires. */
export function clipAddress(
  clip: ClipRow,
  { signer }: Pick<ServiceContext, 'signer'>,
  baseUrl: string,
): string {
  return baseUrl + signer.sign('clip', clip.clipId, clipFileName(clip));
}

/** A rendered clip as the interface shows it. `id` is the full clip id. */
export function viewClip(clip: ClipRow, context: Pick<ServiceContext, 'signer'>, baseUrl: string): Clip {
  const { moment } = clip;
  return {
    id: `${clip.projectId}.${clip.clipId}`,
    projectId: clip.projectId,
    curationId: clip.clipId,
    title: moment.title,
    startSec: moment.startSec,
    endSec: moment.endSec,
    durationMs: clip.durationMs,
    width: clip.width,
    height: clip.height,
    sizeBytes: clip.sizeBytes,
    score: moment.score,
    reason: moment.reason,
    features: moment.features,
    notes: clip.notes,
    text: moment.text,
    version: clip.version,
    uriForExport: clipAddress(clip, context, baseUrl),
    createdAt: clip.createdAt,
    renderedAt: clip.renderedAt,
  };
}
