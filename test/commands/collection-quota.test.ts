import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findRunningService } from '../../src/service/running-service.js';
import { makeHome, runCli } from '../helpers/run-cli.js';

/** `serve --collection-quota`, and what a command makes of the refusal. */

test('beyond the quota no collection is made: QuotaExceed, exit code 7', async () => {
  const { home, remove } = await makeHome();
  onTestFinished(remove);
  const env = { CLIPCTL_DATA_DIR: join(home, 'data') };
  const ending = new AbortController();
  const serving = runCli('serve --port 0 --collection-quota 1', { home, env, signal: ending.signal });
  try {
    await vi.waitFor(async () => expect(await findRunningService(env.CLIPCTL_DATA_DIR)).not.toBeNull(), {
      timeout: 60_000,
    });
    expect(await runCli('--local collection create first', { home, env })).toMatchObject({ exitCode: 0 });
    const refused = await runCli('--local collection create second --json', { home, env });
    expect([refused.exitCode, refused.stdout]).toEqual([7, '']);
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      code: 'quota',
      errorName: 'QuotaExceed',
      errorMessage: 'the limit of collections is reached: 1',
    });
  } finally {
    ending.abort();
    await serving;
  }
});

test.each(['-1', 'many', '1.5', ''])('%j is no quota', async (value) => {
  const { home, remove } = await makeHome();
  onTestFinished(remove);
  const { exitCode, stderr } = await runCli(['serve', `--collection-quota=${value}`], { home });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--collection-quota')]);
});
