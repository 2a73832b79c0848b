import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Clip } from '../../src/api/clips.js';
import { findMediaTools } from '../../src/service/media/find-tools.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { createProject, getProject, listClips, uploadVideo } from './project-client.js';

const run = promisify(execFile);
let service: TestService;
let clip: Clip;
let clipFile: string;
let offsetMs = 0;

beforeAll(async () => {
  service = await startTestService({ collectionQuota: 2, now: () => new Date(Date.now() + offsetMs) });
  const { id } = await createProject(service, {
    videoUrl: await uploadVideo(service),
    curationPref: { clipDurations: [[0, 15]], range: { startSec: 0, endSec: 20 } },
    renderPref: { enableCaption: true },
  });
  await service.idle();
  expect(await getProject(service, id)).toMatchObject({ stage: 'COMPLETE' });
  const [first] = await listClips(service, id);
  if (!first) throw new Error('no clip');
  clip = first;
  clipFile = join(service.dataDir, 'clips', `${clip.id}.mp4`);
}, 60_000);
afterAll(() => service.stop());

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await service.call(method, path, body);
  return { status: answer.status, body: answer.body as Record<string, unknown> };
};

test('collections: created up to the quota, filled, exported, emptied', async () => {
  const created = await call('POST', '/api/collections', { collectionName: 'best' });
  expect(created.status).toBe(201);
  const { collectionId } = created.body.data as { collectionId: string };
  const entry = { collectionId, contentId: clip.id };
  const added = await call('POST', '/api/collection-contents', entry);
  expect([added.status, added.body]).toEqual([200, { data: entry }]);
  expect((await call('POST', '/api/collection-contents', entry)).status).toBe(200);
  const exported = await call('POST', `/api/collections/${collectionId}/export`, {});
  const [item, ...more] = (
    exported.body.data as { contentList: { contentId: string; uriForExport: string }[] }
  ).contentList;
  expect([item?.contentId, more]).toEqual([clip.id, []]);
  const bytes = Buffer.from(await (await fetch(String(item?.uriForExport))).arrayBuffer());
  expect(bytes.equals(await readFile(clipFile))).toBe(true);
  const removal = { q: 'findByCollectionIdAndContentId', ...entry };
  const path = '/api/collection-contents/delete-collection-contents';
  expect((await call('POST', path, removal)).body).toEqual({ data: 'success' });
  expect((await call('POST', path, removal)).status).toBe(404);
  expect((await call('POST', `/api/collections/${collectionId}/export`, {})).body).toEqual({
    data: { contentList: [] },
  });
  expect((await call('POST', '/api/collections', { collectionName: 'second' })).status).toBe(201);
  const third = await call('POST', '/api/collections', { collectionName: 'third' });
  expect([third.status, third.body.errorName]).toEqual([403, 'QuotaExceed']);
});

test('an export address is refused when it has expired or was changed', async () => {
  const [{ uriForExport } = { uriForExport: '' }] = await listClips(service, String(clip.projectId));
  const address = String(uriForExport);
  offsetMs = 49 * 3600_000;
  expect((await fetch(address)).status).toBe(410);
  offsetMs = 0;
  expect((await fetch(address)).status).toBe(200);
  expect((await fetch(address.replace(/\/clip\/C[^/]+/, '/clip/Cother'))).status).toBe(404);
});

test('accounts: the sample, with any name of the query parameter', async () => {
  const { body } = await call('GET', '/api/social-accounts?q=mine');
  expect((body.data as { platform: string }[]).map(({ platform }) => platform)).toEqual([
    'FACEBOOK_PAGE',
    'TIKTOK_BUSINESS',
  ]);
  expect((await call('GET', '/api/social-accounts?type=mine')).status).toBe(200);
  expect((await call('GET', '/api/social-accounts?q=theirs')).status).toBe(400);
  expect((await call('GET', '/api/social-accounts')).status).toBe(400);
});

const schedule = (publishAt: string, more = {}) =>
  call('POST', '/api/publish-schedules', {
    projectId: clip.projectId,
    clipId: clip.curationId,
    postAccountId: 'local-page',
    subAccountId: 'local-page-1',
    postDetail: { title: 'A title', custom: { description: 'Words', privacy: 'PUBLIC' } },
    publishAt,
    ...more,
  });
const postsFolder = () => join(service.dataDir, 'outbox', 'posts');

