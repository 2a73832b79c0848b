import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestService } from '../helpers/local-service.js';
import { type CliOptions, makeHome, runCli } from '../helpers/run-cli.js';
import { tapWire } from '../helpers/wire-tap.js';

interface Check {
  name: string;
  state: string;
  message: string;
  fix?: string;
}

let home: Awaited<ReturnType<typeof makeHome>>;
beforeEach(async () => {
  home = await makeHome();
});
afterEach(() => home.remove());

/** The doctor's checks by name. */
async function doctor(options: CliOptions = {}, ...flags: string[]) {
  const result = await runCli(['doctor', '--json', ...flags], { home: home.home, ...options });
  const { ok, checks } = JSON.parse(result.stdout) as { ok: boolean; checks: Check[] };
  expect(ok).toBe(result.exitCode === 0);
  for (const { state, fix } of checks) expect(state === 'ok' || Boolean(fix)).toBe(true);
  return { ...result, checks: Object.fromEntries(checks.map((check) => [check.name, check])) };
}

const KEY = { CLIPCTL_API_KEY: 'another-key-0001' };

describe('doctor', () => {
  it('finds nothing wrong on a fresh machine, and says that only --local works', async () => {
    const { exitCode, checks } = await doctor();
    expect(exitCode).toBe(0);
    expect(checks.node?.state).toBe('ok');
    expect(checks['base address']).toMatchObject({
      state: 'warn',
      fix: expect.stringMatching(/auth login.*--local/),
    });
    expect(checks.ffmpeg?.state).toBe('ok');
    expect(checks.uploads?.message).toBe('none is unfinished');
  });

  it('asks the service for its clock and whether it takes the key', async () => {
    const service = await startTestService({ apiKey: 'k-1234567890' });
    const wire = await tapWire(service.url);
    try {
      const env = { CLIPCTL_API_KEY: service.apiKey, CLIPCTL_BASE_URL: wire.url };
      const fine = await doctor({ env });
      expect(fine.exitCode).toBe(0);
      // To its page, which wants a key; that it answers is what is asked here.
      expect(fine.checks.connection).toMatchObject({
        state: 'ok',
        message: expect.stringMatching(/^the service answers.* \(asked without the key: HTTP 401\)$/),
      });
      expect(fine.checks.key?.message).toMatch(/…7890 \(CLIPCTL_API_KEY\), the service takes it/);
      expect(fine.checks.clock?.state).toBe('ok');
      const [first, second] = wire.requests;
      expect(first?.headers.authorization).toBeUndefined();
      expect(second?.path).toMatch(/^\/api\/social-accounts/);
      const late = await doctor({ env, now: () => new Date(Date.now() + 3_600_000) });
      expect(late.checks.clock?.message).toMatch(/^3\d{3} s ahead of/);
    } finally {
      await wire.stop();
      await service.stop();
    }
  });

  it('ends with the code of the worst failure', async () => {
    const service = await startTestService();
    const env = { CLIPCTL_BASE_URL: service.url };
    try {
      expect((await doctor({ env: { ...env, ...KEY } })).exitCode).toBe(3);
      const none = await doctor({ env });
      expect([none.exitCode, none.checks.key?.fix]).toEqual([3, expect.stringMatching(/auth login/)]);
      expect(JSON.parse(none.stderr)).toMatchObject({ error: { code: 'auth', exitCode: 3 } });
    } finally {
      await service.stop();
    }
    // Nobody listens there any more.
    const gone = await doctor({ env: { ...env, ...KEY } });
    expect([gone.exitCode, gone.checks.connection?.message]).toEqual([8, 'connection refused']);
    expect(gone.checks.key?.state).toBe('warn');
    const http = await doctor({ env: { ...KEY, CLIPCTL_BASE_URL: 'http://api.example' } });
    expect([http.exitCode, http.checks['base address']?.state]).toEqual([2, 'fail']);
  });

  it('sees modes and damage', async () => {
    const dir = join(home.home, '.config/clipctl');
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'credentials.json'), '{}');
    await chmod(join(dir, 'credentials.json'), 0o644);
    expect((await doctor()).checks.credentials).toMatchObject({
      state: 'warn',
      fix: expect.stringMatching(/^chmod 600/),
    });
  });

  it('says what the local service lacks', async () => {
    const env = { CLIPCTL_FFMPEG: '/nonexistent/ffmpeg' };
    expect((await doctor({ env })).checks.ffmpeg?.state).toBe('warn');
    const local = await doctor({ env }, '--local');
    expect([local.exitCode, local.checks.ffmpeg?.state]).toEqual([8, 'fail']);
    expect(local.checks['local service']?.message).toMatch(/none runs/);
  });

  it('names proxies without their passwords', async () => {
    const { checks } = await doctor({ env: { HTTPS_PROXY: 'http://me:secret@proxy.example:3128' } });
    expect(checks.proxy?.message).toBe('HTTPS_PROXY=http://…@proxy.example:3128');
  });

  it('reads well without --json', async () => {
    const { stdout } = await runCli('doctor', home);
    expect(stdout).toMatch(/^ok {4}node: \d/);
    expect(stdout).toMatch(/^warn {2}base address: none is set.*\n {6}fix: /m);
  });
});
