import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RouteName } from '../../src/api/routes.js';
import type { FaultAction } from '../../src/service/faults.js';
import { ALWAYS, type PlannedAnswer, real, sample, setScene } from '../helpers/scene.js';

const scene = setScene();

const known = [sample.censorJobId, sample.copyJobId];

/** `METHOD path` and body of each request. A job the test made is called NEW; how often one is asked for is of no account. */
const wire = () => {
  const bodies = scene.bodies();
  return scene
    .asked()
    .map((what) => what.replace(/(?<=-jobs\/)\w+$/, (id) => (known.includes(id) ? id : 'NEW')))
    .map((what, at): [string, unknown] => [what, bodies[at]])
    .filter(([what], at, all) => !what.startsWith('GET') || what !== all[at - 1]?.[0]);
};

const idLine = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}\\w{14}\\n$`));
const [one, two] = sample.clips;
const secondsOf = ({ durationMs }: { durationMs: number }) => durationMs / 1000;
const project = expect.objectContaining(real({ id: 'P1', stage: 'COMPLETE' }));
const job = { jobId: expect.stringMatching(/^[XT]/) };
const concluded = expect.objectContaining({ ...job, status: 'CONCLUDED', error: null });

/** A line, what it sends, what it prints, and what it prints with --json. */
type Row = [line: string, requests: [string, unknown][], stdout: unknown, json: unknown];

const ROWS: Row[] = [
  [
    'visibility P1 public',
    [['POST /api/clip-projects/P1/update-visibility', { visibility: 'PUBLIC' }]],
    'P1\n',
    expect.objectContaining(real({ id: 'P1', visibility: 'PUBLIC' })),
  ],
  ['project get P1', [['GET /api/clip-projects/P1', undefined]], 'P1\n', project],
  ['project wait P1', [['GET /api/clip-projects/P1', undefined]], 'P1\n', project],
  [
    'project create https://v.example/a.mp4 --genre News',
    [['POST /api/clip-projects', { videoUrl: 'https://v.example/a.mp4', curationPref: { genre: 'News' } }]],
    idLine('P'),
    expect.objectContaining({ stage: 'QUEUED', curationPref: { genre: 'News' }, cluster: 'local' }),
  ],
  [
    'clip list P1',
    [['GET /api/exportable-clips?q=findByProjectId&projectId=P1', undefined]],
    `P1.C1\t${secondsOf(one)}\t${one.title}\nP1.C2\t${secondsOf(two)}\t${two.title}\n`,
    [one, two].map(({ id, title, durationMs }) => expect.objectContaining({ id, title, durationMs })),
  ],
  [
    'collection create May',
    [['POST /api/collections', { collectionName: 'May' }]],
    idLine('L'),
    expect.objectContaining({ collectionName: 'May', createdAt: '2030-01-01T12:00:00.000Z' }),
  ],
  [
    'collection add L1 P1.C1 C2 --project P1',
    [
      ['POST /api/collection-contents', { collectionId: 'L1', contentId: 'P1.C1' }],
      ['POST /api/collection-contents', { collectionId: 'L1', contentId: 'P1.C2' }],
    ],
    'P1.C1\nP1.C2\n',
    real([
      { ok: true, collectionId: 'L1', contentId: 'P1.C1' },
      { ok: true, collectionId: 'L1', contentId: 'P1.C2' },
    ]),
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
    real([{ ok: true, collectionId: 'L1', contentId: 'P1.C1' }]),
  ],
  [
    'collection export L1',
    [['POST /api/collections/L1/export', {}]],
    expect.stringMatching(/^(P\w+\.C\w+\thttp:\/\/127\.0\.0\.1:\d+\/media\/\S+\n){2}$/),
    expect.arrayContaining(
      [one, two].map(({ id }) => ({ contentId: id, uriForExport: expect.stringContaining('/media/') })),
    ),
  ],
  [
    'censor create P1.C1 --beep',
    [['POST /api/censor-jobs', { projectId: 'P1', clipId: 'C1', options: { beepSound: true } }]],
    idLine('X'),
    { ...job, message: 'the censor job is queued' },
  ],
  [
    'censor P1.C1 --no-beep',
    [['POST /api/censor-jobs', { projectId: 'P1', clipId: 'C1', options: { beepSound: false } }]],
    idLine('X'),
    { ...job, message: 'the censor job is queued' },
  ],
  [
    'censor P1.C1 --wait',
    [
      ['POST /api/censor-jobs', { projectId: 'P1', clipId: 'C1' }],
      ['GET /api/censor-jobs/NEW', undefined],
    ],
    idLine('X'),
    concluded,
  ],
  ['censor status X1', [['GET /api/censor-jobs/X1', undefined]], 'X1\tCONCLUDED\t\n', concluded],
  [
    'schedule P1.C1 --account A1 --sub-account local-page-1 --at 2030-02-01T09:00:00+01:00 --title T --description D --privacy p --media-type m',
    [
      [
        'POST /api/publish-schedules',
        {
          projectId: 'P1',
          clipId: 'C1',
          postAccountId: 'A1',
          subAccountId: 'local-page-1',
          postDetail: { title: 'T', custom: { description: 'D', privacy: 'p' }, mediaType: 'm' },
          publishAt: '2030-02-01T08:00:00Z',
        },
      ],
    ],
    idLine('S'),
    { scheduleId: expect.any(String), request: expect.objectContaining(real({ clipId: 'C1' })) },
  ],
  [
    'schedule cancel S1 S2',
    [
      ['DELETE /api/publish-schedules/S1', undefined],
      ['DELETE /api/publish-schedules/S2', undefined],
    ],
    'S1\nS2\n',
    real([
      { scheduleId: 'S1', cancelled: true },
      { scheduleId: 'S2', cancelled: true },
    ]),
  ],
  [
    'accounts',
    [['GET /api/social-accounts?q=mine', undefined]],
    'A1\tlocal-page-1\tFACEBOOK_PAGE\tSample Page\nA2\t\tTIKTOK_BUSINESS\tsample.tiktok\n',
    [
      expect.objectContaining(real({ postAccountId: 'A1', subAccountId: 'local-page-1' })),
      expect.objectContaining(real({ postAccountId: 'A2' })),
    ],
  ],
  [
    'accounts list --platform tiktok_business',
    [['GET /api/social-accounts?q=mine', undefined]],
    'A2\t\tTIKTOK_BUSINESS\tsample.tiktok\n',
    [expect.objectContaining(real({ postAccountId: 'A2' }))],
  ],
  [
    'copy P1.C1 --account A1 --sub-account local-page-1 --prompt dry --force-regenerate',
    [
      [
        'POST /api/social-copy-jobs',
        {
          projectId: 'P1',
          clipId: 'C1',
          postAccountId: 'A1',
          subAccountId: 'local-page-1',
          prompt: 'dry',
          forceRegenerate: true,
        },
      ],
    ],
    idLine('T'),
    job,
  ],
  [
    'copy create P1.C1 --account A1 --wait',
    [
      ['POST /api/social-copy-jobs', { projectId: 'P1', clipId: 'C1', postAccountId: 'A1' }],
      ['GET /api/social-copy-jobs/NEW', undefined],
    ],
    idLine('T'),
    concluded,
  ],
  [
    'copy get T1',
    [['GET /api/social-copy-jobs/T1', undefined]],
    expect.stringMatching(/^title: .+\n[\s\S]*^hashtags: \["#[\s\S]*^jobId: T\w+\nstatus: CONCLUDED\n$/m),
    concluded,
  ],
];

describe('what goes over the wire, and what comes out', () => {
  it.each(ROWS)('%s', async (line, requests, stdout) => {
    const text = await scene.cli(real(line));
    expect(text.stderr).not.toMatch(/error/);
    expect([text.exitCode, text.stdout]).toEqual([0, real(stdout)]);
    expect(wire()).toEqual(real(requests));
    const changes = real(requests).filter(([what]) => !what.startsWith('GET'));
    if (changes.length === 0) return;
    const dry = await scene.cli(real(`${line} --dry-run`), { env: { CLIPCTL_API_KEY: undefined } });
    const planned: { method: string; url: string; body?: unknown }[] = JSON.parse(dry.stdout).requests;
    expect(planned.map(({ method, url, body }) => [`${method} ${url}`, body ?? undefined])).toEqual(
      changes.map(([what, body]) => [what.replace(' ', ` ${scene.url}`), body]),
    );
  });

  it.each(ROWS)('%s --json', async (line, requests, _, json) => {
    const { exitCode, stdout, stderr } = await scene.cli(real(`${line} --json`));
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual(json);
    expect(wire()).toEqual(real(requests));
  });

  it.each<[string, RouteName, object]>([
    ['project get P1', 'getProject', { id: 'P9', novel: { kept: true } }],
    ['clip list P1', 'listClips', { data: [{ id: 'P1.C9', title: 'Two', novel: 1 }] }],
    ['collection create May', 'createCollection', { data: { collectionId: 'L9', novel: true } }],
    ['accounts', 'listAccounts', { data: [{ postAccountId: 'A9', novel: 'x' }] }],
    ['copy get T1', 'getCopyJob', { data: { jobId: 'T9', status: 'CONCLUDED', novel: null } }],
  ])('%s --json gives back members nobody knows, and misses none', async (line, route, body) => {
    scene.planAnswer(route, { body }, { repeat: 2 });
    expect((await scene.cli(real(line))).exitCode).toBe(0);
    const { stdout } = await scene.cli(real(`${line} --json`));
    expect(JSON.parse(stdout)).toEqual('data' in body ? body.data : body);
  });

  it('lists a clip without a duration', async () => {
    scene.planAnswer('listClips', { body: { data: [{ id: 'P1.C9', title: 'Two' }] } });
    expect((await scene.cli('clip list P1')).stdout).toBe('P1.C9\t\tTwo\n');
  });

  it('sends raw requests to the same origin', async () => {
    const read = await scene.cli('api GET /api/social-accounts -f q=mine');
    expect(JSON.parse(read.stdout).data).toHaveLength(2);
    await scene.cli('api POST /api/collections -f collectionName=May');
    const fields = ['-F', 'a=1', '-F', 'b=true', '-f', 'c=2'];
    const typed = await scene.cli(['api', 'POST', '/api/collections', ...fields, '-n']);
    expect(JSON.parse(typed.stdout).requests[0].body).toEqual({ a: 1, b: true, c: '2' });
    const included = await scene.cli(real('api GET /api/clip-projects/P1 --include'));
    expect(included.stdout).toMatch(/^HTTP 200\n[\s\S]*\n\n\{"id":"P/);
    expect(wire()[1]).toEqual(['POST /api/collections', { collectionName: 'May' }]);
    for (const path of ['https://evil.example/api', '//evil.example/api', '/\\evil.example', 'api/x']) {
      expect((await scene.cli(['api', 'GET', path])).exitCode).toBe(2);
    }
    expect(scene.requests).toHaveLength(3);
  });

  it('uses other paths and names where the settings say so', async () => {
    await scene.cli('config set compat.accounts_query kind');
    expect((await scene.cli('accounts')).exitCode).toBe(0);
    const path = '/api/exportable-clips?q=findByProjectId&projectId={projectId}&v=2';
    await scene.cli(['config', 'set', 'endpoints.clip-list', path]);
    expect((await scene.cli(real('clip list P1'))).exitCode).toBe(0);
    expect(scene.asked()).toEqual(
      real([
        'GET /api/social-accounts?kind=mine',
        'GET /api/exportable-clips?q=findByProjectId&projectId=P1&v=2',
      ]),
    );
  });

  it('reads ids from stdin, one a line or as JSON lines', async () => {
    const stdin = real('P1.C1\n\n{"id":"P1.C2"}\n{"contentId":"P2.C3"}\nP1.C1\n');
    const { exitCode, stdout } = await scene.cli(real('collection add L1 -'), { stdin });
    expect([exitCode, stdout]).toEqual([12, real('P1.C1\nP1.C2\n')]);
    expect(scene.bodies().map(({ contentId }) => contentId)).toEqual(real(['P1.C1', 'P1.C2', 'P2.C3']));
  });

  it('takes a word close to a verb as a clip id when the verb is typed out', async () => {
    expect((await scene.cli('censor create statsu --project P1')).exitCode).toBe(5);
    expect(scene.bodies()).toEqual([{ projectId: 'P1', clipId: 'statsu' }]);
  });

  it('takes the project of a bare id from the environment, and the full id over it', async () => {
    const env = { CLIPCTL_PROJECT: 'P7' };
    expect((await scene.cli('censor create C9', { env })).exitCode).toBe(5);
    expect((await scene.cli(real('censor create P1.C1'), { env })).exitCode).toBe(0);
    expect(scene.bodies()).toEqual([
      { projectId: 'P7', clipId: 'C9' },
      real({ projectId: 'P1', clipId: 'C1' }),
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
    const result = await scene.cli(line);
    expect(result.stderr).toMatch(message);
    expect([result.exitCode, result.stdout]).toEqual([2, '']);
    expect(scene.requests).toEqual([]);
    const asJson = await scene.cli(`${line} --json`);
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: 'usage', exitCode: 2 } });
  });

  it('refuses an empty name and an empty stdin', async () => {
    expect((await scene.cli(['collection', 'create', ' '])).exitCode).toBe(2);
    expect((await scene.cli('collection add L1 -', { stdin: '\n' })).exitCode).toBe(2);
    expect(scene.requests).toEqual([]);
  });
});

describe('times', () => {
  it.each([
    ['--at +90m', '2030-01-01T13:30:00Z'],
    ['--at +1d', '2030-01-02T12:00:00Z'],
    ['--at 2030-07-01T09:00 --tz Europe/Berlin', '2030-07-01T07:00:00Z'],
    ['--at 2030-01-31T09:00:00-05:00', '2030-01-31T14:00:00Z'],
  ])('%s', async (flags, publishAt) => {
    const { exitCode, stderr } = await scene.cli(real(`schedule P1.C1 --account A1 ${flags}`));
    expect([exitCode, scene.bodies()]).toEqual([0, [expect.objectContaining({ publishAt })]]);
    expect(stderr).toContain(publishAt);
  });

  it('is said back in the zone of the post', async () => {
    const flags = '--at 2030-07-01T09:00 --tz Europe/Berlin';
    const { stderr } = await scene.cli(real(`schedule P1.C1 --account A1 ${flags}`));
    expect(stderr).toMatch(/2030-07-01 09:00 Europe\/Berlin \(2030-07-01T07:00:00Z\)/);
  });

  it('reads the description from a file', async () => {
    const path = join(scene.home, 'd.txt');
    await writeFile(path, 'two\nlines\n');
    const flags = ['--account', 'A1', '--at', '+1h', '--description-file', path];
    expect((await scene.cli(real(['schedule', 'P1.C1', ...flags]))).exitCode).toBe(0);
    expect(scene.bodies()[0]).toMatchObject({ postDetail: { custom: { description: 'two\nlines' } } });
  });
});

describe('what the service answers', () => {
  const full = { errorName: 'QuotaExceed', errorMessage: 'full' };
  it.each<[string, PlannedAnswer, number, string]>([
    ['a 401', { status: 401, body: { errorName: 'Nope', errorMessage: 'bad key' } }, 3, 'auth'],
    ['a 403', { status: 403, body: { message: 'no' } }, 4, 'forbidden'],
    ['a 404', { status: 404, body: 'gone' }, 5, 'not-found'],
    ['a 422', { status: 422, body: { detail: 'wrong' } }, 7, 'rejected'],
    ['a quota in a 429', { status: 429, body: full }, 7, 'quota'],
    ['a quota in a 500', { status: 500, body: full }, 7, 'quota'],
    ['a quota in a 200', { status: 200, body: full }, 7, 'quota'],
    ['a 500', { status: 500, body: '<html>oops</html>' }, 8, 'service'],
    ['an empty answer', { status: 200, body: '' }, 8, 'service'],
  ])('collection create and %s', async (_, answer, exitCode, code) => {
    scene.planAnswer('createCollection', answer);
    await expectRefusal(exitCode, code);
  });

  it.each<[string, FaultAction]>([
    ['a redirect', { type: 'redirect', status: 302, location: 'https://evil.example/' }],
    ['a page', { type: 'body', text: '<html>hi</html>' }],
  ])('collection create and %s', async (_, action) => {
    scene.plan('createCollection', action);
    await expectRefusal(8, 'service');
  });

  async function expectRefusal(exitCode: number, code: string): Promise<void> {
    const result = await scene.cli('collection create May --json --retries 1');
    expect([result.exitCode, result.stdout]).toEqual([exitCode, '']);
    expect(JSON.parse(result.stderr).error).toMatchObject({ code, exitCode });
    expect(scene.requests).toHaveLength(1);
  }

  it('tolerates a missing envelope, and any 2xx with the id', async () => {
    scene.planAnswer('createCollection', { status: 202, body: { collectionId: 'L9' } });
    expect((await scene.cli('collection create May')).stdout).toBe('L9\n');
    scene.planAnswer('createProject', { body: { data: { id: 'P9' } } });
    expect((await scene.cli('project create https://v.example/a.mp4')).stdout).toBe('P9\n');
  });

  it('takes a censor answer without a job as a success that says so', async () => {
    scene.planAnswer('createCensorJob', { body: { message: 'nothing to censor' } });
    const result = await scene.cli(real('censor P1.C1'));
    expect([result.exitCode, result.stdout]).toEqual([0, '']);
    expect(result.stderr).toMatch(/no job was needed: nothing to censor/);
  });

  it.each([404, 405, 501])('says that an undocumented endpoint may not be offered: %i', async (status) => {
    scene.planAnswer('listClips', { status });
    const result = await scene.cli(real('clip list P1'));
    expect(result.exitCode).toBe(5);
    expect(result.stderr).toMatch(/not offered by this service/);
    expect(/check the id/.test(result.stderr)).toBe(status === 404);
    expect(scene.requests).toHaveLength(1);
  });

  it('does not ask again when a quota is used up, whatever the status', async () => {
    const body = { errorName: 'QuotaExceed', errorMessage: 'no more' };
    scene.planAnswer('listAccounts', { status: 503, body });
    expect((await scene.cli('accounts')).exitCode).toBe(7);
    expect(scene.requests).toHaveLength(1);
  });

  it('fails with 11 when a job failed, and with 9 when the time is over', async () => {
    const line = real('censor P1.C1 --wait');
    scene.planAnswer('getCensorJob', { body: { status: 'CONCLUDED', error: 'no words' } });
    expect(await scene.cli(line)).toMatchObject({ exitCode: 11, stdout: idLine('X') });
    scene.planAnswer('getCensorJob', { body: { status: 'PROCESSING' } }, { repeat: ALWAYS });
    expect(await scene.cli(`${line} --wait-timeout 10ms`)).toMatchObject({ exitCode: 9 });
  });

  it('fails with 11 when a project stalled', async () => {
    // The service does not fetch from its own machine.
    const created = await scene.cli(`project create ${scene.url}/a.mp4`);
    const stalled = await scene.cli(`project wait ${created.stdout.trim()}`);
    expect(stalled.exitCode).toBe(11);
    expect(stalled.stderr).toMatch(/private/);
  });

  it('goes on when some fail, and ends with 12', async () => {
    const result = await scene.cli(real('collection add L1 P1.C1 P1.C9 P1.C2'));
    expect([result.exitCode, result.stdout]).toEqual([12, real('P1.C1\nP1.C2\n')]);
    const asJson = await scene.cli(real('collection add L1 P1.C1 P1.C9 --json'));
    expect(JSON.parse(asJson.stdout)).toMatchObject([
      { ok: true },
      { ok: false, error: { code: 'not-found' } },
    ]);
    expect((await scene.cli(real('collection add L1 P1.C9'))).exitCode).toBe(5);
  });

  it('shows text of the service without what could steer a terminal', async () => {
    const account = { postAccountId: 'A1', extUserName: '\u001b[2Jx\u202ey\nz' };
    const accounts = JSON.stringify({ accounts: [account] });
    await writeFile(join(scene.service.dataDir, 'accounts.json'), accounts);
    const { stdout } = await scene.cli('accounts', { tty: true, env: { CI: '1' } });
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('\\x1b[2Jx\\u202ey\\nz');
    expect(JSON.parse((await scene.cli('accounts --json')).stdout)).toEqual([account]);
  });
});
