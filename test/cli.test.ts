import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/command-table.js';
import { EXIT_CODES } from '../src/exit-codes.js';
import { contentsOf } from './helpers/contents-of.js';
import { type CliOptions, makeHome, runCli } from './helpers/run-cli.js';

let home: Awaited<ReturnType<typeof makeHome>>;
beforeEach(async () => {
  home = await makeHome();
});
afterEach(() => home.remove());

const cli = (line: string | readonly string[], options: CliOptions = {}) =>
  runCli(line, { home: home.home, ...options });
const configFile = () => join(home.home, '.config/clipctl/config.json');

/** A port nobody listens on: taken, then given back. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

describe('help', () => {
  it('lists every command', async () => {
    const { exitCode, stdout, stderr } = await cli('--help');
    expect([exitCode, stderr]).toEqual([0, '']);
    for (const { name, summary } of COMMANDS) {
      expect(stdout).toContain(name);
      expect(stdout).toContain(summary.slice(0, 20));
    }
    expect(stdout).toContain('--base-url <url>');
  });

  it('shows the same without a command, and a version', async () => {
    expect((await cli('')).stdout).toContain('Commands:');
    expect((await cli('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    'uploads',
    'project',
    'clip',
    'collection',
    'preset',
    'history',
    'webhook',
    'auth',
    'config',
    'profile',
  ])('of a group is what %s without a verb prints', async (group) => {
    const asked = await cli(`${group} --help`);
    expect(asked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Commands:'), stderr: '' });
    for (const line of [group, `--local ${group}`, `${group} -q`]) expect(await cli(line)).toEqual(asked);
    expect(await cli(`${group} nosuch`)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await cli(`${group} --nosuch`)).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('has examples and exit codes for every verb', async () => {
    const { stdout } = await cli('upload --help');
    expect(stdout).toMatch(/Examples:[\s\S]*clipctl upload talk\.mp4/);
    expect(stdout).toMatch(/Exit codes[\s\S]* 10 /);
    expect((await cli('help project create')).stdout).toContain('--upload-id <id>');
  });

  it('prints the exit codes from their table', async () => {
    const { stdout } = await cli('help exit-codes');
    for (const { code } of EXIT_CODES) expect(stdout).toMatch(new RegExp(`^ +${code}  `, 'm'));
    for (const { meaning } of EXIT_CODES) expect(stdout).toContain(meaning);
  });

  it('prints the environment', async () => {
    expect((await cli('help environment')).stdout).toContain('CLIPCTL_BASE_URL');
  });
});

describe('usage errors', () => {
  it.each([
    ['uplod x', /did you mean upload/],
    ['--profil x accounts', /unknown option '--profil'[\s\S]*did you mean --profile\?/],
    ['--profil=x uplod', /unknown option '--profil=x'[\s\S]*did you mean --profile\?/],
    ['-qyz x accounts', /unknown option '-qyz'/],
    ['--genre Podcast upload x', /unknown option '--genre'[\s\S]*come after it/],
    ['-qy --profile=x --json=x uplod', /did you mean upload\?/],
    ['--profile x -n uplod --genre y', /did you mean upload\?/],
    ['upload x --genr Podcast', /did you mean --genre/],
    ['upload', /missing required argument 'file'\nfix: clipctl help upload shows/],
    ['--profile project project wait', /missing required argument[\s\S]*clipctl help project wait shows/],
    ['upload a.mp4 --genre', /argument missing[\s\S]*clipctl help upload shows/],
    ['project get P1 P2', /too many arguments[\s\S]*clipctl help project get shows/],
    ['project nosuch', /unknown command[\s\S]*clipctl help project shows/],
    ['--nosuchatall', /unknown option[\s\S]*clipctl help shows/],
    ['help confg', /did you mean config/],
    ['project create', /no video address/],
    ['project create ./talk.mp4', /use clipctl upload/],
    ['project create talk.mp4', /use clipctl upload/],
    ['project create clips/talk.mp4', /use clipctl upload/],
    ['project create youtube.com/watch?v=1', /did you mean https:\/\/youtube\.com\/watch\?v=1\?/],
    ['project create media.example.co.uk:8443/a/talk.mp4', /did you mean https:\/\/media/],
    ['project create www.example.com', /did you mean https:\/\/www/],
    [
      'upload https://x.example/y.mp4',
      /is an address[\s\S]*clipctl project create 'https:\/\/x\.example\/y\.mp4'/,
    ],
    ['upload HTTPS://x.example/watch?v=1 talk.mp4', /is an address/],
    ['project create ftp://x', /no http\(s\) address/],
    ['project create https://x.example/a --upload-id U1', /exclude each other/],
    ['project create https://x.example/a --download d', /--download needs --wait/],
    ['config get nosuch', /there is no setting/],
    ['config get base_ur', /did you mean base_url/],
    ['config set timeout soon', /duration/],
    ['config set api_key x', /auth login/],
    ['auth login --local', /needs no login/],
    ['serve --port 99999', /is no port/],
  ])('%s', async (line, message) => {
    const { exitCode, stdout, stderr } = await cli(line);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(2);
  });

  it('are one line of JSON under --json, before and after the command', async () => {
    for (const line of ['--json upload missing.mp4', 'upload missing.mp4 --json']) {
      const { exitCode, stdout, stderr } = await cli(line);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(JSON.parse(stderr)).toMatchObject({
        error: { code: 'usage', exitCode: 2, message: expect.any(String) },
      });
    }
    const query = await cli('config list --query [');
    expect(JSON.parse(query.stderr)).toMatchObject({
      error: { code: 'usage', message: expect.stringMatching(/JMESPath/) },
    });
    const unknown = await cli('nosuch', { env: { CLIPCTL_OUTPUT: 'json' } });
    expect(JSON.parse(unknown.stderr)).toMatchObject({ error: { code: 'usage' } });
  });

  it('come before the key and the base address are looked for', async () => {
    expect((await cli('upload missing.mp4')).stderr).toMatch(/does not exist/);
    const dir = join(home.home, 'folder.mp4');
    await mkdir(dir);
    expect((await cli(['upload', dir])).stderr).toMatch(/is a folder[\s\S]*--recursive/);
    const empty = join(home.home, 'empty.mp4');
    await writeFile(empty, '');
    expect(await cli(['upload', empty])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/is empty/),
    });
  });
});

describe('base address and key', () => {
  const video = 'project create https://x.example/a.mp4';

  it('tells what to do when there is none', async () => {
    const none = await cli(video);
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toMatch(/no base address[\s\S]*auth login[\s\S]*--local/);
    const noKey = await cli(`${video} --base-url https://api.example`);
    expect(noKey.exitCode).toBe(3);
    expect(noKey.stderr).toMatch(/no API key[\s\S]*auth login/);
  });

  it.each([
    ['http://api.example', 2, /http: the key would be readable/],
    ['ftp://api.example', 2, /http\(s\) address/],
    ['nonsense', 2, /an address such as/],
    ['https://u:p@api.example', 2, /user name or password/],
  ])('refuses %s', async (url, code, message) => {
    const result = await cli(`${video} --base-url ${url}`, { env: { CLIPCTL_API_KEY: 'k-123456789' } });
    expect([result.exitCode, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toMatch(message);
  });

  it('refuses a key that is no key', async () => {
    const line = `${video} --base-url https://api.example`;
    expect(await cli(line, { env: { CLIPCTL_API_KEY: 'a b' } })).toMatchObject({ exitCode: 2 });
    expect(await cli(`${line} --api-key-file /nonexistent`)).toMatchObject({ exitCode: 2 });
  });

  it('reports a service that is not there', async () => {
    const port = await closedPort();
    const result = await cli(`${video} --retries 0 --base-url http://127.0.0.1:${port}`, {
      env: { CLIPCTL_API_KEY: 'k' },
    });
    expect(result.exitCode).toBe(8);
    expect(result.stderr).toMatch(/connection refused[\s\S]*fix:/);
  });

  it('keeps a stored key for its base address only', async () => {
    await mkdir(join(home.home, '.config/clipctl'), { recursive: true });
    const store = { default: { baseUrl: 'https://one.example', key: 'secret-key-1234' } };
    await writeFile(join(home.home, '.config/clipctl/credentials.json'), JSON.stringify(store));
    const result = await cli(`${video} --base-url https://two.example`);
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toMatch(/belongs to https:\/\/one\.example/);
    expect(result.stderr).not.toContain('secret-key');
  });
});

describe('config', () => {
  it('keeps settings with mode 0600 and gives them back', async () => {
    expect(await cli('config set base_url https://api.example/')).toMatchObject({ exitCode: 0, stdout: '' });
    expect((await cli('config get base_url')).stdout).toBe('https://api.example\n');
    expect((await stat(configFile())).mode & 0o777).toBe(0o600);
    await cli('config set render.send partial');
    await cli('config set defaults.curationPref.genre Podcast');
    expect(JSON.parse(await readFile(configFile(), 'utf8'))).toEqual({
      base_url: 'https://api.example',
      render: { send: 'partial' },
      defaults: { curationPref: { genre: 'Podcast' } },
    });
    await cli('config unset base_url');
    expect((await cli('config get base_url')).stdout).toBe('');
  });

  it('checks default preferences', async () => {
    const result = await cli('config set defaults.curationPref.genre Podcst');
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(/curationPref\.genre/);
  });

  it('says where each value comes from', async () => {
    await cli('config set timeout 90s');
    const { stdout } = await cli('config list --origin --json --retries 2', {
      env: { CLIPCTL_BASE_URL: 'https://e.example' },
    });
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining([
        { key: 'timeout', value: '90s', origin: 'config', from: 'the config file' },
        { key: 'retries', value: '2', origin: 'flag', from: '--retries' },
        { key: 'base_url', value: 'https://e.example', origin: 'environment', from: 'CLIPCTL_BASE_URL' },
        { key: 'allow_http', value: false, origin: 'built-in', from: 'built-in' },
      ]),
    );
  });

  it('lists a default preference once, with the profile over the config', async () => {
    const profiles = { work: { defaults: { curationPref: { genre: 'Gaming' } } } };
    const curationPref = { genre: 'Podcast', model: 'ClipBasic' };
    await mkdir(join(home.home, '.config/clipctl'), { recursive: true });
    await writeFile(configFile(), JSON.stringify({ profiles, defaults: { curationPref } }));
    const { stdout } = await cli('config list --origin --profile work');
    expect(stdout.split('\n').filter((line) => line.startsWith('defaults.'))).toEqual([
      'defaults.curationPref.genre\tGaming\tprofile\tprofile work',
      'defaults.curationPref.model\tClipBasic\tconfig\tthe config file',
    ]);
    expect((await cli('config get defaults.curationPref --profile work')).stdout).toBe(
      '{"genre":"Gaming","model":"ClipBasic"}\n',
    );
  });

  it('reports a damaged file and leaves it as it is', async () => {
    await mkdir(join(home.home, '.config/clipctl'), { recursive: true });
    await writeFile(configFile(), '{"base_url": ');
    for (const line of ['config list', 'config set timeout 1s']) {
      const result = await cli(line);
      expect(result.exitCode).toBe(2);
      expect(result.stderr).toMatch(/is damaged[\s\S]*fix:/);
    }
    expect(await readFile(configFile(), 'utf8')).toBe('{"base_url": ');
  });

  it('prints its path', async () => {
    expect((await cli('config path')).stdout).toBe(`${configFile()}\n`);
  });
});

describe('serve', () => {
  it('names what finds it: --local alone on the usual data directory, else CLIPCTL_DATA_DIR with it', async () => {
    const usual = join(home.home, '.local/share/clipctl');
    const other = join(home.home, 'other data');
    for (const [dir, found] of [
      [usual, 'clipctl --local upload'],
      [other, `CLIPCTL_DATA_DIR='${other}' clipctl --local upload`],
    ] as const) {
      // Told to end before it began, it ends once it has said everything.
      const line = ['serve', '--port', '0', '--data-dir', dir];
      const { exitCode, stderr } = await cli(line, { signal: AbortSignal.abort() });
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`in another terminal: ${found} `)]);
    }
  });
});

describe('serve --json', () => {
  it('has a log too, and says planned faults', async () => {
    const plan = join(home.home, 'faults.json');
    await writeFile(plan, '{"faults":[{"on":"link","action":{"type":"reset"}}]}');
    const line = ['serve', '--port', '0', '--data-dir', join(home.home, 'data'), '--faults', plan, '--json'];
    const { exitCode, stderr } = await cli(line, { signal: AbortSignal.abort() });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('PLANNED FAULTS are on: 1 in the plan')]);
  });
});

describe('dry runs', () => {
  it('show the requests of an upload without key, base address and network', async () => {
    const file = join(home.home, 'talk.mp4');
    await writeFile(file, 'bytes');
    const { exitCode, stdout } = await cli(['upload', file, '--dry-run', '--genre', 'Podcast', '--caption']);
    expect(exitCode).toBe(0);
    const plan = JSON.parse(stdout);
    expect(plan.dryRun).toBe(true);
    expect(
      plan.requests.map(({ method, url }: { method: string; url: string }) => `${method} ${url}`),
    ).toEqual([
      'POST {base_url}/api/upload-links',
      'POST {upload_url}',
      'PUT {location}',
      'POST {base_url}/api/clip-projects',
    ]);
    expect(plan.requests[0].body).toEqual({ video: { usecase: 'LocalUpload' } });
    expect(plan.requests[1].headers).toEqual({ 'x-storage-resumable': 'start', 'Content-Length': '0' });
    expect(plan.requests[3].headers).toMatchObject({ 'x-service-upload-id': '{uploadId}' });
    expect(plan.requests[3].body).toMatchObject({
      videoUrl: '{uploadId}',
      curationPref: { genre: 'Podcast' },
      uploadedVideoAttr: { title: 'talk' },
      renderPref: { enableCaption: true, enableVisualHook: false },
    });
    expect(plan.notes.join()).toMatch(/captions/);
    expect(JSON.stringify(plan)).not.toMatch(/authorization/i);
  });

  it('show a project creation', async () => {
    const line =
      'project create https://x.example/a.mp4 -n --base-url https://api.example --query requests[0].url';
    expect(await cli(line)).toMatchObject({ exitCode: 0, stdout: 'https://api.example/api/clip-projects\n' });
  });

  it.each([
    ['config set timeout 9s', 'would set timeout to 9s'],
    ['config set timeout 9s --profile work', 'would set profiles.work.timeout to 9s'],
    ['config unset base_url', 'would unset base_url'],
    ['profile use work', 'would use profile work'],
    ['profile use default', 'would use no profile'],
    ['profile delete work', 'would delete profile work and its stored key'],
    ['auth logout', 'would forget the key of default'],
    ['auth logout --profile idle', 'no key is stored for idle'],
    ['auth login', 'would store the key for https://api.example as that of default'],
    ['auth login --profile new --base-url https://new.example', /https:\/\/new.example as that of new$/],
    ['serve', /^would serve on 127.0.0.1, port 8787, with its data in /],
    ['serve --port 0 --host ::1', /^would serve on ::1, a free port/],
    ['preset save team --genre qa', /^would write /],
    ['preset delete look', /^would delete /],
    ['history clear', /^would delete /],
  ])('change nothing here: %s', async (line, note) => {
    const stored = { baseUrl: 'https://api.example', key: 'stored-key-1234' };
    const profiles = { work: { base_url: stored.baseUrl }, idle: { base_url: stored.baseUrl } };
    await mkdir(join(home.home, '.config/clipctl/presets'), { recursive: true });
    const files = {
      'config.json': JSON.stringify({ base_url: stored.baseUrl, profiles }),
      'credentials.json': JSON.stringify({ default: stored, work: stored }),
      'presets/look.yaml': 'renderPref: { enableCaption: true }',
    };
    for (const [name, text] of Object.entries(files))
      await writeFile(join(home.home, '.config/clipctl', name), text);
    const before = await contentsOf(home.home);
    // So that a service that is started after all ends.
    const { exitCode, stdout, stderr } = await cli(`${line} --dry-run`, { signal: AbortSignal.abort() });
    expect(exitCode, stderr).toBe(0);
    const plan = JSON.parse(stdout);
    const url = expect.stringMatching(/^https:\/\/\w+.example\/api\/social-accounts\?q=mine$/);
    const check = { method: 'GET', url, headers: {}, body: null };
    expect(plan.requests).toEqual(line.startsWith('auth login') ? [check] : []);
    expect(plan.notes).toEqual([typeof note === 'string' ? note : expect.stringMatching(note)]);
    expect(await contentsOf(home.home)).toEqual(before);
  });
});
