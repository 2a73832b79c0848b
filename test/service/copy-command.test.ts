import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Clip } from '../../src/api/clips.js';
import { runUserProgram } from '../../src/service/pipeline/user-program.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { createProject, listClips, uploadVideo } from './project-client.js';

/** Social copy by a program of the user's own: small real programs, good and bad ones. */

const SMTP_URL = 'smtp://me:mail-password@127.0.0.1:2525';
let folder: string;
let program: string;
let service: TestService;
let clip: Clip;
let env: Record<string, string | undefined>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clipctl-copy-'));
  program = join(folder, 'copy');
  env = {
    ...process.env,
    CLIPCTL_COPY_COMMAND: program,
    CLIPCTL_API_KEY: 'key-of-the-service',
    CLIPCTL_SMTP_URL: SMTP_URL,
    MODEL_KEY: 'its own',
  };
  service = await startTestService({
    dataDir: join(folder, 'data'),
    env,
  });
  const { id } = await createProject(service, {
    videoUrl: await uploadVideo(service),
    curationPref: { clipDurations: [[0, 8]], range: { startSec: 0, endSec: 10 } },
  });
  await service.idle();
  clip = (await listClips(service, id))[0] as Clip;
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The program: JavaScript for node. Its own folder is `here`; each run is written down. */
async function install(script: string): Promise<void> {
  const begin = `#!${process.execPath}\nconst fs = require('node:fs'); const here = ${JSON.stringify(folder)};\n`;
  await writeFile(join(folder, 'runs'), '');
  await writeFile(program, `${begin}fs.appendFileSync(here + '/runs', 'x');\n${script}`, { mode: 0o755 });
}

const runCount = async () => (await readFile(join(folder, 'runs'), 'utf8')).length;

async function createJob(prompt = '', forceRegenerate = true): Promise<string> {
  const body = {
    projectId: clip.projectId,
    clipId: clip.curationId,
    postAccountId: 'local-tiktok',
    forceRegenerate,
    prompt,
  };
  const { body: answer } = await service.call('POST', '/api/social-copy-jobs', body);
  return (answer as { data: { jobId: string } }).data.jobId;
}

async function getJob(jobId: string): Promise<Record<string, unknown>> {
  return (
    (await service.call('GET', `/api/social-copy-jobs/${jobId}`)).body as { data: Record<string, unknown> }
  ).data;
}

async function makeCopy(prompt?: string, forceRegenerate?: boolean): Promise<Record<string, unknown>> {
  const jobId = await createJob(prompt, forceRegenerate);
  await service.idle();
  return getJob(jobId);
}

test('it is asked with the words of the clip, and its answer is the copy', async () => {
  await install(`
    const question = JSON.parse(fs.readFileSync(0, 'utf8'));
    fs.writeFileSync(here + '/question', JSON.stringify(question));
    console.log(JSON.stringify({ title: 'Ein Titel', description: question.prompt, hashtags: ['#a', '#b'] }));`);
  expect(await makeCopy('very short')).toMatchObject({
    status: 'CONCLUDED',
    error: null,
    title: 'Ein Titel',
    description: 'very short',
    text: 'Ein Titel\n\nvery short\n\n#a #b',
    madeBy: 'the program in CLIPCTL_COPY_COMMAND',
  });
  expect(JSON.parse(await readFile(join(folder, 'question'), 'utf8'))).toEqual({
    clipId: clip.id,
    title: clip.title,
    text: expect.stringMatching(/\w+ \w+/),
    platform: expect.any(String),
    prompt: 'very short',
  });
});

test('it is not handed the key or the password of the mail server', async () => {
  await install(`
    fs.writeFileSync(here + '/env', JSON.stringify(process.env));
    console.log('{"title":"x"}');`);
  expect(await makeCopy()).toMatchObject({ error: null });
  const env = await readFile(join(folder, 'env'), 'utf8');
  expect(JSON.parse(env)).toMatchObject({ PATH: process.env.PATH, MODEL_KEY: 'its own' });
  for (const secret of [service.apiKey, 'key-of-the-service', 'mail-password'])
    expect(env).not.toContain(secret);
});

