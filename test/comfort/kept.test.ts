import { execFile } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendHistory, type HistoryEntry, readHistory } from '../../src/history/journal.js';
import { NOW } from '../helpers/make-sample.js';
import { type CliOptions, makeHome, runCli } from '../helpers/run-cli.js';
import { real, setScene } from '../helpers/scene.js';
import { typeAt } from './typing.js';

/** What clipctl keeps for people: presets, the history, profiles. */

let home: Awaited<ReturnType<typeof makeHome>>;
beforeEach(async () => {
  home = await makeHome();
});
afterEach(() => home.remove());

const cli = (line: string | readonly string[], options: CliOptions = {}) =>
  runCli(line, { home: home.home, ...options });
const config = (path: string) => join(home.home, '.config/clipctl', path);
const state = () => join(home.home, '.local/state/clipctl');
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('preset', () => {
  it('is saved from flags and files, used, shown, listed and deleted', async () => {
    const file = join(home.home, 'look.json');
    await writeFile(file, '{"renderPref":{"enableEmoji":true,"enableCaption":false}}');
    const saved = await cli(['preset', 'save', 'team', '--prefs', file, '--caption', '--genre', 'qa']);
    expect([saved.exitCode, saved.stdout]).toEqual([0, 'team\n']);
    expect(await modeOf(config('presets/team.yaml'))).toBe(0o600);
    expect(await readdir(config('presets'))).toEqual(['team.yaml']);
    const kept = { renderPref: { enableEmoji: true, enableCaption: true }, curationPref: { genre: 'Q&A' } };
    expect(JSON.parse((await cli('preset show team --json')).stdout)).toEqual(kept);
    expect((await cli('preset show team')).stdout).toMatch(/^ {2}enableCaption: true$/m);
    expect((await cli('preset list')).stdout).toMatch(/^team\t.*captions/);
    expect(JSON.parse((await cli('preset list --json')).stdout)).toMatchObject([{ name: 'team' }]);
    const dry = await cli(
      'project create https://x.example/a -n --preset team --no-emoji --query requests[0].body',
    );
    expect(JSON.parse(dry.stdout)).toMatchObject({
      curationPref: { genre: 'Q&A' },
      renderPref: { enableCaption: true, enableEmoji: false },
    });
    expect((await cli('preset delete team')).stdout).toBe('team\n');
    expect((await cli('preset list')).stdout).toBe('');
  });

  it('keeps what was given, not the defaults of the config', async () => {
    await cli('config set defaults.curationPref.genre Podcast');
    await cli('preset save look --caption');
    expect(JSON.parse((await cli('preset show look --json')).stdout)).toEqual({
      renderPref: { enableCaption: true },
    });
  });

  it.each([
    ['preset save team --crop', /already[\s\S]*--overwrite/],
    ['preset save ../team --crop', /no name for a preset/],
    ['preset save con --crop', /no name for a preset/],
    ['preset save nothing', /a preset of nothing/],
    ['preset save bad --prompt x --model ClipBasic', /only with the model ClipAnything/],
    ['preset show tem', /did you mean team/],
    ['preset delete tam', /did you mean team/],
    ['upload missing.mp4 --preset teem', /./],
    ['project create https://x.example/a -n --preset teem', /did you mean team/],
  ])('%s is refused', async (line, message) => {
    await cli('preset save team --caption');
    const result = await cli(line);
    expect([result.exitCode, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toMatch(message);
    expect((await cli('preset show team')).stdout).toBe('renderPref:\n  enableCaption: true\n');
  });

  it('is deleted after a yes only', async () => {
    await cli('preset save team --caption');
    const at = (keys: string) =>
      typeAt(['preset', 'delete', 'team'], [['Delete the preset team?', keys]], home);
    expect(await at('n\r')).toMatchObject({ exitCode: 130, stdout: '' });
    expect(await at('\u0003')).toMatchObject({ exitCode: 130 });
    expect((await cli('preset list')).stdout).toMatch(/^team/);
    expect(await at('y\r')).toMatchObject({ exitCode: 0, stdout: 'team\n' });
    expect((await cli('preset list')).stdout).toBe('');
  });
});

const entry = (id: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  time: '2026-05-01T10:00:00.000Z',
  kind: 'project',
  id,
  event: 'created',
  baseUrl: 'https://api.example',
  ...more,
});

describe('history', () => {
  const now = () => new Date('2026-05-02T12:00:00Z');

  it('lists by kind and time, newest first; relative times only at a terminal', async () => {
    await appendHistory(state(), [
      entry('P1', { time: '2026-04-01T10:00:00.000Z' }),
      entry('P2', { title: 'a\u001b[2Jtalk' }),
      entry('J1', { kind: 'censor', projectId: 'P2', clipId: 'C1', time: '2026-05-02T11:00:00.000Z' }),
    ]);
    expect((await cli('history list', { now })).stdout).toBe(
      'J1\tcensor\t2026-05-02T11:00:00.000Z\tP2.C1\n' +
        'P2\tproject\t2026-05-01T10:00:00.000Z\ta\\x1b[2Jtalk\n' +
        'P1\tproject\t2026-04-01T10:00:00.000Z\t\n',
    );
    const shown = (await cli('history list', { now, tty: true })).stdout;
    expect(shown).toMatch(/^ID +KIND +WHEN +WHAT\nJ1 +censor +1h ago/);
    const ids = async (line: string) => JSON.parse((await cli(`${line} --query [].id`, { now })).stdout);
    expect(await ids('history list --kind project')).toEqual(['P2', 'P1']);
    expect(await ids('history list --since 7d')).toEqual(['J1', 'P2']);
    expect(await ids('history list --since 2026-05-02T00:00:00Z')).toEqual(['J1']);
    expect(await ids('history list --limit 1')).toEqual(['J1']);
    expect((await cli('history list --since 2026-02-30')).exitCode).toBe(2);
    expect((await cli('history list --kind projct')).stderr).toMatch(/did you mean project/);
  });

  it('shows the schedules that are still ahead, in local time', async () => {
    const schedule = { kind: 'schedule', projectId: 'P1', clipId: 'C1' } as const;
    await appendHistory(state(), [
      entry('S1', { ...schedule, publishAt: '2026-05-04T16:00:00Z', title: 'later' }),
      entry('S2', { ...schedule, publishAt: '2026-05-03T16:00:00Z' }),
      entry('S3', { ...schedule, publishAt: '2026-05-02T11:00:00Z' }),
      entry('S4', { ...schedule, publishAt: '2026-05-05T16:00:00Z' }),
      entry('S4', { kind: 'schedule', event: 'cancelled', time: '2026-05-02T09:00:00.000Z' }),
    ]);
    const env = { TZ: 'Asia/Tokyo' };
    const shown = (await cli('history list --kind schedule', { now, env, tty: true })).stdout;
    expect(shown.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(/^S2 +2026-05-04 01:00 GMT\+9 \(in 1d\) +P1\.C1/),
      expect.stringMatching(/^S1 +2026-05-05 01:00 GMT\+9 \(in 2d\) +P1\.C1 +later/),
    ]);
    expect(shown).not.toMatch(/S3|S4/);
    expect((await cli('history list --kind schedule', { now, env })).stdout).toMatch(
      /^S2\t2026-05-03T16:00:00Z\t/,
    );
    const all = JSON.parse((await cli('history list --kind schedule --all --json', { now })).stdout);
    expect(all).toHaveLength(4);
    expect(all.find(({ id }: { id: string }) => id === 'S4')).toMatchObject({
      event: 'cancelled',
      publishAt: '2026-05-05T16:00:00Z',
      cancelledAt: '2026-05-02T09:00:00.000Z',
    });
  });

  it('shows one entry, and forgets all after a yes', async () => {
    await appendHistory(state(), [entry('P1', { title: 'Talk' })]);
    expect((await cli('history show P1')).stdout).toMatch(/^title: Talk$/m);
    expect(JSON.parse((await cli('history show P1 --json')).stdout)).toMatchObject({
      id: 'P1',
      title: 'Talk',
    });
    expect((await cli('history show P2')).exitCode).toBe(5);
    const question = 'Forget the whole history?';
    expect((await typeAt(['history', 'clear'], [[question, '\r']], home)).exitCode).toBe(130);
    expect((await cli('history list')).stdout).toMatch(/^P1/);
    expect((await cli('history clear')).exitCode).toBe(0);
    expect((await cli('history list')).stdout).toBe('');
  });

  it('survives a torn line', async () => {
    await appendHistory(state(), [entry('P1')]);
    await appendFile(join(state(), 'history.jsonl'), '{"time":"2026-');
    await appendHistory(state(), [entry('P2')]);
    const listed = await cli('history list --query [].id');
    expect(JSON.parse(listed.stdout).sort()).toEqual(['P1', 'P2']);
    expect(listed.stderr).toMatch(/1 lines .* cannot be read/);
  });

  it('loses nothing when several processes write at once', async () => {
    const journal = join(import.meta.dirname, '../../src/history/journal.ts');
    const bundle = join(home.home, 'journal.mjs');
    const { build } = await import('esbuild');
    await build({ entryPoints: [journal], bundle: true, format: 'esm', platform: 'node', outfile: bundle });
    const script = `import { appendHistory } from ${JSON.stringify(bundle)};
      for (let at = 0; at < 100; at++) await appendHistory(process.argv[1], [{ time: '2026-05-01T00:00:00Z',
        kind: 'project', id: process.argv[2] + at, event: 'created', baseUrl: 'x', title: 'y'.repeat(300) }]);`;
    await Promise.all(
      ['a', 'b', 'c', 'd'].map(
        (name) =>
          new Promise<void>((resolve, reject) => {
            execFile(process.execPath, ['--input-type=module', '-e', script, state(), name], (error) =>
              error ? reject(error) : resolve(),
            );
          }),
      ),
    );
    const { entries, damaged } = await readHistory(state());
    expect([new Set(entries.map(({ id }) => id)).size, damaged]).toEqual([400, 0]);
  });
});

