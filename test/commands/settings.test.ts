import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { typeAt } from '../comfort/typing.js';
import { setScene } from '../helpers/scene.js';

/** Which address, key and settings a command goes by. */

const scene = setScene();

/** A command that is told nothing by the environment. */
const bare = { CLIPCTL_BASE_URL: undefined, CLIPCTL_API_KEY: undefined };
const cli = (line: string | readonly string[], env: Record<string, string> = {}) =>
  scene.cli(line, { env: { ...bare, ...env } });
const logIn = (flags: string, env: Record<string, string | undefined> = {}) =>
  scene.cli(`auth login --with-token --base-url ${scene.url} ${flags}`, {
    stdin: `${scene.service.apiKey}\n`,
    env: { ...bare, ...env },
  });

const file = (name: string) => join(scene.home, '.config/clipctl', name);
const kept = async (name: string) => JSON.parse(await readFile(file(name), 'utf8'));

async function keep(name: string, value: unknown): Promise<void> {
  await mkdir(file('.'), { recursive: true });
  await writeFile(file(name), JSON.stringify(value));
}

describe('auth login', () => {
  it('makes a profile, with what the config and the environment say for all', async () => {
    await keep('config.json', {
      profile: 'gone',
      retries: 0,
      compat: { accounts_query: 'kind' },
    });
    const made = await logIn('--profile work', { CLIPCTL_TIMEOUT: '30s' });
    expect(made.exitCode, made.stderr).toBe(0);
    expect(await kept('config.json')).toMatchObject({ profiles: { work: { base_url: scene.url } } });
    expect(await kept('credentials.json')).toEqual({
      work: { baseUrl: scene.url, key: scene.service.apiKey },
    });
    expect((await cli('accounts --profile work')).exitCode).toBe(0);
    expect(scene.asked()).toEqual(Array(2).fill('GET /api/social-accounts?kind=mine'));
  });

  it('makes a profile at a terminal, with an address of its own', async () => {
    await keep('config.json', { base_url: 'https://other.example' });
    const { exitCode } = await typeAt(
      ['auth', 'login', '--profile', 'work'],
      [
        ['Base address', `${scene.url}\r`],
        ['API key for', `${scene.service.apiKey}\r`],
      ],
      { home: scene.home },
    );
    expect(exitCode).toBe(0);
    expect((await kept('credentials.json')).work.baseUrl).toBe(scene.url);
  });

  it('honours --timeout, and traces the request', async () => {
    scene.plan('listAccounts', { type: 'stall' });
    const slow = await logIn('--timeout 2s --retries 0');
    expect([slow.exitCode, slow.stderr]).toEqual([8, expect.stringMatching(/no answer within 2 s/)]);
    const traced = await logIn('-v');
    expect([traced.exitCode, traced.stderr]).toEqual([
      0,
      expect.stringMatching(/GET .*social-accounts.* → 200/),
    ]);
  });
});

describe('auth status', () => {
  it('--local is of the local service, whatever else is set', async () => {
    const env = { CLIPCTL_DATA_DIR: scene.service.dataDir };
    const { apiKey, url: baseUrl } = scene.service;
    const shown = { baseUrl, profile: 'default', key: `…${apiKey.slice(-4)}`, from: 'the local service' };
    const other = { CLIPCTL_API_KEY: 'another-key-0001', CLIPCTL_BASE_URL: 'https://other.example' };
    for (const more of [{}, other]) {
      const { exitCode, stdout } = await cli('auth status --local --json', { ...env, ...more });
      expect([exitCode, JSON.parse(stdout)]).toEqual([0, { ...shown, valid: true }]);
    }
  });
});

