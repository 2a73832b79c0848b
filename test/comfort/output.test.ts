import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { RouteName } from '../../src/api/routes.js';
import { appendHistory } from '../../src/history/journal.js';
import { BIN } from '../helpers/built-cli.js';
import { contentsOf } from '../helpers/contents-of.js';
import { ALWAYS, real, setScene } from '../helpers/scene.js';
import { plain, typeAt } from './typing.js';
import { allVerbs } from './verbs.js';

/** Everything a hostile answer may hold: clears the screen, sets the title, rings, reorders, forges a line. */
const HOSTILE = 'a\u001b[2J\u001b]0;title\u0007\u009b31m\u202eb\u2066c\r\nforged\tcell';
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const scene = setScene();
const { cli } = scene;

const more = { title: HOSTILE, novel: HOSTILE };
const project = { id: 'P1', stage: 'COMPLETE', visibility: HOSTILE, ...more };

/** Hostile answers, of every route that the lines below use. */
const ANSWERS: Partial<Record<RouteName, object>> = {
  createProject: project,
  getProject: project,
  updateVisibility: project,
  listAccounts: { data: [{ postAccountId: 'A1', platform: HOSTILE, extUserName: HOSTILE }] },
  listClips: { data: [{ id: 'P1.C1', ...more }] },
  createCollection: { data: { collectionId: 'L1', ...more } },
  addToCollection: { data: more },
  removeFromCollection: { data: HOSTILE },
  exportCollection: { data: { contentList: [{ contentId: 'P1.C1', uriForExport: HOSTILE }] } },
  createSchedule: { data: { scheduleId: 'S1', ...more } },
  cancelSchedule: { data: more },
  createCopyJob: { data: { jobId: 'T1', text: HOSTILE } },
  getCopyJob: { data: { jobId: 'T1', status: 'CONCLUDED', text: HOSTILE } },
  createCensorJob: { jobId: 'X1', ...more },
  getCensorJob: { jobId: 'X1', status: 'CONCLUDED', error: null, ...more },
};
const REFUSAL = { errorName: HOSTILE, errorMessage: HOSTILE };

/** Plans that every route answers so from now on: with its hostile answer, or with a refusal. */
function planHostile(status: number, routes = Object.keys(ANSWERS) as RouteName[]): void {
  for (const route of routes) {
    const body = status === 200 ? ANSWERS[route] : REFUSAL;
    scene.planAnswer(route, { status, body }, { repeat: ALWAYS });
  }
}

const FILE = 'talk.mp4';
const VERIFY = 'webhook verify --signature a --salt b --timestamp 1';

/** A command line for every verb, by its words. Those that never end by themselves are tested by their own files. */
const LINES: Record<string, string | null> = {
  upload: `upload ${FILE} --dry-run`,
  'uploads list': 'uploads list',
  'uploads resume': 'uploads resume',
  'uploads forget': 'uploads forget U1',
  'project create': 'project create https://x.example/a.mp4',
  'project get': 'project get P1',
  'project wait': 'project wait P1',
  visibility: 'visibility P1 public',
  'clip list': 'clip list P1',
  'clip download': 'clip download P1.C1 --dry-run',
  'collection create': 'collection create Best',
  'collection add': 'collection add L1 P1.C1',
  'collection remove': 'collection remove L1 P1.C1',
  'collection export': 'collection export L1',
  'censor create': 'censor create P1.C1',
  'censor status': 'censor status X1',
  'schedule create': 'schedule create P1.C1 --account A1 --at +2h',
  'schedule cancel': 'schedule cancel S1',
  'accounts list': 'accounts list',
  'copy create': 'copy create P1.C1 --account A1',
  'copy get': 'copy get T1',
  'preset save': 'preset save team --caption --overwrite',
  'preset list': 'preset list',
  'preset show': 'preset show team',
  'preset delete': 'preset delete team',
  'history list': 'history list',
  'history show': 'history show P1',
  'history clear': 'history clear',
  'webhook listen': null,
  'webhook verify': VERIFY,
  'auth login': 'auth login --with-token',
  'auth status': 'auth status',
  'auth logout': 'auth logout',
  'config set': 'config set timeout 90s',
  'config get': 'config get timeout',
  'config list': 'config list --origin',
  'config unset': 'config unset timeout',
  'config path': 'config path',
  'profile list': 'profile list',
  'profile use': 'profile use default',
  'profile delete': 'profile delete work',
  api: 'api GET /api/social-accounts?q=mine',
  serve: null,
  completion: null,
  doctor: 'doctor',
  help: null,
};