describe('with a service', () => {
  const scene = setScene();
  const historyPath = () => join(scene.home, '.local/state/clipctl/history.jsonl');

  it('a preset is saved from a project', async () => {
    const saved = await scene.cli(real('preset save first --from-project P1 --emoji'));
    expect([saved.exitCode, saved.stdout]).toEqual([0, 'first\n']);
    expect(scene.asked()).toEqual([real('GET /api/clip-projects/P1')]);
    expect(JSON.parse((await scene.cli('preset show first --json')).stdout)).toEqual({
      curationPref: { clipDurations: [[0, 8]] },
      renderPref: { layoutAspectRatio: 'square', enableEmoji: true },
    });
  });

  it('a preset of a project leaves out what nobody knows, and what is nothing', async () => {
    const body = {
      id: 'P1',
      curationPref: { genre: 'Podcast', clipDurations: [[0, 30]], customPrompt: null, newThing: 1 },
      renderPref: { enableCaption: true, enableVisualHook: true, captionStyle: null, font: null },
      importPref: { sourceLang: 'en' },
    };
    scene.planAnswer('getProject', { body });
    const saved = await scene.cli('preset save again --from-project P1');
    expect(saved.stderr).toMatch(/curationPref\.newThing/);
    expect(JSON.parse((await scene.cli('preset show again --json')).stdout)).toEqual({
      curationPref: { genre: 'Podcast', clipDurations: [[0, 30]] },
      renderPref: { enableCaption: true },
      importPref: { sourceLang: 'en' },
    });
  });

  it('the history has what a command created, without secrets', async () => {
    const line = 'project create https://user:pw@x.example/a.mp4?token=t0p --title Talk';
    const { exitCode, stdout } = await scene.cli(line);
    expect(exitCode).toBe(0);
    expect(await modeOf(historyPath())).toBe(0o600);
    const text = await readFile(historyPath(), 'utf8');
    expect(text).not.toMatch(/t0p|pw@/);
    expect(text).not.toContain(scene.service.apiKey);
    expect(JSON.parse(text)).toEqual(
      entry(stdout.trim(), {
        time: NOW.toISOString(),
        baseUrl: scene.url,
        title: 'Talk',
        videoUrl: 'https://x.example/a.mp4',
      }),
    );
  });

  it('the history knows what every creating command made, and what was cancelled', async () => {
    const made: string[] = [];
    for (const line of [
      'collection create Best',
      'censor create P1.C1',
      'schedule create P1.C1 --account A1 --at +2h --title Soon',
      'copy create P1.C1 --account A1',
    ]) {
      const { exitCode, stdout } = await scene.cli(real(line));
      expect(exitCode).toBe(0);
      made.push(`${line.split(' ')[0]} ${stdout.trim()}`);
    }
    const dry = await scene.cli(real('schedule create P1.C1 --account A1 --at +3h --dry-run'));
    expect(dry.exitCode).toBe(0);
    const rows = async (flags: string) =>
      JSON.parse((await scene.cli(`history list ${flags} --json`)).stdout) as HistoryEntry[];
    expect((await rows('')).map(({ kind, id }) => `${kind} ${id}`).sort()).toEqual(made.sort());
    const [schedule] = await rows('--kind schedule');
    expect(schedule).toMatchObject({
      ...real({ projectId: 'P1', clipId: 'C1', accountId: 'A1' }),
      title: 'Soon',
      publishAt: '2030-01-01T14:00:00Z',
    });
    expect((await scene.cli(`schedule cancel ${schedule?.id}`)).exitCode).toBe(0);
    expect(await rows('--kind schedule')).toEqual([]);
    expect(await rows('--kind schedule --all')).toMatchObject([{ event: 'cancelled', title: 'Soon' }]);
  });

  it('a history that cannot be written is a warning', async () => {
    await mkdir(historyPath(), { recursive: true });
    const result = await scene.cli('project create https://x.example/a');
    expect([result.exitCode, result.stdout]).toEqual([0, expect.stringMatching(/^P\w+\n$/)]);
    expect(result.stderr).toMatch(/warning: the history could not be written/);
  });
});