describe('the key', () => {
  const LEVELS = [
    "the config's file",
    'the key stored for the profile',
    "the profile's file",
    'the file of the environment',
    'the environment',
    'the file of the flag',
  ];

  it.each(LEVELS)('of %s wins over all before it', async (winner) => {
    /** The right key where it shall win, others below, none above. */
    const keyAt = (level: number) => {
      const apart = level - LEVELS.indexOf(winner);
      return apart > 0 ? undefined : apart < 0 ? 'another-key-0001' : scene.service.apiKey;
    };
    const fileAt = async (level: number) => {
      const key = keyAt(level);
      if (key === undefined) return undefined;
      await writeFile(join(scene.home, `key-${level}`), key);
      return join(scene.home, `key-${level}`);
    };
    const base_url = scene.url;
    const profiles = { work: { base_url, api_key_file: await fileAt(2) } };
    await keep('config.json', { base_url, api_key_file: await fileAt(0), profiles });
    const stored = { baseUrl: base_url, key: 'another-key-0002' };
    await keep('credentials.json', { default: stored, work: { ...stored, key: keyAt(1) } });
    const flag = await fileAt(5);
    const { exitCode, stderr } = await scene.cli(
      ['accounts', '--profile', 'work', ...(flag ? ['--api-key-file', flag] : [])],
      { env: { ...bare, CLIPCTL_API_KEY_FILE: await fileAt(3), CLIPCTL_API_KEY: keyAt(4) } },
    );
    expect(exitCode, stderr).toBe(0);
  });
});

describe('a base address and local', () => {
  const TO_LOCAL = 'http://127.0.0.1:8787';
  const line = 'collection create Best --dry-run --query requests[0].url';

  /** One of them as each origin says it. */
  const ORIGINS = {
    flag: { base: '--base-url https://flag.example', local: '--local' },
    environment: { CLIPCTL_BASE_URL: 'https://environment.example', CLIPCTL_LOCAL: '1' },
    profile: { base_url: 'https://profile.example', local: true },
    config: { base_url: 'https://config.example', local: true },
  };
  type Origin = keyof typeof ORIGINS;
  const names = Object.keys(ORIGINS) as Origin[];
  const pairs = names.flatMap((base) => names.map((local) => [base, local] as const));

  it.each(pairs.filter(([base, local]) => base !== 'flag' || local !== 'flag'))(
    'of %s and %s: that of the higher origin counts, local of the same',
    async (base, local) => {
      const at = (origin: Origin) => {
        const both = ORIGINS[origin] as Record<string, unknown>;
        return Object.fromEntries(
          Object.entries(both).filter(([name]) => (/base/i.test(name) ? base : local) === origin),
        );
      };
      await keep('config.json', { ...at('config'), profile: 'work', profiles: { work: at('profile') } });
      const env = at('environment') as Record<string, string>;
      const { stdout } = await cli(`${line} ${Object.values(at('flag')).join(' ')}`, env);
      const isLocal = names.indexOf(local) <= names.indexOf(base);
      expect(stdout).toMatch(isLocal ? `${TO_LOCAL}/` : `https://${base}.example/`);
    },
  );

  it('as flags exclude each other', async () => {
    const { exitCode, stderr } = await cli('accounts --local --base-url https://x.example');
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/exclude each other/)]);
  });
});

describe('--quiet', () => {
  it('wins over CLIPCTL_DEBUG, --verbose does not', async () => {
    const CLIPCTL_DEBUG = '1';
    expect(await scene.cli('accounts -q', { env: { CLIPCTL_DEBUG } })).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    expect((await scene.cli('accounts -v', { env: { CLIPCTL_DEBUG } })).stderr).toMatch(/^< 200/m);
  });
});

describe('the path of an endpoint', () => {
  it.each([
    ['project-get', '/api/x/{id}'],
    ['project-get', '/api/x'],
    ['project-get', '/api/{projectId}/{project-id}'],
    ['clip-list', 'api/{projectId}'],
    ['copy-get', '/api/{projectId}'],
  ])('%s %s is refused when it is set, and before anything is sent', async (name, path) => {
    const set = await scene.cli(['config', 'set', `endpoints.${name}`, path]);
    expect([set.exitCode, set.stderr]).toEqual([2, expect.stringMatching(/holds \{(projectId|jobId)\}/)]);
    await keep('config.json', { endpoints: { [name]: path } });
    const used = await scene.cli('accounts');
    expect([used.exitCode, used.stderr]).toEqual([2, expect.stringMatching(/set by the config file/)]);
    expect(scene.requests).toEqual([]);
  });
});