test('a schedule is published to the outbox at its time, once', async () => {
  const made = await schedule(new Date(Date.now() + 400).toISOString());
  expect(made.status).toBe(201);
  const { scheduleId } = made.body.data as { scheduleId: string };
  await service.idle();
  const post = JSON.parse(await readFile(join(postsFolder(), scheduleId, 'post.json'), 'utf8'));
  expect(post).toMatchObject({ scheduleId, clipId: clip.id, late: false, postDetail: { title: 'A title' } });
  expect((await stat(join(postsFolder(), scheduleId, post.file))).size).toBe((await stat(clipFile)).size);
  expect((await call('DELETE', `/api/publish-schedules/${scheduleId}`)).status).toBe(409);
});

test('a cancelled schedule is not published, and cancelling twice is cancelled', async () => {
  const { scheduleId } = (await schedule(new Date(Date.now() + 300).toISOString())).body.data as {
    scheduleId: string;
  };
  for (const _ of [1, 2]) {
    const cancelled = await call('DELETE', `/api/publish-schedules/${scheduleId}`);
    expect([cancelled.status, cancelled.body]).toEqual([200, { data: {} }]);
  }
  await service.idle();
  expect(await readdir(postsFolder())).not.toContain(scheduleId);
  expect((await call('DELETE', '/api/publish-schedules/Snone')).status).toBe(404);
});

test('a time that passed while the service was down is published late, once and marked', async () => {
  const { scheduleId } = (await schedule(new Date(Date.now() + 3600_000).toISOString())).body.data as {
    scheduleId: string;
  };
  offsetMs = 7200_000;
  await service.restart();
  await service.idle();
  offsetMs = 0;
  const post = JSON.parse(await readFile(join(postsFolder(), scheduleId, 'post.json'), 'utf8'));
  expect(post).toMatchObject({ scheduleId, late: true });
});

test('a schedule needs a real future instant, a clip and an account', async () => {
  expect((await schedule('2020-01-01T00:00:00Z')).status).toBe(400);
  expect((await schedule('2090-02-30T00:00:00Z')).status).toBe(400);
  expect((await schedule('2090-01-01T00:00:00+01:00')).status).toBe(400);
  const future = '2090-01-01T00:00:00Z';
  expect((await schedule(future, { clipId: 'Cnone' })).status).toBe(404);
  expect((await schedule(future, { postAccountId: 'nobody' })).status).toBe(404);
  expect((await schedule(future, { subAccountId: 'other' })).status).toBe(400);
});

