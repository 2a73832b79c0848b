import type { SocialAccount } from '../api/accounts.js';
import type { Clip } from '../api/clips.js';
import type { Collection, ExportedClip } from '../api/collections.js';
import type { CreationBody, Project } from '../api/projects.js';
import type { ScheduleBody } from '../api/schedules.js';
import type { UploadLink } from '../api/uploads.js';
import { type CallInput, Transport, type TransportOptions } from './transport.js';

/** Paths of the endpoints that the interface document does not describe, and the name of one parameter. */
export interface Endpoints {
  projectGet?: string;
  clipList?: string;
  copyGet?: string;
  accountsQuery?: string;
}

type CallOptions = Pick<CallInput, 'signal'>;

/**
 * The Clip Project Service API, one short method an endpoint. Bodies are checked before they are sent; answers come
 * back without their `data` envelope and with unknown members kept. Throws ClipctlError, whose `kind` says what it is.
 * The resources' schemas are loaded by the method that needs them.
 */
export class ClipClient {
  readonly transport: Transport;
  readonly #endpoints: Endpoints;

  constructor(options: TransportOptions & { endpoints?: Endpoints }) {
    this.transport = new Transport(options);
    this.#endpoints = options.endpoints ?? {};
  }

  /** An address to upload a local file to, and the uploadId that names it in createProject. */
  async createUploadLink(options?: CallOptions): Promise<UploadLink> {
    const { LOCAL_UPLOAD, uploadRoutes } = await import('../api/uploads.js');
    return this.transport.call(uploadRoutes.createUploadLink, {
      body: { video: { usecase: LOCAL_UPLOAD } },
      ...options,
    });
  }

  /** Creates a project. Never sent twice by itself: a lost answer is an `outcome-unknown` error. */
  async createProject(
    body: CreationBody,
    options: CallOptions & { uploadId?: string } = {},
  ): Promise<Project> {
    const { projectRoutes, UPLOAD_ID_HEADER } = await import('../api/projects.js');
    const { uploadId, ...call } = options;
    return this.transport.call(projectRoutes.createProject, {
      body,
      headers: uploadId === undefined ? {} : { [UPLOAD_ID_HEADER]: uploadId },
      lostHint: `check at the service whether the project${uploadId ? ` of upload ${uploadId}` : ''} exists before you create it again`,
      ...call,
    });
  }

  /** Not in the interface document. */
  async getProject(projectId: string, options?: CallOptions): Promise<Project> {
    const { projectRoutes } = await import('../api/projects.js');
    return this.transport.call(projectRoutes.getProject, {
      params: { projectId },
      path: this.#endpoints.projectGet,
      ...options,
    });
  }

  async updateVisibility(projectId: string, visibility: 'DEFAULT' | 'PUBLIC'): Promise<Project> {
    const { projectRoutes } = await import('../api/projects.js');
    return this.transport.call(projectRoutes.updateVisibility, {
      params: { projectId },
      body: { visibility },
    });
  }

  /** The clips of a project. Not in the interface document, which only names the endpoint. */
  async listClips(projectId: string, options?: CallOptions): Promise<Clip[]> {
    const { CLIP_QUERY, clipRoutes } = await import('../api/clips.js');
    const path = this.#endpoints.clipList;
    return this.transport.call(clipRoutes.listClips, {
      ...(path === undefined ? { query: { q: CLIP_QUERY, projectId } } : { path, params: { projectId } }),
      ...options,
    });
  }

  async createCollection(collectionName: string): Promise<Collection> {
    const { collectionRoutes } = await import('../api/collections.js');
    return this.transport.call(collectionRoutes.createCollection, {
      body: { collectionName },
      lostHint: 'check at the service whether the collection exists before you create it again',
    });
  }

  async addToCollection(collectionId: string, contentId: string): Promise<void> {
    const { collectionRoutes } = await import('../api/collections.js');
    await this.transport.call(collectionRoutes.addToCollection, {
      body: { collectionId, contentId },
      lostHint: inCollectionHint(collectionId, contentId),
    });
  }

  async removeFromCollection(collectionId: string, contentId: string): Promise<void> {
    const { collectionRoutes, REMOVAL_QUERY } = await import('../api/collections.js');
    const body = { q: REMOVAL_QUERY, collectionId, contentId };
    await this.transport.call(collectionRoutes.removeFromCollection, {
      body,
      lostHint: inCollectionHint(collectionId, contentId),
    });
  }

  /** Download addresses of a collection's clips; they are fetched without the key. */
  async exportCollection(collectionId: string): Promise<ExportedClip[]> {
    const { collectionRoutes } = await import('../api/collections.js');
    const exported = await this.transport.call<{ contentList: ExportedClip[] }>(
      collectionRoutes.exportCollection,
      {
        params: { collectionId },
        body: {},
      },
    );
    return exported.contentList;
  }

  async listAccounts(options?: CallOptions): Promise<SocialAccount[]> {
    const { ACCOUNTS_QUERY_VALUE, accountRoutes } = await import('../api/accounts.js');
    return this.transport.call(accountRoutes.listAccounts, {
      query: { [this.#endpoints.accountsQuery ?? 'q']: ACCOUNTS_QUERY_VALUE },
      ...options,
    });
  }

  async createSchedule(body: ScheduleBody): Promise<{ scheduleId: string }> {
    const { scheduleRoutes } = await import('../api/schedules.js');
    return this.transport.call(scheduleRoutes.createSchedule, {
      body,
      lostHint: 'check the scheduled posts of the account before you schedule it again',
    });
  }

  async cancelSchedule(scheduleId: string): Promise<void> {
    const { scheduleRoutes } = await import('../api/schedules.js');
    await this.transport.call(scheduleRoutes.cancelSchedule, { params: { scheduleId } });
  }

  /** `jobId` may be missing while `message` says why: that is a success too. */
  async createCensorJob(body: { projectId: string; clipId: string; options?: { beepSound?: boolean } }) {
    const { jobRoutes } = await import('../api/jobs.js');
    return this.transport.call<{ jobId?: string | null; message?: string | null }>(
      jobRoutes.createCensorJob,
      { body, lostHint: jobHint('a censor job', body) },
    );
  }

  async getCensorJob(jobId: string, options?: CallOptions) {
    const { jobRoutes } = await import('../api/jobs.js');
    return this.transport.call<{ status?: string; error?: string | null }>(jobRoutes.getCensorJob, {
      params: { jobId },
      ...options,
    });
  }

  async createCopyJob(body: CopyRequest): Promise<{ jobId: string }> {
    const { jobRoutes } = await import('../api/jobs.js');
    return this.transport.call(jobRoutes.createCopyJob, { body, lostHint: jobHint('a copy job', body) });
  }

  /** Not in the interface document. */
  async getCopyJob(jobId: string, options?: CallOptions) {
    const { jobRoutes } = await import('../api/jobs.js');
    return this.transport.call<{ status?: string; error?: string | null }>(jobRoutes.getCopyJob, {
      params: { jobId },
      path: this.#endpoints.copyGet,
      ...options,
    });
  }
}

export interface CopyRequest {
  projectId: string;
  clipId: string;
  postAccountId: string;
  subAccountId?: string;
  prompt?: string;
  forceRegenerate?: boolean;
}

/** What to look at before a lost request is sent again. */
function inCollectionHint(collectionId: string, contentId: string): string {
  return `check whether ${contentId} is in it: clipctl collection export ${collectionId}`;
}

function jobHint(what: string, { projectId, clipId }: { projectId: string; clipId: string }): string {
  return `check at the service whether ${what} of ${projectId}.${clipId} runs before you start another`;
}
