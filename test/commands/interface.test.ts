import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEY, startContractRecorder } from '../helpers/contract-recorder.js';
import { type CliOptions, makeHome, runCli } from '../helpers/run-cli.js';

let home: Awaited<ReturnType<typeof makeHome>>;
let service: Awaited<ReturnType<typeof startContractRecorder>>;
const NOW = new Date('2030-01-01T12:00:00Z');

beforeEach(async () => {
  home = await makeHome();
  service = await startContractRecorder();
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
  await home.remove();
});

const cli = (line: string | readonly string[], options: CliOptions = {}) =>
  runCli(line, {
    home: home.home,
    now: () => NOW,
    ...options,
    env: { CLIPCTL_BASE_URL: service.url, CLIPCTL_API_KEY: KEY, TZ: 'UTC', ...options.env },
  });

/** `METHOD path body` of each request. */
const wire = () =>
  service.requests.map(({ method, path, body }) => [
    `${method} ${path}`,
    body === '' ? undefined : JSON.parse(body),
  ]);

describe('what goes over the wire, and what comes out', () => {
  it.each<[string, [string, unknown][], string, unknown]>([
    [
      'visibility P1 public',
      [['POST /api/clip-projects/P1/update-visibility', { visibility: 'PUBLIC' }]],
      'P1\n',
      { id: 'P1', visibility: 'PUBLIC', novel: 1 },
    ],
    ['project get P1', [['GET /api/clip-projects/P1', undefined]], 'P1\n', { id: 'P1', stage: 'COMPLETE' }],
    ['project wait P1', [['GET /api/clip-projects/P1', undefined]], 'P1\n', { id: 'P1', stage: 'COMPLETE' }],
    [
      'project create https://v.example/a.mp4 --genre News',
      [['POST /api/clip-projects', { videoUrl: 'https://v.example/a.mp4', curationPref: { genre: 'News' } }]],
      'P1\n',
      { id: 'P1', projectId: 'P1', stage: 'QUEUED', extra: { kept: true } },
    ],
    [
      'clip list P1',
      [['GET /api/exportable-clips?q=findByProjectId&projectId=P1', undefined]],
      'P1.C1\t1.5\tOne\nP1.C2\t\tTwo\n',
      [
        { id: 'P1.C1', title: 'One', durationMs: 1500 },
        { id: 'P1.C2', title: 'Two' },
      ],
    ],
    [
      'collection create May',
      [['POST /api/collections', { collectionName: 'May' }]],
      'L1\n',
      { collectionId: 'L1', collectionName: 'May', novel: true },
    ],
    [
      'collection add L1 P1.C1 C2 --project P1',
      [
        ['POST /api/collection-contents', { collectionId: 'L1', contentId: 'P1.C1' }],
        ['POST /api/collection-contents', { collectionId: 'L1', contentId: 'P1.C2' }],
      ],
      'P1.C1\nP1.C2\n',
      [
        { ok: true, collectionId: 'L1', contentId: 'P1.C1' },
        { ok: true, collectionId: 'L1', contentId: 'P1.C2' },
      ],
    ],
    [
      'collection remove L1 P1.C1',
      [
        [
          'POST /api/collection-contents/delete-collection-contents',
          { q: 'findByCollectionIdAndContentId', collectionId: 'L1', contentId: 'P1.C1' },
        ],
      ],
      'P1.C1\n',
      [{ ok: true, collectionId: 'L1', contentId: 'P1.C1' }],
    ],
    [
      'collection export L1',
      [['POST /api/collections/L1/export', {}]],
      'P1.C1\thttps://files.example/1?sig=x\n',
      [{ contentId: 'P1.C1', uriForExport: 'https://files.example/1?sig=x' }],
    ],
    [
      'censor create P1.C1 --beep',
      [['POST /api/censor-jobs', { projectId: 'P1', clipId: 'C1', options: { beepSound: true } }]],
      'J1\n',
      { jobId: 'J1', message: 'started' },
    ],
    [
      'censor P1.C1 --no-beep',
      [['POST /api/censor-jobs', { projectId: 'P1', clipId: 'C1', options: { beepSound: false } }]],
      'J1\n',
      { jobId: 'J1', message: 'started' },
    ],
    [
      'censor P1.C1 --wait',
      [
        ['POST /api/censor-jobs', { projectId: 'P1', clipId: 'C1' }],
        ['GET /api/censor-jobs/J1', undefined],
      ],
      'J1\n',
      { jobId: 'J1', message: 'started', status: 'CONCLUDED', error: '' },
    ],
    [
      'censor status J1',
      [['GET /api/censor-jobs/J1', undefined]],
      'J1\tCONCLUDED\t\n',
      { jobId: 'J1', status: 'CONCLUDED', error: '' },
    ],
    [
      'schedule P1.C1 --account A1 --sub-account S1 --at 2030-02-01T09:00:00+01:00 --title T --description D --privacy p --media-type m',
      [
        [
          'POST /api/publish-schedules',
          {
            projectId: 'P1',
            clipId: 'C1',
            postAccountId: 'A1',
            subAccountId: 'S1',
            postDetail: { title: 'T', custom: { description: 'D', privacy: 'p' }, mediaType: 'm' },
            publishAt: '2030-02-01T08:00:00Z',
          },
        ],
      ],
      'S1\n',
      { scheduleId: 'S1', request: expect.objectContaining({ clipId: 'C1' }) },
    ],
    [
      'schedule cancel S1 S2',
      [
        ['DELETE /api/publish-schedules/S1', undefined],
        ['DELETE /api/publish-schedules/S2', undefined],
      ],
      'S1\nS2\n',
      [
        { scheduleId: 'S1', cancelled: true },
        { scheduleId: 'S2', cancelled: true },
      ],
    ],
    [
      'accounts',
      [['GET /api/social-accounts?q=mine', undefined]],
      'A1\t\tTIKTOK_BUSINESS\tAda\nA2\tS2\tFACEBOOK_PAGE\tBo\n',
      [
        expect.objectContaining({ postAccountId: 'A1', novel: 'x' }),
        expect.objectContaining({ subAccountId: 'S2' }),
      ],
    ],
    [
      'accounts list --platform facebook_page',
      [['GET /api/social-accounts?q=mine', undefined]],
      'A2\tS2\tFACEBOOK_PAGE\tBo\n',
      [expect.objectContaining({ postAccountId: 'A2' })],
    ],
    [
      'copy P1.C1 --account A1 --sub-account S1 --prompt dry --force-regenerate',
      [
        [
          'POST /api/social-copy-jobs',
          {
            projectId: 'P1',
            clipId: 'C1',
            postAccountId: 'A1',
            subAccountId: 'S1',
            prompt: 'dry',
            forceRegenerate: true,
          },
        ],
      ],
      'J2\n',
      { jobId: 'J2' },
    ],
    [
      'copy create P1.C1 --account A1 --wait',
      [
        ['POST /api/social-copy-jobs', { projectId: 'P1', clipId: 'C1', postAccountId: 'A1' }],
        ['GET /api/social-copy-jobs/J2', undefined],
      ],
      'J2\n',
      { jobId: 'J2', status: 'CONCLUDED', title: 'A title' },
    ],
    [
      'copy get J2',
      [['GET /api/social-copy-jobs/J2', undefined]],
      'jobId: J2\nstatus: CONCLUDED\ntitle: A title\n',
      expect.objectContaining({ title: 'A title' }),
    ],
  ])('%s', async (line, requests, stdout, json) => {
    const text = await cli(line);
    expect(text.stderr).not.toMatch(/error/);
    expect([text.exitCode, text.stdout]).toEqual([0, stdout]);
    expect(wire()).toEqual(requests);
    const asJson = await cli(`${line} --json`);
    expect([asJson.exitCode, asJson.stderr.replace(/^.*no job.*\n/, '')]).toEqual([0, '']);
    expect(JSON.parse(asJson.stdout)).toEqual(json);
    const dry = await cli(`${line} --dry-run`, { env: { CLIPCTL_API_KEY: undefined } });
    const changes = requests.filter(([what]) => !what.startsWith('GET'));
    const planned = changes.length === 0 ? undefined : JSON.parse(dry.stdout).requests;
    if (planned) {
      expect(planned.map(({ method, url }: { method: string; url: string }) => `${method} ${url}`)).toEqual(
        changes.map(([what]) => what.replace(' ', ` ${service.url}`)),
      );
      expect(planned.map(({ body }: { body: unknown }) => body ?? undefined)).toEqual(
        changes.map(([, body]) => body),
      );
    }
  });

  it('sends raw requests to the same origin', async () => {
    const read = await cli('api GET /api/social-accounts -f q=mine');
    expect(JSON.parse(read.stdout).data).toHaveLength(2);
    await cli('api POST /api/collections -f collectionName=May');
    const typed = await cli([
      'api',
      'POST',
      '/api/collections',
      '-F',
      'a=1',
      '-F',
      'b=true',
      '-f',
      'c=2',
      '-n',
    ]);
    expect(JSON.parse(typed.stdout).requests[0].body).toEqual({ a: 1, b: true, c: '2' });
    const included = await cli('api GET /api/clip-projects/P1 --include');
    expect(included.stdout).toMatch(/^HTTP 200\n[\s\S]*\n\n\{"id":"P1"/);
    expect(wire()[1]).toEqual(['POST /api/collections', { collectionName: 'May' }]);
    for (const path of ['https://evil.example/api', '//evil.example/api', '/\\evil.example', 'api/x']) {
      expect((await cli(['api', 'GET', path])).exitCode).toBe(2);
    }
  });

  it('uses other paths and names where the settings say so', async () => {
    service.answers.listAccounts = ({ path }) => ({ body: { data: path.includes('kind=mine') ? [] : [{}] } });
    await cli('config set compat.accounts_query kind');
    expect(await cli('accounts')).toMatchObject({ exitCode: 0, stdout: '' });
    await cli([
      'config',
      'set',
      'endpoints.clip-list',
      '/api/exportable-clips?q=findByProjectId&projectId={projectId}&v=2',
    ]);
    await cli('clip list P1');
    expect(service.requests.at(-1)?.path).toBe('/api/exportable-clips?q=findByProjectId&projectId=P1&v=2');
  });

  it('reads ids from stdin, one a line or as JSON lines', async () => {
    await cli('collection add L1 -', { stdin: 'P1.C1\n\n{"id":"P1.C2"}\n{"contentId":"P2.C3"}\nP1.C1\n' });
    expect(wire().map(([, body]) => body.contentId)).toEqual(['P1.C1', 'P1.C2', 'P2.C3']);
  });

  it('takes a word close to a verb as a clip id when the verb is typed out', async () => {
    await cli('censor create statsu --project P1');
    expect(wire()[0]?.[1]).toEqual({ projectId: 'P1', clipId: 'statsu' });
  });

  it('takes the project of a bare id from the environment, and the full id over it', async () => {
    await cli('censor create C9', { env: { CLIPCTL_PROJECT: 'P7' } });
    await cli('censor create P1.C1', { env: { CLIPCTL_PROJECT: 'P7' } });
    expect(wire().map(([, body]) => body)).toEqual([
      { projectId: 'P7', clipId: 'C9' },
      { projectId: 'P1', clipId: 'C1' },
    ]);
  });
});

describe('refused before anything is sent', () => {
  it.each([
    ['visibility P1 secret', /default or public/],
    ['visibility a/b public', /is no project id/],
    ['clip download', /no clip was named/],
    ['collection add L1 C1', /bare clip id[\s\S]*--project/],
    ['collection add L1 P1.C1 --project P2', /is not of project P2/],
    ['collection add L1 P1.', /nothing after its dot/],
    ['collection add L1 .C1', /no project before/],
    ['collection export L1 --overwrite', /--overwrite needs --download/],
    ['censor statsu', /did you mean clipctl censor status/],
    ['censor creat', /did you mean clipctl censor create/],
    ['schedule cancle', /did you mean clipctl schedule cancel/],
    ['copy gte', /did you mean clipctl copy get/],
    ['censor P1.C1 --wait-timeout 5s', /needs --wait/],
    ['schedule P1.C1 --at +2h', /--account is missing/],
    ['schedule P1.C1 --account A1', /--at is missing/],
    ['schedule P1.C1 --account A1 --at tomorrow', /is not a time/],
    ['schedule P1.C1 --account A1 --at 2030-02-30T09:00:00Z', /no day and time of the calendar/],
    ['schedule P1.C1 --account A1 --at 2030-02-01T09:00', /does not say in which time zone/],
    ['schedule P1.C1 --account A1 --at 2029-12-31T09:00:00Z', /is in the past/],
    ['schedule P1.C1 --account A1 --at 2030-02-01T09:00 --tz Mars/Base', /is no time zone/],
    ['schedule P1.C1 --account A1 --at 2030-03-31T02:30 --tz Europe/Berlin', /does not exist/],
    ['schedule P1.C1 --account A1 --at 2030-10-27T02:30 --tz Europe/Berlin', /comes twice/],
    ['schedule P1.C1 --account A1 --at +2h --description a --description-file b', /exclude each other/],
    ['api FETCH /api/x', /is no method/],
    ['api GET /api/x -f nofield', /is no field/],
    ['copy P1.C1', /--account is missing/],
  ])('%s', async (line, message) => {
    const result = await cli(line);
    expect(result.stderr).toMatch(message);
    expect([result.exitCode, result.stdout]).toEqual([2, '']);
    expect(service.requests).toEqual([]);
    const asJson = await cli(`${line} --json`);
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: 'usage', exitCode: 2 } });
  });

  it('refuses an empty name and an empty stdin', async () => {
    expect((await cli(['collection', 'create', ' '])).exitCode).toBe(2);
    expect((await cli('collection add L1 -', { stdin: '\n' })).exitCode).toBe(2);
    expect(service.requests).toEqual([]);
  });
});