/** What the lines need: a file, a preset, a history, a profile. */
async function prepare(): Promise<void> {
  await mkdir(join(scene.home, '.config/clipctl'), { recursive: true });
  await writeFile(
    join(scene.home, '.config/clipctl/config.json'),
    JSON.stringify({ profiles: { work: { base_url: 'https://w.example' } } }),
  );
  await writeFile(join(scene.home, FILE), 'bytes');
  await cli('preset save team --emoji');
  const time = '2026-05-01T00:00:00Z';
  const entry = { time, kind: 'project', event: 'created', baseUrl: 'https://a.example' } as const;
  await appendHistory(join(scene.home, '.local/state/clipctl'), [{ ...entry, id: 'P1', title: HOSTILE }]);
}

const lines = () =>
  Object.values(LINES).flatMap((line) => (line === null ? [] : [line.replace(FILE, join(scene.home, FILE))]));

describe('--json', () => {
  it('has a line here for every verb', async () => {
    const verbs = (await allVerbs()).map(({ words }) => words.join(' '));
    expect(
      verbs.filter((verb) => !(verb in LINES) && !verb.endsWith(' help') && !verb.startsWith('batch')),
    ).toEqual([]);
  });

  it.each([200, 400])('prints one JSON document, or nothing and one line of error: %i', async (status) => {
    await prepare();
    planHostile(status);
    for (const line of lines()) {
      const { exitCode, stdout, stderr } = await cli(`${line} --json`, { stdin: scene.service.apiKey });
      if (exitCode === 0) expect(() => JSON.parse(stdout), line).not.toThrow();
      else {
        const last = stderr.trimEnd().split('\n').at(-1) ?? '';
        expect(JSON.parse(last), line).toMatchObject({ error: { exitCode, message: expect.any(String) } });
        if (stdout !== '') expect(() => JSON.parse(stdout), line).not.toThrow();
      }
    }
  });

  it('gives values back unchanged', async () => {
    planHostile(200, ['getProject']);
    const { stdout } = await cli('project get P1 --json');
    expect(JSON.parse(stdout)).toMatchObject({ title: HOSTILE, novel: HOSTILE });
    expect(stdout).not.toMatch(UNSAFE);
  });
});

describe('--dry-run', () => {
  it('of no command changes anything, here or at the service', async () => {
    await prepare();
    const kept = async () => [
      ...(await contentsOf(join(scene.home, '.config'))),
      ...(await contentsOf(join(scene.home, '.local'))),
    ];
    const before = await kept();
    for (const line of lines()) {
      await cli(`${line} --dry-run`, { stdin: scene.service.apiKey });
      expect(await kept(), line).toEqual(before);
    }
    expect(scene.asked().filter((request) => !request.startsWith('GET '))).toEqual([]);
  });
});

describe('--query', () => {
  it.each(['foo(collectionId)', 'toString(@)', 'sum()', 'a.b[?contains(c)]', '[', 'length(a, b)'])(
    'that can suit no result is refused before anything is sent: %s',
    async (query) => {
      const { exitCode, stdout, stderr } = await cli(['collection', 'create', 'May', '--query', query]);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage' } });
      expect(scene.requests).toEqual([]);
    },
  );

  it.each(['length(nothing)', 'sum(collectionId)', '$novel'])(
    'that does not suit the result does not lose it: %s',
    async (query) => {
      const { exitCode, stdout, stderr } = await cli(['collection', 'create', 'May', '--query', query]);
      expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ collectionName: 'May' })]);
      expect(stderr).toMatch(/^warning: --query could not be applied[^\n]*\n$/);
    },
  );

  it.each([
    ['collectionId', /^L\w+\n$/],
    ["join('', [collectionId, 'x'])", /^L\w+x\n$/],
    ['merge({a: `1`}, {b: `{"type":"Function","name":"foo"}`}).a', /^1\n$/],
    ['not_null(nothing, collectionId)', /^L\w+\n$/],
    ["pad_left(collectionId, `40`, '-')", /^-+L\w+\n$/],
  ])('%s prints what it picks', async (query, text) => {
    const result = await cli(['collection', 'create', 'May', '--query', query]);
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(text), stderr: '' });
  });
});

describe('a hostile service', () => {
  it.each([200, 400, 500])('answering %i cannot reach the terminal', async (code) => {
    await prepare();
    planHostile(code);
    for (const tty of [true, false]) {
      for (const line of lines().filter((each) => !(tty ? READS_STDIN : AS_IT_CAME).test(each))) {
        const options = { stdin: scene.service.apiKey, tty, env: { TERM: 'xterm', NO_COLOR: '1', CI: '1' } };
        const { stdout, stderr } = await cli(`${line} --retries 0`, options);
        expect(redrawn(stdout), line).not.toMatch(UNSAFE);
        expect(redrawn(stderr), line).not.toMatch(UNSAFE);
        // Social copy is a text of several lines; everywhere else an answer cannot make a line of its own.
        if (!line.startsWith('copy get')) expect(`${stdout}${stderr}`, line).not.toMatch(/^forged/m);
      }
    }
  });
});

