import { setTimeout as sleep } from 'node:timers/promises';
import type { Clip } from '../../src/api/clips.js';
import type { Caller } from './project-client.js';
import { keptOf, makeFile, openSession, sendStorage } from './storage-client.js';

/** What a service has said yes to: all of it must be there after any crash. */
export interface Acknowledged {
  uploads: { path: string; sizeBytes: number; hashHeader: string }[];
  /** Unfinished uploads with the bytes the service said it kept. */
  parts: { path: string; totalBytes: number; keptBytes: number }[];
  projects: string[];
  schedules: string[];
  cancelled: string[];
  censorJobs: string[];
  copyJobs: string[];
  collections: { collectionId: string; contentId: string }[];
  /** How many creations of projects were sent, answered or not. */
  projectsSent: number;
}

export interface LoadOptions {
  clip: Clip;
  /** Id of an upload that is no video: projects of it end quickly. */
  badUploadId: string;
  webhookUrl: string;
  random: () => number;
}

const PART_BYTES = 60_000;

/**
 * Speaks to the service in five ways at once until it is gone, and notes what it acknowledged. Throws when it
 * refuses anything. `isGone` says whether an error of a connection is what was planned.
 */
export async function loadService(
  service: Caller,
  seen: Acknowledged,
  options: LoadOptions,
  isGone: () => boolean,
): Promise<void> {
  const repeat = async (act: () => Promise<void>, pauseMs: number) => {
    while (!isGone()) {
      try {
        await act();
      } catch (error) {
        if (error instanceof RefusedError || !isGone()) throw error;
      }
      await sleep(pauseMs);
    }
  };
  await Promise.all([
    repeat(() => uploadOne(service, seen, options), 5),
    repeat(() => createOne(service, seen, options), 120),
    repeat(() => scheduleOne(service, seen, options), 60),
    repeat(() => askForJobs(service, seen, options), 250),
    repeat(() => collectOne(service, seen, options), 40),
  ]);
}

class RefusedError extends Error {}

async function ask(service: Caller, method: string, path: string, body?: unknown) {
  const answer = await service.call(method, path, body);
  if (answer.status >= 300)
    throw new RefusedError(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as Record<string, unknown> & { data: Record<string, string> };
}

async function uploadOne(service: Caller, seen: Acknowledged, { random }: LoadOptions): Promise<void> {
  const { bytes, hashHeader } = makeFile(100_000 + Math.floor(random() * 300_000));
  const { location } = await openSession(service);
  const path = new URL(location).pathname;
  const range = `bytes 0-${PART_BYTES - 1}/*`;
  const headers = { 'content-range': range, 'content-length': PART_BYTES };
  const first = await sendStorage(location, { headers, body: bytes.subarray(0, PART_BYTES) });
  if (first.status !== 308) throw new RefusedError(`part: ${first.status} ${first.text}`);
  const part = { path, totalBytes: bytes.length, keptBytes: keptOf(first) };
  if (random() < 0.3) {
    seen.parts.push(part);
    return;
  }
  const rest = {
    'content-range': `bytes ${PART_BYTES}-${bytes.length - 1}/${bytes.length}`,
    'content-length': bytes.length - PART_BYTES,
  };
  const done = await sendStorage(location, { headers: rest, body: bytes.subarray(PART_BYTES) });
  if (done.status !== 200) throw new RefusedError(`rest: ${done.status} ${done.text}`);
  seen.uploads.push({ path, sizeBytes: bytes.length, hashHeader });
}

async function createOne(service: Caller, seen: Acknowledged, options: LoadOptions): Promise<void> {
  seen.projectsSent += 1;
  const project = await ask(service, 'POST', '/api/clip-projects', {
    videoUrl: options.badUploadId,
    conclusionActions: [{ type: 'WEBHOOK', url: options.webhookUrl, notifyFailure: true }],
  });
  seen.projects.push(String(project.id));
}

async function scheduleOne(
  service: Caller,
  seen: Acknowledged,
  { clip, random }: LoadOptions,
): Promise<void> {
  const isCancelled = random() < 0.2;
  // Far enough ahead that a busy machine asks in time.
  const inMs = isCancelled ? 3600_000 : 4000 + random() * 1500;
  const { data } = await ask(service, 'POST', '/api/publish-schedules', {
    projectId: clip.projectId,
    clipId: clip.curationId,
    postAccountId: 'told',
    publishAt: new Date(Date.now() + inMs).toISOString(),
  });
  const scheduleId = String(data.scheduleId);
  if (!isCancelled) {
    seen.schedules.push(scheduleId);
    return;
  }
  await ask(service, 'DELETE', `/api/publish-schedules/${scheduleId}`);
  seen.cancelled.push(scheduleId);
}

async function askForJobs(service: Caller, seen: Acknowledged, { clip }: LoadOptions): Promise<void> {
  const ids = { projectId: clip.projectId, clipId: clip.curationId };
  const copy = { ...ids, postAccountId: 'told', forceRegenerate: true };
  seen.copyJobs.push(String((await ask(service, 'POST', '/api/social-copy-jobs', copy)).data.jobId));
  seen.censorJobs.push(String((await ask(service, 'POST', '/api/censor-jobs', ids)).jobId));
}

async function collectOne(service: Caller, seen: Acknowledged, { clip }: LoadOptions): Promise<void> {
  const { data } = await ask(service, 'POST', '/api/collections', { collectionName: 'kept' });
  const entry = { collectionId: String(data.collectionId), contentId: clip.id };
  await ask(service, 'POST', '/api/collection-contents', entry);
  seen.collections.push(entry);
}