describe('times', () => {
  it.each([
    ['--at +90m', '2030-01-01T13:30:00Z'],
    ['--at +1d', '2030-01-02T12:00:00Z'],
    ['--at 2030-07-01T09:00 --tz Europe/Berlin', '2030-07-01T07:00:00Z'],
    ['--at 2030-01-31T09:00:00-05:00', '2030-01-31T14:00:00Z'],
  ])('%s', async (flags, publishAt) => {
    const { stderr } = await cli(`schedule P1.C1 --account A1 ${flags}`);
    expect(wire()[0]?.[1]).toMatchObject({ publishAt });
    expect(stderr).toContain(publishAt);
  });

  it('is said back in the zone of the post', async () => {
    const { stderr } = await cli('schedule P1.C1 --account A1 --at 2030-07-01T09:00 --tz Europe/Berlin');
    expect(stderr).toMatch(/2030-07-01 09:00 Europe\/Berlin \(2030-07-01T07:00:00Z\)/);
  });

  it('reads the description from a file', async () => {
    const path = join(home.home, 'd.txt');
    await writeFile(path, 'two\nlines\n');
    await cli(['schedule', 'P1.C1', '--account', 'A1', '--at', '+1h', '--description-file', path]);
    expect(wire()[0]?.[1]).toMatchObject({ postDetail: { custom: { description: 'two\nlines' } } });
  });
});

