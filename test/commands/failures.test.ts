import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.js';

const scene = setScene();
const notFound = { status: 404, body: { errorName: 'NotFound', errorMessage: 'no such thing' } };

describe('several items', () => {
  it('print those that succeeded, name the others on stderr, and end with 12', async () => {
    scene.service.answers.cancelSchedule = ({ path }) =>
      path.endsWith('/S2') ? notFound : { body: { data: {} } };
    const text = await scene.cli('schedule cancel S1 S2 S3');
    expect([text.exitCode, text.stdout]).toEqual([12, 'S1\nS3\n']);
    expect(text.stderr).toMatch(/S2: not found.*no such thing[\s\S]*error: 1 of 3 failed/);
    const json = await scene.cli('schedule cancel S1 S2 --json');
    expect(JSON.parse(json.stdout)).toEqual([
      { scheduleId: 'S1', cancelled: true },
      { scheduleId: 'S2', cancelled: false, error: expect.objectContaining({ code: 'not-found' }) },
    ]);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'partial', exitCode: 12 } });
  });

  it.each([
    ['collection add L1 P1.C1', 'addToCollection'],
    ['collection remove L1 P1.C1', 'removeFromCollection'],
    ['censor P1.C1', 'createCensorJob'],
    ['schedule cancel S1', 'cancelSchedule'],
  ])('of one fail with its own code, and print nothing: %s', async (line, route) => {
    scene.service.answers[route] = notFound;
    const result = await scene.cli(`${line} --json`);
    expect([result.exitCode, result.stdout]).toEqual([5, '']);
    expect(JSON.parse(result.stderr)).toMatchObject({ error: { code: 'not-found', errorName: 'NotFound' } });
  });

  it('are not tried after the key was refused', async () => {
    scene.service.answers.addToCollection = { status: 401, body: {} };
    expect(await scene.cli('collection add L1 P1.C1 P1.C2')).toMatchObject({ exitCode: 3, stdout: '' });
    expect(scene.service.requests).toHaveLength(1);
    scene.service.answers.addToCollection = ({ body }) =>
      body.includes('C1') ? { body: { data: {} } } : { status: 401, body: {} };
    const some = await scene.cli('collection add L1 P1.C1 P1.C2 P1.C3');
    expect([some.exitCode, some.stdout]).toEqual([12, 'P1.C1\n']);
    expect(some.stderr).toMatch(/P1\.C3: not sent/);
    expect(scene.service.requests).toHaveLength(3);
  });

  it('of censor print an id a line, an array under --json, and wait for all', async () => {
    const create = ({ body }: { body: string }) => ({ body: { jobId: `J-${JSON.parse(body).clipId}` } });
    scene.service.answers.createCensorJob = create;
    const text = await scene.cli('censor create P1.C1 P1.C2');
    expect([text.exitCode, text.stdout]).toEqual([0, 'J-C1\nJ-C2\n']);
    scene.service.answers.getCensorJob = ({ path }) => ({
      body: path.endsWith('C2')
        ? { status: 'CONCLUDED', error: 'no sound' }
        : { status: 'CONCLUDED', error: '' },
    });
    const waited = await scene.cli('censor create P1.C1 P1.C2 --wait --json');
    expect(waited.exitCode).toBe(12);
    expect(JSON.parse(waited.stdout)).toEqual([
      { jobId: 'J-C1', status: 'CONCLUDED', error: '' },
      { contentId: 'P1.C2', error: expect.objectContaining({ code: 'job-failed', reason: 'no sound' }) },
    ]);
  });
});

describe('jobs', () => {
  it('are asked until they have ended, their status told on the way', async () => {
    let looks = 0;
    scene.service.answers.getCensorJob = () => ({ body: { status: ++looks < 2 ? 'NOVEL' : 'CONCLUDED' } });
    const result = await scene.cli('censor P1.C1 --wait');
    expect([result.exitCode, result.stdout]).toEqual([0, 'J1\n']);
    expect(result.stderr).toMatch(/J1: NOVEL\n[\s\S]*J1: CONCLUDED/);
  });

  it.each([
    ['CONCLUDED', 0],
    ['complete', 0],
    ['Done', 0],
    ['FAILED', 11],
    [undefined, 0],
  ])('of social copy that say %s end with %i', async (status, exitCode) => {
    scene.service.answers.getCopyJob = { body: { data: { jobId: 'J2', status, hashtags: ['a'] } } };
    const result = await scene.cli('copy P1.C1 --account A1 --wait');
    expect([result.exitCode, result.stdout]).toEqual([exitCode, 'J2\n']);
    if (exitCode === 0) expect(result.stderr).toContain('hashtags: ["a"]');
  });

  it('end with 11 for the error of a copy job, and 9 when the time is over', async () => {
    scene.service.answers.getCopyJob = { body: { data: { status: 'CONCLUDED', error: 'no words' } } };
    const failed = await scene.cli('copy P1.C1 --account A1 --wait --json');
    expect([failed.exitCode, failed.stdout]).toEqual([11, '']);
    expect(JSON.parse(failed.stderr)).toMatchObject({ error: { code: 'job-failed', reason: 'no words' } });
    scene.service.answers.getCopyJob = { body: { data: { status: 'QUEUED' } } };
    const late = await scene.cli('copy P1.C1 --account A1 --wait --wait-timeout 5ms');
    expect([late.exitCode, late.stdout]).toEqual([9, 'J2\n']);
    expect(late.stderr).toContain('clipctl copy get J2');
  });

  it('that censor needed none have a null id under --json', async () => {
    scene.service.answers.createCensorJob = { body: { message: 'nothing to censor' } };
    const { exitCode, stdout } = await scene.cli('censor P1.C1 --wait --json');
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { jobId: null, message: 'nothing to censor' }]);
  });
});

/** A server that reads a request and hangs up. */
async function startHangingUp() {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      requests++;
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe('a lost answer', () => {
  it.each([
    ['collection create May', /check at the service whether the collection exists/],
    ['collection add L1 P1.C1', /clipctl collection export L1/],
    ['collection remove L1 P1.C1', /clipctl collection export L1/],
    ['censor P1.C1', /whether a censor job of P1\.C1 runs/],
    ['copy P1.C1 --account A1', /whether a copy job of P1\.C1 runs/],
    ['schedule P1.C1 --account A1 --at +1h', /check the scheduled posts/],
    ['api POST /api/collections -f collectionName=May', /check at the service/],
    ['api DELETE /api/publish-schedules/S1', /check at the service/],
  ])('is 10 and sent once: %s', async (line, hint) => {
    const server = await startHangingUp();
    const result = await scene.cli(line, { env: { CLIPCTL_BASE_URL: server.url } });
    await server.stop();
    expect([result.exitCode, result.stdout, server.requests()]).toEqual([10, '', 1]);
    expect(result.stderr).toMatch(hint);
  });
});

describe('a read', () => {
  it.each([
    'accounts',
    'clip list P1',
    'censor status J1',
    'collection export L1',
    'api GET /api/social-accounts -f q=mine',
  ])('is asked for again: %s', async (line) => {
    const busy = { status: 429, headers: { 'retry-after': '0' }, body: {} };
    for (const route of ['listAccounts', 'listClips', 'getCensorJob', 'exportCollection'])
      scene.service.answers[route] = busy;
    const result = await scene.cli(`${line} --retries 2`);
    expect(result.exitCode).toBe(6);
    expect(scene.service.requests).toHaveLength(3);
  });
});
