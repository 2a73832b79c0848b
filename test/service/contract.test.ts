import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT_REQUIRED } from '../../src/api/projects.js';
import { fillPath, type Route } from '../../src/api/route.js';
import { ROUTES, type RouteName } from '../../src/api/routes.js';
import { ErrorBody } from '../../src/api/wire.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { createProject, listClips, TALK, uploadVideo } from './project-client.js';

interface Sent {
  params?: Record<string, string>;
  query?: string;
  body?: unknown;
}

const PREFERENCES = { curationPref: { clipDurations: [[0, 8]], range: { startSec: 0, endSec: 10 } } };
let service: TestService;
let videoUrl: string;
let ids: { projectId: string; clipId: string; contentId: string };
const walked = new Set<RouteName>();

beforeAll(async () => {
  service = await startTestService();
  videoUrl = await uploadVideo(service, await readFile(TALK));
  const { id } = await createProject(service, {
    videoUrl,
    ...PREFERENCES,
  });
  await service.idle();
  const [clip] = await listClips(service, id);
  if (!clip) throw new Error('no clip');
  ids = { projectId: id, clipId: String(clip.curationId), contentId: clip.id };
}, 60_000);
afterAll(() => service.stop());

/** Sends one route of the table; its status and its schema must be the table's. Answers the body inside its envelope. */
async function walk(name: RouteName, { params = {}, query = '', body }: Sent = {}) {
  const route: Route = ROUTES[name];
  const path = fillPath(route.path, params) + query;
  const answer = await service.call(route.method, path, body ?? (route.request ? {} : undefined));
  expect([name, answer.status, answer.headers.get('content-type')]).toEqual([
    name,
    route.status,
    'application/json',
  ]);
  const parsed = route.response.safeParse(answer.body);
  expect([name, parsed.success ? [] : parsed.error.issues]).toEqual([name, []]);
  walked.add(name);
  const members = answer.body as Record<string, unknown>;
  if (route.envelope) expect(Object.keys(members)).toEqual(['data']);
  return (route.envelope ? members.data : members) as Record<string, unknown>;
}

test('every route answers its status, its envelope and its schema', async () => {
  const { projectId, clipId, contentId } = ids;
  const link = await walk('createUploadLink', { body: { video: { usecase: 'LocalUpload' } } });
  expect(URL.canParse(String(link.url))).toBe(true);

  const created = await walk('createProject', { body: { videoUrl, ...PREFERENCES } });
  const got = await walk('getProject', { params: { projectId } });
  const shown = await walk('updateVisibility', { params: { projectId }, body: { visibility: 'PUBLIC' } });
  for (const project of [created, got, shown])
    expect(Object.keys(project)).toEqual(expect.arrayContaining([...PROJECT_REQUIRED]));
  expect(shown.visibility).toBe('PUBLIC');
  await walk('listClips', { query: `?q=findByProjectId&projectId=${projectId}` });

  const { collectionId } = await walk('createCollection', { body: { collectionName: 'best' } });
  const entry = { collectionId: String(collectionId), contentId };
  expect(await walk('addToCollection', { body: entry })).toEqual(entry);
  const { contentList } = await walk('exportCollection', { params: entry, body: {} });
  expect(contentList).toHaveLength(1);
  await walk('removeFromCollection', { body: { q: 'findByCollectionIdAndContentId', ...entry } });

  await walk('listAccounts', { query: '?q=mine' });
  const post = { projectId, clipId, postAccountId: 'local-tiktok', publishAt: '2090-01-01T00:00:00Z' };
  const { scheduleId } = await walk('createSchedule', { body: post });
  await walk('cancelSchedule', { params: { scheduleId: String(scheduleId) } });

  const censor = await walk('createCensorJob', { body: { projectId, clipId } });
  const copy = await walk('createCopyJob', { body: { projectId, clipId, postAccountId: 'local-tiktok' } });
  for (const state of ['at once', 'when concluded']) {
    if (state === 'when concluded') await service.idle();
    await walk('getCensorJob', { params: { jobId: String(censor.jobId) } });
    await walk('getCopyJob', { params: { jobId: String(copy.jobId) } });
  }
  expect([...walked].sort()).toEqual(Object.keys(ROUTES).sort());
});

test('every route refuses an unknown id or a wrong body in the documented shape', async () => {
  for (const route of Object.values(ROUTES) as Route[]) {
    const params = { projectId: 'none', collectionId: 'none', jobId: 'none', scheduleId: 'none' };
    const body = route.request ? { unknown: true } : undefined;
    const { status, body: refusal } = await service.call(route.method, fillPath(route.path, params), body);
    expect(status, route.name).toBeGreaterThanOrEqual(400);
    expect(status, route.name).toBeLessThan(500);
    expect(ErrorBody.safeParse(refusal).success, route.name).toBe(true);
  }
});