test('when it fails it is tried again, and its last words are kept as one plain line', async () => {
  await install(`
    fs.writeSync(2, 'x'.repeat(100_000) + '\\n\\u001b[31mno model\\u001b[0m\\nat this hour\\n');
    process.exit(3);`);
  const { status, error } = await makeCopy();
  expect([status, await runCount()]).toEqual(['CONCLUDED', 3]);
  expect(error).toMatch(
    /^the program in CLIPCTL_COPY_COMMAND failed; exit code 3: x+ \[31mno model \[0m at this hour$/,
  );
  expect(String(error).length).toBeLessThan(600);
});

test.each([
  ['nothing', ''],
  ['no JSON', 'Here is your title: {"title":"x"}'],
  ['no title', '{"title":" ","description":"x"}'],
  ['no text', '{"title":["x"]}'],
])('an answer that is %s is no copy, and is not asked for again', async (_what, answer) => {
  await install(`fs.writeSync(1, ${JSON.stringify(answer)});`);
  const { error, title } = await makeCopy();
  expect(error).toBe('the program in CLIPCTL_COPY_COMMAND did not answer {"title",…} as JSON');
  expect([title, await runCount()]).toEqual([undefined, 1]);
});

test('an answer without an end is cut off', async () => {
  await install(`for (;;) fs.writeSync(1, 'x'.repeat(65536));`);
  expect((await makeCopy()).error).toContain('it printed more than 1048576 bytes');
  expect(await runCount()).toBe(1);
});

test('one that is not there is told in words', async () => {
  await rm(program, { force: true });
  expect((await makeCopy()).error).toMatch(/CLIPCTL_COPY_COMMAND failed; it cannot be started: .*ENOENT/);
});

test('one that was cut off by a stop of the service is asked again after the start', async () => {
  await install(`
    if (fs.existsSync(here + '/second')) console.log('{"title":"after all"}');
    else fs.writeFileSync(here + '/second', ''), setInterval(() => {}, 1000);`);
  const jobId = await createJob();
  await vi.waitFor(() => readFile(join(folder, 'second')), { timeout: 30_000 });
  await service.restart();
  await service.idle();
  expect(await getJob(jobId)).toMatchObject({ status: 'CONCLUDED', error: null, title: 'after all' });
});

test('an answer that was made without it, or by another, is not taken for its own', async () => {
  await install(`console.log('{"title":"the first"}');`);
  const other = join(folder, 'other');
  const script = `#!${process.execPath}\nconsole.log('{"title":"the other"}');`;
  await writeFile(other, script, { mode: 0o755 });
  const answers: unknown[] = [];
  for (const command of [program, undefined, other, program]) {
    env.CLIPCTL_COPY_COMMAND = command;
    await service.restart();
    const { title, cached } = await makeCopy('who are you', false);
    answers.push([title, cached]);
  }
  expect(answers).toEqual([
    ['the first', false],
    [expect.not.stringMatching(/^the /), false],
    ['the other', false],
    ['the first', true],
  ]);
});

test.skipIf(process.platform === 'win32')('one that hangs is ended with all it started', async () => {
  const beats = join(folder, 'beats');
  const script = [
    '#!/bin/sh',
    "trap '' TERM",
    `while :; do echo x >> '${beats}'; sleep 0.1; done &`, // it holds stdout open
    'while :; do sleep 1; done',
  ];
  await writeFile(program, script.join('\n'), { mode: 0o755 });
  const run = runUserProgram(program, {
    name: 'the program',
    env: process.env,
    signal: new AbortController().signal,
    timeoutMs: 4000,
    maxOutputBytes: 1000,
  });
  await expect(run).rejects.toMatchObject({
    kind: 'rejected',
    message: 'the program failed',
    details: { reason: 'it was stopped after 4 s' },
  });
  const beatBytes = async () => (await stat(beats)).size;
  expect(await beatBytes()).toBeGreaterThan(0);
  await vi.waitFor(
    async () => {
      const before = await beatBytes();
      await sleep(500);
      expect(await beatBytes()).toBe(before);
    },
    { timeout: 30_000 },
  );
});
