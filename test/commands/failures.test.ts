import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { RouteName } from '../../src/api/routes.js';
import { CancelledError } from '../../src/errors.js';
import { ALWAYS, real, setScene } from '../helpers/scene.js';

const scene = setScene();

describe('several items', () => {
  it('print those that succeeded, name the others on stderr, and end with 12', async () => {
    const text = await scene.cli(real('schedule cancel S1 S9 S2'));
    expect([text.exitCode, text.stdout]).toEqual([12, real('S1\nS2\n')]);
    expect(text.stderr).toMatch(/S9: not found.*no such schedule[\s\S]*error: 1 of 3 failed/);
    const json = await scene.cli(real('schedule cancel S1 S9 --json'));
    expect(JSON.parse(json.stdout)).toEqual([
      real({ scheduleId: 'S1', cancelled: true }),
      { scheduleId: 'S9', cancelled: false, error: expect.objectContaining({ code: 'not-found' }) },
    ]);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'partial', exitCode: 12 } });
  });

  it.each(['collection add L1 P1.C9', 'collection remove L9 P1.C1', 'censor P9.C1', 'schedule cancel S9'])(
    'of one fail with its own code, and print nothing: %s',
    async (line) => {
      const result = await scene.cli(real(`${line} --json`));
      expect([result.exitCode, result.stdout]).toEqual([5, '']);
      expect(JSON.parse(result.stderr)).toMatchObject({
        error: { code: 'not-found', errorName: 'NotFound' },
      });
    },
  );

  it('are not tried after the key was refused', async () => {
    const unauthorized = { status: 401, body: {} };
    scene.planAnswer('addToCollection', unauthorized);
    expect(await scene.cli(real('collection add L1 P1.C1 P1.C2'))).toMatchObject({ exitCode: 3, stdout: '' });
    expect(scene.requests).toHaveLength(1);
    scene.planAnswer('addToCollection', unauthorized, { nth: 2 });
    const some = await scene.cli(real('collection add L1 P1.C1 P1.C2 P1.C3'));
    expect([some.exitCode, some.stdout]).toEqual([12, real('P1.C1\n')]);
    expect(some.stderr).toMatch(/\.C3: not sent/);
    expect(scene.requests).toHaveLength(3);
  });

  it('that all failed in the same way end with its code', async () => {
    const busy = { status: 429, headers: { 'retry-after': '0' }, body: {} };
    scene.planAnswer('createCensorJob', busy, { repeat: 4 });
    const text = await scene.cli(real('censor P1.C1 P1.C2 --retries 0'));
    expect([text.exitCode, text.stdout]).toEqual([6, '']);
    expect(text.stderr).toMatch(
      /C\w+: rate limited.*\n.*C\w+: rate limited.*\nerror: all 2 failed; the first: rate/,
    );
    const json = await scene.cli(real('censor P1.C1 P1.C2 --retries 0 --json'));
    expect(json.exitCode).toBe(6);
    expect(JSON.parse(json.stdout)).toMatchObject([{ error: { exitCode: 6 } }, { error: { exitCode: 6 } }]);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'rate-limited', httpStatus: 429 } });
  });

  it('that all failed in different ways end with 12, and nobody says that some succeeded', async () => {
    scene.planAnswer('cancelSchedule', { status: 400, body: {} });
    const result = await scene.cli('schedule cancel S8 S9');
    expect([result.exitCode, result.stdout]).toEqual([12, '']);
    expect(result.stderr).toMatch(/error: 2 of 2 failed\nfix: none succeeded/);
  });

  it('of censor print an id a line, an array under --json, and wait for all', async () => {
    const text = await scene.cli(real('censor create P1.C1 P1.C2'));
    expect([text.exitCode, text.stdout]).toEqual([0, expect.stringMatching(/^X\w+\nX\w+\n$/)]);
    await scene.service.idle();
    // The first to be asked about: either of them.
    scene.planAnswer('getCensorJob', { body: { status: 'CONCLUDED', error: 'no words' } });
    const waited = await scene.cli(real('censor create P1.C1 P1.C2 --wait --json'));
    expect(waited.exitCode).toBe(12);
    const jobId = expect.stringMatching(/^X/);
    const outcomes: { contentId?: string }[] = JSON.parse(waited.stdout);
    expect(outcomes.sort((a) => ('contentId' in a ? 1 : -1))).toEqual([
      expect.objectContaining({ jobId, status: 'CONCLUDED', error: null }),
      {
        contentId: expect.stringMatching(new RegExp(`^${real('P1')}\\.`)),
        jobId,
        message: expect.any(String),
        status: 'CONCLUDED',
        error: expect.objectContaining({ code: 'job-failed', reason: 'no words' }),
      },
    ]);
  });
});

describe('several uploads', () => {
  it('keep the project that was created and then failed, under --json', async () => {
    const files = await Promise.all(['one', 'two'].map((name) => noVideo(`${name}.mp4`)));
    const { exitCode, stdout, stderr } = await scene.cli(['upload', ...files, '--wait', '--json']);
    expect(exitCode).toBe(11);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'job-failed' } });
    const outcome = {
      ok: false,
      project: { id: expect.stringMatching(/^P/) },
      error: { code: 'job-failed' },
    };
    expect(JSON.parse(stdout)).toMatchObject([outcome, outcome]);
  });
});

/** A file that can be uploaded, and of which no project can be made. */
async function noVideo(name: string): Promise<string> {
  const path = join(scene.home, name);
  await writeFile(path, `no video: ${name}`);
  return path;
}