describe('profile', () => {
  const keys = { work: { baseUrl: 'https://work.example', key: 'work-key-9876' } };
  beforeEach(async () => {
    await mkdir(config(''), { recursive: true });
    await writeFile(
      config('config.json'),
      JSON.stringify({ profiles: { work: { base_url: 'https://work.example' } } }),
    );
    await writeFile(config('credentials.json'), JSON.stringify(keys));
  });

  it('is listed, used and deleted with its key', async () => {
    expect((await cli('profile list')).stdout).toBe(
      'default\tyes\t\t\nwork\t\thttps://work.example\t…9876\n',
    );
    expect((await cli('profile use work')).exitCode).toBe(0);
    expect((await cli('config get base_url')).stdout).toBe('https://work.example\n');
    expect(JSON.parse((await cli('profile list --json')).stdout)).toEqual([
      { name: 'default', inUse: false, baseUrl: null, key: null },
      { name: 'work', inUse: true, baseUrl: 'https://work.example', key: '…9876' },
    ]);
    const no = await typeAt(['profile', 'delete', 'work'], [['Delete the profile work', 'n\r']], home);
    expect(no.stderr).toMatch(/nothing was deleted/);
    expect((await cli('profile delete work')).exitCode).toBe(0);
    expect(JSON.parse(await readFile(config('credentials.json'), 'utf8'))).toEqual({});
    expect((await cli('profile list')).stdout).toBe('default\tyes\t\t\n');
    expect((await cli('config list')).exitCode).toBe(0);
  });

  it.each([
    ['profile use wrk', /did you mean work/],
    ['profile delete wok', /did you mean work/],
    ['profile delete default', /is no profile/],
  ])('%s is refused', async (line, message) => {
    const result = await cli(line);
    expect([result.exitCode, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toMatch(message);
    expect(JSON.parse(await readFile(config('credentials.json'), 'utf8'))).toEqual(keys);
  });

  it('use default goes back to no profile, also from one that is gone', async () => {
    await cli('profile use work');
    await writeFile(config('config.json'), JSON.stringify({ profile: 'work' }));
    expect((await cli('config get timeout')).exitCode).toBe(2);
    expect((await cli('profile use default')).exitCode).toBe(0);
    expect((await cli('config list --profile default')).exitCode).toBe(0);
    expect((await cli('config get timeout')).exitCode).toBe(0);
  });
});