/** At a terminal these wait for a person. */
const READS_STDIN = /^(webhook verify|auth login)/;
/** In a pipe this prints the body as it came. */
const AS_IT_CAME = /^api /;

/** Without what our own stage line needs to draw over itself. */
function redrawn(text: string): string {
  return text.replaceAll('\r\u001b[K', '');
}

describe('terminals', () => {
  it.each([
    [{ NO_COLOR: '1' }, []],
    [{ TERM: 'dumb' }, []],
    [{}, ['--no-color']],
  ])('%o %o: no colour', async (env, flags) => {
    const { stderr } = await cli(['project', 'get', 'a b', ...flags], { tty: true, env });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).not.toContain('\u001b');
  });

  it('have colour otherwise', async () => {
    const { stderr } = await cli('nosuch', { tty: true, env: { TERM: 'xterm' } });
    expect(stderr).toContain('\u001b[31merror:');
    expect(plain(stderr)).toMatch(/^error: /);
  });

  it('of 40 columns: tables fit, help stays readable', async () => {
    await prepare();
    planHostile(200, ['listAccounts', 'listClips']);
    const narrow = { tty: true, columns: 40, env: { TERM: 'xterm', CI: '1' } };
    for (const line of ['accounts list', 'clip list P1', 'history list', 'config list', 'preset list']) {
      const { stdout } = await cli(line, narrow);
      expect(stdout, line).not.toBe('');
      for (const row of stdout.split('\n'))
        expect(stringWidth(row), `${line}: ${row}`).toBeLessThanOrEqual(40);
    }
    for (const line of ['--help', 'upload --help', 'preset --help']) {
      const { exitCode, stdout } = await cli(line, narrow);
      expect([exitCode, stdout.includes('Usage: clipctl')]).toEqual([0, true]);
      // Terms and examples are never cut, so a long one may stand out; the descriptions are wrapped.
      const about = stdout.split('\n').filter((row) => /^ {6}/.test(row));
      expect(about).not.toEqual([]);
      for (const row of about) expect(stringWidth(row), `${line}: ${row}`).toBeLessThanOrEqual(40);
    }
  });

  it('of 40 columns: what the clips will look like is broken between words', async () => {
    const words = ['project', 'create', 'https://x.example/a.mp4', '--caption', '--auto-layout', '--dry-run'];
    const { stderr } = await cli(words, { tty: true, columns: 40, env: { TERM: 'dumb', CI: '1' } });
    const rows = stderr.trimEnd().split('\n');
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) expect(stringWidth(row), row).toBeLessThan(40);
    expect(rows.map((row) => row.trim()).join(' ')).toMatch(
      /^note: the clips will be .*; captions in Noto Sans/,
    );
  });

  it('of 40 columns: ids and addresses are whole, to be copied', async () => {
    const narrow = { tty: true, columns: 40, env: { TERM: 'xterm', CI: '1' } };
    await cli(real('censor P1.C1'));
    await cli(real('schedule P1.C1 --account A1 --at +1h'));
    for (const [line, ids] of Object.entries({
      'clip list P1': '[].id',
      'collection export L1': '[].[contentId, uriForExport][]',
      'accounts list': '[].[postAccountId, subAccountId][]',
      'censor status X1': '[jobId]',
      'history list': '[].id',
      'history list --kind schedule': '[].[id, clipId][]',
    })) {
      const { stdout } = await cli(real(line), narrow);
      const whole = JSON.parse((await cli([...real(line).split(' '), '--query', ids])).stdout);
      expect(whole).not.toEqual([]);
      for (const id of whole) expect(stdout, line).toContain(id ?? '');
    }
  });

  it('that are dumb or narrow can be asked', async () => {
    const question = ['Forget the whole history?', 'y\r'] as const;
    for (const options of [{ env: { TERM: 'dumb' } }, { columns: 40 }]) {
      expect(
        (await typeAt(['history', 'clear'], [question], { home: scene.home, ...options })).exitCode,
      ).toBe(0);
    }
  });
});

describe('a closed pipe', () => {
  it('is no error', async () => {
    const entry = { time: '2026-05-01T00:00:00Z', kind: 'project', event: 'created', baseUrl: 'x' } as const;
    const many = Array.from({ length: 5000 }, (_, at) => ({
      ...entry,
      id: `P${at}`,
      title: 'x'.repeat(100),
    }));
    await appendHistory(join(scene.home, '.local/state/clipctl'), many);
    const run = promisify(execFile);
    for (const command of ['history list', 'history list --json', 'help preferences', '--help']) {
      const script = `"${process.execPath}" "${BIN}" ${command} | head -c 20 >/dev/null; echo "\${PIPESTATUS[0]}"`;
      const { stdout, stderr } = await run('bash', ['-c', script], {
        env: { HOME: scene.home, PATH: process.env.PATH },
      });
      expect([stdout, stderr], command).toEqual(['0\n', '']);
    }
  });
});