describe('a wait that is interrupted', () => {
  async function interrupted(words: readonly string[], route: RouteName) {
    scene.planAnswer(route, { body: { id: 'P9', stage: 'CURATE', status: 'QUEUED' } }, { repeat: ALWAYS });
    const stop = new AbortController();
    const ended = scene.cli(words, { signal: stop.signal });
    await vi.waitFor(
      () => expect(scene.asked().join()).toMatch(/GET \/api\/(clip-project|censor-job)s/),
      60_000,
    );
    stop.abort(new CancelledError('SIGINT'));
    return ended;
  }

  it.each([
    [
      'project wait P1 --download',
      'my clips',
      /^error: interrupted\n {2}the project goes on.*\nfix: clipctl project wait P\w+ --download 'my clips'$/m,
    ],
    ['upload FILE --wait', '', /the project goes on.*\nfix: clipctl project wait P\w+$/m],
    ['upload FILE OTHER --wait', '', /other.mp4: interrupted; clipctl project wait P\w+\n/],
  ])('says how to go on: %s', async (line, last, message) => {
    const files: Record<string, string> = {
      FILE: await noVideo('one.mp4'),
      OTHER: await noVideo('other.mp4'),
    };
    const words = [...line.split(' ').map((word) => files[word] ?? real(word)), ...(last ? [last] : [])];
    const { exitCode, stderr } = await interrupted(words, 'getProject');
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(message);
  });

  it('says how to go on with a job', async () => {
    const { exitCode, stderr } = await interrupted(real(['censor', 'P1.C1', '--wait']), 'getCensorJob');
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/the job goes on.*\nfix: clipctl censor status X\w+\n$/);
  });
});

describe('jobs', () => {
  it('are asked until they have ended, their status told on the way', async () => {
    scene.planAnswer('getCensorJob', { body: { status: 'NOVEL' } });
    const result = await scene.cli(real('censor P1.C1 --wait'));
    expect([result.exitCode, result.stdout]).toEqual([0, expect.stringMatching(/^X\w+\n$/)]);
    expect(result.stderr).toMatch(/job X\w+: NOVEL\n[\s\S]*job X\w+: CONCLUDED/);
  });

  it.each([
    ['CONCLUDED', 0],
    ['complete', 0],
    ['Done', 0],
    ['FAILED', 11],
    [undefined, 0],
  ])('of social copy that say %s end with %i', async (status, exitCode) => {
    scene.planAnswer('getCopyJob', { body: { data: { jobId: 'T9', status, hashtags: ['a'] } } });
    const result = await scene.cli(real('copy P1.C1 --account A1 --wait'));
    expect([result.exitCode, result.stdout]).toEqual([exitCode, expect.stringMatching(/^T\w+\n$/)]);
    if (exitCode === 0) expect(result.stderr).toContain('hashtags: ["a"]');
  });

  it('end with 11 for the error of a copy job, and 9 when the time is over', async () => {
    scene.planAnswer('getCopyJob', { body: { data: { status: 'CONCLUDED', error: 'no words' } } });
    const failed = await scene.cli(real('copy P1.C1 --account A1 --wait --json'));
    expect([failed.exitCode, failed.stdout]).toEqual([11, '']);
    expect(JSON.parse(failed.stderr)).toMatchObject({ error: { code: 'job-failed', reason: 'no words' } });
    scene.planAnswer('getCopyJob', { body: { data: { status: 'QUEUED' } } }, { repeat: ALWAYS });
    const late = await scene.cli(real('copy P1.C1 --account A1 --wait --wait-timeout 5ms'));
    expect([late.exitCode, late.stdout]).toEqual([9, expect.stringMatching(/^T\w+\n$/)]);
    expect(late.stderr).toContain(`clipctl copy get ${late.stdout.trim()}`);
  });

  it('that censor needed none have a null id under --json', async () => {
    scene.planAnswer('createCensorJob', { body: { message: 'nothing to censor' } });
    const { exitCode, stdout } = await scene.cli(real('censor P1.C1 --wait --json'));
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { jobId: null, message: 'nothing to censor' }]);
  });
});

describe('a lost answer', () => {
  it.each<[string, RouteName, RegExp]>([
    ['collection create May', 'createCollection', /check at the service whether the collection exists/],
    ['collection add L1 P1.C1', 'addToCollection', /clipctl collection export L\w+/],
    ['collection remove L1 P1.C1', 'removeFromCollection', /clipctl collection export L\w+/],
    ['censor P1.C1', 'createCensorJob', /whether a censor job of P\w+\.C\w+ runs/],
    ['copy P1.C1 --account A1', 'createCopyJob', /whether a copy job of P\w+\.C\w+ runs/],
    ['schedule P1.C1 --account A1 --at +1h', 'createSchedule', /check the scheduled posts/],
    ['api POST /api/collections -f collectionName=May', 'createCollection', /check at the service/],
    ['api DELETE /api/publish-schedules/S1', 'cancelSchedule', /check at the service/],
  ])('is 10 and sent once: %s', async (line, route, hint) => {
    scene.plan(route, { type: 'drop-answer' });
    const result = await scene.cli(real(line));
    expect([result.exitCode, result.stdout, scene.requests.length]).toEqual([10, '', 1]);
    expect(result.stderr).toMatch(hint);
  });
});

describe('a read', () => {
  it.each<[string, RouteName]>([
    ['accounts', 'listAccounts'],
    ['clip list P1', 'listClips'],
    ['censor status X1', 'getCensorJob'],
    ['collection export L1', 'exportCollection'],
    ['api GET /api/social-accounts -f q=mine', 'listAccounts'],
  ])('is asked for again: %s', async (line, route) => {
    const busy = { status: 429, headers: { 'retry-after': '0' }, body: {} };
    scene.planAnswer(route, busy, { repeat: 3 });
    const result = await scene.cli(real(`${line} --retries 2`));
    expect(result.exitCode).toBe(6);
    expect(scene.requests).toHaveLength(3);
  });
});
