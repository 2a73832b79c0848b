import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Clip } from '../../src/api/clips.js';
import type { Project } from '../../src/api/projects.js';
import { openSession, sendStorage } from './storage-client.js';

/** The service in this process or in another. */
export interface Caller {
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
}

export const TALK = resolve(import.meta.dirname, '../../examples/talk.mp4');

/** Uploads bytes (the sample talk unless given) and answers the upload's id. */
export async function uploadVideo(service: Caller, bytes?: Buffer): Promise<string> {
  const { uploadId, location } = await openSession(service);
  await sendStorage(location, { body: bytes ?? (await readFile(TALK)) });
  return uploadId;
}

export async function createProject(service: Caller, body: object): Promise<Project> {
  const answer = await service.call('POST', '/api/clip-projects', body);
  if (answer.status !== 201)
    throw new Error(`creation answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as Project;
}

export async function getProject(service: Caller, projectId: string): Promise<Project> {
  return (await service.call('GET', `/api/clip-projects/${projectId}`)).body as Project;
}

export async function listClips(service: Caller, projectId: string): Promise<Clip[]> {
  const { body } = await service.call(
    'GET',
    `/api/exportable-clips?q=findByProjectId&projectId=${projectId}`,
  );
  return (body as { data: Clip[] }).data;
}
