import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import type { Clip } from '../../src/api/clips.js';
import { findMediaTools } from '../../src/service/media/find-tools.js';
import { createProject, listClips, TALK, uploadVideo } from '../service/project-client.js';
import { startTestService, type TestService } from './local-service.js';

/** What there is in the sample data directory. */
export interface Sample {
  dataDir: string;
  /** COMPLETE, of the first seconds of the sample talk. */
  projectId: string;
  /** Both are in the collection. */
  clips: [SampleClip, SampleClip];
  collectionId: string;
  /** Of the first clip, as all below. Two hours and a day after NOW. */
  scheduleIds: [string, string];
  /** CONCLUDED. */
  censorJobId: string;
  copyJobId: string;
}

/** `id` is the full clip id, `clipId` the bare one. */
export interface SampleClip {
  id: string;
  clipId: string;
  title: string;
  durationMs: number;
}

declare module 'vitest' {
  interface ProvidedContext {
    sample: Sample;
  }
}

/** The time in the sample and wherever it is used, for the service and for the CLI. */
export const NOW = new Date('2030-01-01T12:00:00Z');

/**
 * Once for a run, before the tests: a data directory of the real service with a project really made. Tests copy it
 * (see scene.ts), so none sees what another did.
 */
export default async function makeSample({ provide }: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'clipctl-sample-'));
  const dataDir = join(folder, 'data');
  // A clock that goes on: a stage that fails is tried again a second later.
  const aheadMs = NOW.getTime() - Date.now();
  const service = await startTestService({ dataDir, now: () => new Date(Date.now() + aheadMs) });
  try {
    provide('sample', { dataDir, ...(await fill(service, await cutTalk(folder))) });
  } finally {
    await service.stop();
  }
  return () => rm(folder, { recursive: true, force: true });
}

/** The beginning of the talk with its subtitles: enough for two short clips. */
async function cutTalk(folder: string): Promise<Buffer> {
  const path = join(folder, 'beginning.mp4');
  const { ffmpegPath } = await findMediaTools(process.env);
  const args = ['-v', 'error', '-i', TALK, '-map', '0', '-t', '14', '-c', 'copy', path];
  await promisify(execFile)(ffmpegPath, args);
  return readFile(path);
}

async function fill(service: TestService, video: Buffer): Promise<Omit<Sample, 'dataDir'>> {
  const { id: projectId } = await createProject(service, {
    videoUrl: await uploadVideo(service, video),
    uploadedVideoAttr: { title: 'Talk' },
    curationPref: { clipDurations: [[0, 8]] },
    renderPref: { layoutAspectRatio: 'square' }, // half the pixels, half the time
  });
  await service.idle();
  const [first, second] = (await listClips(service, projectId)).map(toSampleClip);
  if (!first || !second) throw new Error(`no two clips: ${service.logged.join('\n')}`);
  const { clipId } = first;
  const post = { projectId, clipId, postAccountId: 'local-tiktok' };
  const create = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await service.call('POST', `/api/${path}`, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    const made = answer.body as { data?: Record<string, string> } & Record<string, string>;
    return made.data ?? made;
  };
  const schedule = async (publishAt: string) =>
    (await create('publish-schedules', { ...post, publishAt })).scheduleId ?? '';
  const { collectionId = '' } = await create('collections', { collectionName: 'Best' });
  for (const { id } of [first, second]) await create('collection-contents', { collectionId, contentId: id });
  const { jobId: censorJobId = '' } = await create('censor-jobs', { projectId, clipId });
  const { jobId: copyJobId = '' } = await create('social-copy-jobs', post);
  await service.idle();
  const scheduleIds: [string, string] = [
    await schedule('2030-01-01T14:00:00Z'),
    await schedule('2030-01-02T12:00:00Z'),
  ];
  return { projectId, clips: [first, second], collectionId, scheduleIds, censorJobId, copyJobId };
}

function toSampleClip({ id, curationId, title, durationMs }: Clip): SampleClip {
  return { id, clipId: curationId ?? '', title: title ?? '', durationMs: durationMs ?? 0 };
}
