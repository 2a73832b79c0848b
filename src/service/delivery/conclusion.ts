import type { ConclusionAction } from '../../api/projects.js';
import { newId } from '../ids.js';
import { viewClip, viewProject } from '../project-view.js';
import type { ServiceContext } from '../service-context.js';
import { listClips } from '../store/clips.js';
import { insertDelivery } from '../store/deliveries.js';
import { findProject, type ProjectRow } from '../store/projects.js';

/** What the document calls "the project concludes" and "the project fails". */
export const CONCLUSION_EVENTS = { COMPLETE: 'project.completed', STALLED: 'project.failed' } as const;

/**
 * Writes a project's deliveries to the store, to be called in the transaction that ends the project: either both
 * happen or neither. Failed projects are told of only where `notifyFailure` is set.
 */
export function planConclusions(
  context: Pick<ServiceContext, 'db' | 'now' | 'signer' | 'progress'>,
  projectId: string,
  stage: keyof typeof CONCLUSION_EVENTS,
  baseUrl: string,
): void {
  const { db, now } = context;
  const project = findProject(db, projectId);
  if (!project) return;
  const at = now().toISOString();
  for (const action of project.preferences.conclusionActions ?? []) {
    if (stage === 'STALLED' && action.notifyFailure !== true) continue;
    const deliveryId = newId('delivery');
    const payload = conclusionPayload(context, project, { stage, deliveryId, at, baseUrl });
    insertDelivery(
      db,
      {
        deliveryId,
        kind: action.type,
        target: targetOf(action),
        subject: subjectOf(project, stage),
        body: action.type === 'WEBHOOK' ? JSON.stringify(payload) : mailText(project, payload),
      },
      at,
    );
  }
}

interface Payload {
  event: string;
  deliveryId: string;
  projectId: string;
  stage: string;
  error: string | null;
  concludedAt: string;
  project: unknown;
  clips: { id: string; title?: string | null; uriForExport?: string | null }[];
}

function conclusionPayload(
  context: Pick<ServiceContext, 'db' | 'signer' | 'progress'>,
  project: ProjectRow,
  at: { stage: keyof typeof CONCLUSION_EVENTS; deliveryId: string; at: string; baseUrl: string },
): Payload {
  const clips = listClips(context.db, project.projectId).filter((clip) => clip.file !== null);
  return {
    event: CONCLUSION_EVENTS[at.stage],
    deliveryId: at.deliveryId,
    projectId: project.projectId,
    stage: at.stage,
    error: project.error,
    concludedAt: at.at,
    project: { ...viewProject(project, context), progress: null },
    clips: clips.map((clip) => viewClip(clip, context, at.baseUrl)),
  };
}

function targetOf(action: ConclusionAction): string {
  return action.type === 'WEBHOOK' ? action.url : action.email;
}

function subjectOf(project: ProjectRow, stage: keyof typeof CONCLUSION_EVENTS): string {
  const name = project.title ?? project.projectId;
  return stage === 'COMPLETE' ? `Your clips are ready: ${name}` : `Your clips could not be made: ${name}`;
}

function mailText(project: ProjectRow, { stage, error, clips }: Payload): string {
  const head = [`Project ${project.projectId}${project.title ? ` (${project.title})` : ''} is ${stage}.`];
  if (error) head.push('', error);
  const lines = clips.map((clip) => `- ${clip.title ?? clip.id}\n  ${clip.id}\n  ${clip.uriForExport}`);
  const hint = `To fetch them: clipctl clip download --project ${project.projectId} --dir clips`;
  return [...head, '', ...lines, '', clips.length > 0 ? hint : ''].join('\n').trimEnd();
}
