/**
 * clipctl as a library: the thin client of the Clip Project Service API and the uploader.
 *
 *     import { ClipClient, uploadFiles, waitForProject } from 'clipctl';
 *
 *     const client = new ClipClient({ baseUrl: 'https://api.example.com', apiKey: process.env.CLIP_KEY ?? '' });
 *     const [outcome] = await uploadFiles(client, [{ path: 'talk.mp4', preferences: { curationPref: { genre: 'Podcast' } } }]);
 *     if (!outcome?.ok) throw outcome?.error;
 *     const project = await waitForProject(client, outcome.project?.id ?? '');
 *     client.close();
 *
 * Requests are checked against the interface document before they are sent; of answers only what the document
 * requires is relied upon, and unknown members are kept. Everything throws ClipctlError, whose `kind` says what it is.
 */
import type { ProjectPreferences } from './api/projects.js';
import { accountKeyOf } from './client/account-key.js';
import { ClipClient as Client, type Endpoints } from './client/clip-client.js';
import { createConnector } from './client/connector.js';
import { waitForProject as waitForProjectOf } from './client/wait.js';
import { findDirs } from './settings/dirs.js';
import type { UploadEvent } from './transfer/events.js';
import { type UploadOutcome, uploadFiles as uploadFilesOf } from './transfer/upload-many.js';

export type { SocialAccount } from './api/accounts.js';
export type { Clip } from './api/clips.js';
export type { Collection, ExportedClip } from './api/collections.js';
export type { CreationBody, Project, ProjectPreferences } from './api/projects.js';
export type { ScheduleBody } from './api/schedules.js';
export type { UploadLink } from './api/uploads.js';
export type { CopyRequest, Endpoints } from './client/clip-client.js';
export type { TraceEvent } from './client/transport.js';
export { CancelledError, ClipctlError, type ErrorDetails, type ErrorKind } from './errors.js';
export type { UploadEvent } from './transfer/events.js';
export type { UploadOutcome } from './transfer/upload-many.js';

export interface ClipClientOptions {
  /** https, or http to this machine; without a trailing slash. The key is sent to no other address. */
  baseUrl: string;
  apiKey: string;
  /** Time limit of one request, answer included. Default 60 000. */
  timeoutMs?: number;
  /** How often a request that may be repeated is sent again. Default 4. */
  retries?: number;
  /** Stops every request of this client. */
  signal?: AbortSignal;
  /** Told of each request and answer; the key is in the headers it sees, so do not print them as they are. */
  trace?: ConstructorParameters<typeof Client>[0]['trace'];
  /** Paths of the endpoints that the interface document does not describe. */
  endpoints?: Endpoints;
}

/**
 * The API, one short method an endpoint: createUploadLink, createProject, getProject, updateVisibility, listClips,
 * createCollection, addToCollection, removeFromCollection, exportCollection, listAccounts, createSchedule,
 * cancelSchedule, createCensorJob, getCensorJob, createCopyJob, getCopyJob. Proxies are taken from HTTP_PROXY,
 * HTTPS_PROXY and NO_PROXY.
 */
export class ClipClient extends Client {
  constructor(options: ClipClientOptions) {
    super({
      ...options,
      timeoutMs: options.timeoutMs ?? 60_000,
      retries: options.retries ?? 4,
      baseUrl: options.baseUrl.replace(/\/+$/, ''),
      connector: createConnector(process.env),
    });
  }

  /** Closes kept connections, so that the process can end at once. */
  close(): void {
    this.transport.options.connector.close();
  }
}

export interface FileToUpload {
  path: string;
  /** Preferences of the project that is made of it; null uploads only. Default: a project without preferences. */
  preferences?: ProjectPreferences | null;
}

export interface UploadFilesOptions {
  /** Files at the same time. Default 2. */
  concurrency?: number;
  /** For all files together. */
  limitBytesPerSec?: number;
  /** Tries without progress. Default 4. */
  retries?: number;
  /** Forgets what an earlier run uploaded. */
  restart?: boolean;
  /** Where unfinished uploads are kept. Default: where the command line keeps them, so that either goes on with them. */
  stateDir?: string;
  signal?: AbortSignal;
  onEvent?: (event: UploadEvent) => void;
  /** A line for people, for example that uploads cannot be resumed because the state directory cannot be written. */
  onWarning?: (text: string) => void;
}

/**
 * Uploads files and creates a project of each. All files are checked before the first request: a bad one throws.
 * After that each has its own outcome, in the order given. The same call again, after a crash too, goes on where the
 * storage stopped.
 */
export function uploadFiles(
  client: ClipClient,
  files: readonly FileToUpload[],
  options: UploadFilesOptions = {},
): Promise<UploadOutcome[]> {
  const { baseUrl, apiKey, connector } = client.transport.options;
  return uploadFilesOf(
    files.map(({ path, preferences = {} }) => ({ path, body: () => preferences })),
    {
      api: client,
      connector,
      stateDir: options.stateDir ?? findDirs(process.env).state,
      accountKey: accountKeyOf(baseUrl, apiKey),
      now: Date.now,
      signal: options.signal ?? new AbortController().signal,
      onEvent: options.onEvent ?? (() => undefined),
      warn: options.onWarning ?? (() => undefined),
    },
    {
      concurrency: options.concurrency ?? 2,
      limitBytesPerSec: options.limitBytesPerSec,
      retries: options.retries ?? 4,
      restart: options.restart,
    },
  );
}

/** Waits until a project is COMPLETE. STALLED throws `job-failed`, the end of `timeoutMs` throws `unfinished`. */
export function waitForProject(
  client: ClipClient,
  projectId: string,
  options: { signal?: AbortSignal; timeoutMs?: number; everyMs?: number } = {},
) {
  const { signal = new AbortController().signal, everyMs = 2000, timeoutMs } = options;
  return waitForProjectOf(client, projectId, { signal, everyMs, timeoutMs });
}