test('a published post tells the webhook of its own sub-account, and says when it cannot', async () => {
  const told: string[] = [];
  const receiver = createServer((request, response) => {
    told.push(String(request.url));
    request.resume();
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void receiver.close());
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const accountsFile = join(service.dataDir, 'accounts.json');
  const usual = await readFile(accountsFile, 'utf8');
  onTestFinished(() => writeFile(accountsFile, usual));
  const account = (subAccountId: string) => ({
    ...{
      postAccountId: 'multi',
      subAccountId,
      platform: 'FACEBOOK_PAGE',
      webhookUrl: `${hook}/${subAccountId}`,
    },
  });
  await writeFile(accountsFile, JSON.stringify({ accounts: [account('s1'), account('s2')] }));
  const soon = () => new Date(Date.now() + 1000).toISOString();
  const s2 = { postAccountId: 'multi', subAccountId: 's2' };
  expect((await schedule(soon(), s2)).status).toBe(201);
  await service.idle();
  await vi.waitFor(() => expect(told).toEqual(['/s2']), { timeout: 10_000 });

  const { scheduleId } = (await schedule(soon(), s2)).body.data as { scheduleId: string };
  await writeFile(accountsFile, '{');
  await service.idle();
  expect(await stat(join(postsFolder(), scheduleId, 'post.json'))).toBeTruthy();
  expect(service.logged.join('\n')).toContain(
    `${scheduleId}: published, but no webhook was told: accounts.json`,
  );
  expect(told).toEqual(['/s2']);
});

async function censor(options: object): Promise<Record<string, unknown>> {
  const body = { projectId: clip.projectId, clipId: clip.curationId, options };
  const { status, body: created } = await call('POST', '/api/censor-jobs', body);
  expect(status).toBe(200);
  await service.idle();
  return (await call('GET', `/api/censor-jobs/${created.jobId}`)).body;
}

/** Share of the sound's energy at 1 kHz, and its level, in a part of the newest version of the clip. */
async function listen(startSec: number, endSec: number): Promise<{ beep: number; rms: number }> {
  const [now] = await listClips(service, String(clip.projectId));
  const names = await readdir(join(service.dataDir, 'clips'));
  const name = names.find((candidate) => candidate.startsWith(String(now?.id)));
  const { ffmpegPath } = await findMediaTools(process.env);
  const span = ['-ss', String(startSec), '-t', String(endSec - startSec)];
  const args = ['-v', 'error', '-i', join(service.dataDir, 'clips', String(name)), ...span];
  const { stdout } = await run(ffmpegPath, [...args, '-ac', '1', '-ar', '16000', '-f', 's16le', '-'], {
    encoding: 'buffer',
  });
  let [energy, real, imaginary] = [0, 0, 0];
  const count = stdout.length / 2;
  for (let index = 0; index < count; index += 1) {
    const sample = stdout.readInt16LE(index * 2) / 32768;
    energy += sample * sample;
    real += sample * Math.cos((2 * Math.PI * 1000 * index) / 16000);
    imaginary += sample * Math.sin((2 * Math.PI * 1000 * index) / 16000);
  }
  return {
    beep: (2 * (real ** 2 + imaginary ** 2)) / count / Math.max(energy, 1e-9),
    rms: Math.sqrt(energy / count),
  };
}

test('censor jobs: nothing to do, a beep over the word, in captions and texts too', {
  timeout: 60_000,
}, async () => {
  expect(await censor({ beepSound: true })).toMatchObject({
    status: 'CONCLUDED',
    error: null,
    censoredWords: 0,
  });
  const transcript = JSON.parse(
    await readFile(join(service.dataDir, 'work', String(clip.projectId), 'transcript.json'), 'utf8'),
  ) as { words: { text: string; startSec: number; endSec: number }[] };
  const word = transcript.words.find(
    ({ text, startSec, endSec }) =>
      text.length > 6 && startSec > Number(clip.startSec) + 1 && endSec < Number(clip.endSec) - 1,
  );
  if (!word) throw new Error('no long word in the clip');
  const bare = word.text.replace(/[^\p{L}]/gu, '');
  const [from, to] = [word.startSec - Number(clip.startSec), word.endSec - Number(clip.startSec)];
  expect((await listen(from, to)).beep).toBeLessThan(0.3);
  await writeFile(join(service.dataDir, 'censor-words.txt'), `# one word\n${bare}\n`);
  expect(await censor({ beepSound: true })).toMatchObject({ status: 'CONCLUDED', error: null, version: 2 });
  const beeped = await listen(from, to);
  expect(beeped.beep).toBeGreaterThan(0.8);
  expect(beeped.rms).toBeGreaterThan(0.05);
  const [now] = await listClips(service, String(clip.projectId));
  expect(now?.text).toContain(`${bare[0]}${'*'.repeat(bare.length - 1)}`);
  expect(now?.text).not.toContain(bare);
  expect(String(now?.notes)).toMatch(/beeped over$/);
  expect(await censor({ beepSound: false })).toMatchObject({ status: 'CONCLUDED', error: null, version: 3 });
  expect((await listen(from, to)).rms).toBeLessThan(0.01);
  expect(
    (await readdir(join(service.dataDir, 'clips'))).filter((name) => name.includes(String(clip.curationId))),
  ).toEqual([`${clip.id}.v3.mp4`]);
  expect((await fetch(String(now?.uriForExport))).status).toBe(200);
});

test('copy jobs: made of the words, cached unless regenerated, honest about how', async () => {
  const make = async (more = {}) => {
    const body = {
      projectId: clip.projectId,
      clipId: clip.curationId,
      postAccountId: 'local-tiktok',
      ...more,
    };
    const created = await call('POST', '/api/social-copy-jobs', body);
    expect(created.status).toBe(201);
    await service.idle();
    return (await call('GET', `/api/social-copy-jobs/${(created.body.data as { jobId: string }).jobId}`)).body
      .data as Record<string, unknown>;
  };
  const first = await make();
  expect(first).toMatchObject({ status: 'CONCLUDED', error: null, cached: false });
  expect(first.madeBy).toContain('without a language model');
  expect(first.hashtags).toHaveLength(5);
  expect(await make()).toMatchObject({ cached: true, title: first.title });
  expect(await make({ forceRegenerate: true })).toMatchObject({ cached: false });
  expect(await make({ prompt: 'no hashtags please' })).toMatchObject({ cached: false, hashtags: [] });
});

test('the OpenAPI document lists every route', async () => {
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: object;
    openapi: string;
  };
  expect(document.openapi).toBe('3.1.0');
  expect(Object.keys(document.paths)).toContain('/api/collections/{collectionId}/export');
});