describe('what the service answers', () => {
  const lost = { status: 200, body: '' };
  it.each<[string, object, number, string]>([
    ['a 401', { status: 401, body: { errorName: 'Nope', errorMessage: 'bad key' } }, 3, 'auth'],
    ['a 403', { status: 403, body: { message: 'no' } }, 4, 'forbidden'],
    ['a 404', { status: 404, body: 'gone' }, 5, 'not-found'],
    ['a 422', { status: 422, body: { detail: 'wrong' } }, 7, 'rejected'],
    [
      'a quota in a 429',
      { status: 429, body: { errorName: 'QuotaExceed', errorMessage: 'full' } },
      7,
      'quota',
    ],
    [
      'a quota in a 500',
      { status: 500, body: { errorName: 'QuotaExceed', errorMessage: 'full' } },
      7,
      'quota',
    ],
    [
      'a quota in a 200',
      { status: 200, body: { errorName: 'QuotaExceed', errorMessage: 'full' } },
      7,
      'quota',
    ],
    ['a 500', { status: 500, body: '<html>oops</html>' }, 8, 'service'],
    ['a redirect', { status: 302, headers: { location: 'https://evil.example/' }, body: '' }, 8, 'service'],
    ['a page', { status: 200, body: '<html>hi</html>' }, 8, 'service'],
    ['an empty answer', lost, 8, 'service'],
  ])('collection create and %s', async (_, answer, exitCode, code) => {
    service.answers.createCollection = answer;
    const result = await cli('collection create May --json --retries 1');
    expect([result.exitCode, result.stdout]).toEqual([exitCode, '']);
    expect(JSON.parse(result.stderr).error).toMatchObject({ code, exitCode });
    expect(service.requests).toHaveLength(1);
  });

  it('tolerates a missing envelope, and any 2xx with the id', async () => {
    service.answers.createCollection = { status: 202, body: { collectionId: 'L9' } };
    expect((await cli('collection create May')).stdout).toBe('L9\n');
    service.answers.createProject = { status: 200, body: { data: { id: 'P9' } } };
    expect((await cli('project create https://v.example/a.mp4')).stdout).toBe('P9\n');
  });

  it('takes a censor answer without a job as a success that says so', async () => {
    service.answers.createCensorJob = { body: { message: 'nothing to censor' } };
    const result = await cli('censor P1.C1');
    expect([result.exitCode, result.stdout]).toEqual([0, '']);
    expect(result.stderr).toMatch(/no job was needed: nothing to censor/);
  });

  it('says that an undocumented endpoint may not be offered', async () => {
    service.answers.listClips = { status: 405, body: '' };
    const result = await cli('clip list P1');
    expect(result.exitCode).toBe(5);
    expect(result.stderr).toMatch(/not offered by this service/);
  });

  it('fails with 11 when a job failed, and with 9 when the time is over', async () => {
    service.answers.getCensorJob = { body: { status: 'CONCLUDED', error: 'no words' } };
    expect(await cli('censor P1.C1 --wait')).toMatchObject({ exitCode: 11, stdout: 'J1\n' });
    service.answers.getCensorJob = { body: { status: 'PROCESSING' } };
    expect(await cli('censor P1.C1 --wait --wait-timeout 10ms')).toMatchObject({ exitCode: 9 });
    service.answers.getProject = { body: { id: 'P1', stage: 'STALLED', error: 'no sound' } };
    const stalled = await cli('project wait P1');
    expect(stalled.exitCode).toBe(11);
    expect(stalled.stderr).toMatch(/no sound/);
  });

  it('goes on when some fail, and ends with 12', async () => {
    service.answers.addToCollection = ({ body }) =>
      body.includes('C2')
        ? { status: 404, body: { errorName: 'NotFound', errorMessage: 'no C2' } }
        : { body: { data: {} } };
    const result = await cli('collection add L1 P1.C1 P1.C2 P1.C3');
    expect([result.exitCode, result.stdout]).toEqual([12, 'P1.C1\nP1.C3\n']);
    const asJson = await cli('collection add L1 P1.C1 P1.C2 --json');
    expect(JSON.parse(asJson.stdout)).toMatchObject([
      { ok: true },
      { ok: false, error: { code: 'not-found' } },
    ]);
    expect((await cli('collection add L1 P1.C2')).exitCode).toBe(5);
  });

  it('shows text of the service without what could steer a terminal', async () => {
    service.answers.listAccounts = {
      body: { data: [{ postAccountId: 'A1', extUserName: '\u001b[2Jx\u202ey\nz' }] },
    };
    const { stdout } = await cli('accounts', { tty: true, env: { CI: '1' } });
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('\\x1b[2Jx\\u202ey\\nz');
    expect(JSON.parse((await cli('accounts --json')).stdout)[0].extUserName).toBe('\u001b[2Jx\u202ey\nz');
  });
});
