import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestService } from '../../helpers/local-service.js';
import { runCli } from '../../helpers/run-cli.js';

/** `serve --open` with a program of our own in the place of the system's opener. */

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'clipctl-open-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe.skipIf(process.platform !== 'linux')('serve --open', () => {
  test('opens an address that works, once, and prints the lasting one on stderr', async () => {
    const opened = await installOpener();
    const ending = new AbortController();
    const run = serve({ PATH: `${home}:${process.env.PATH}` }, ending.signal);
    const address = await until(() => readFile(opened, 'utf8'));
    const visits = [await fetch(address), await fetch(address)];
    ending.abort();
    expect(visits.map(({ status }) => status)).toEqual([200, 401]);
    const { exitCode, stdout, stderr } = await run;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}\n/);
    expect(stderr).not.toContain(new URL(address).searchParams.get('token'));
  });

  test('opens the page of the service that runs already, and ends', async () => {
    const opened = await installOpener();
    const service = await startTestService({ dataDir: join(home, 'data') });
    try {
      const env = { PATH: `${home}:${process.env.PATH}` };
      const { exitCode, stdout, stderr } = await serve(env, new AbortController().signal);
      expect([exitCode, stdout]).toEqual([0, `${service.url}\n`]);
      expect(stderr).toContain(`process ${process.pid}`);
      const address = await until(() => readFile(opened, 'utf8'));
      expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
      const visits = [await fetch(address), await fetch(address)];
      expect(visits.map(({ status }) => status)).toEqual([200, 401]);
    } finally {
      await service.stop();
    }
  });

  test('goes on without a browser, and says so', async () => {
    const ending = new AbortController();
    setTimeout(() => ending.abort(), 2500);
    const { exitCode, stderr } = await serve({ PATH: home }, ending.signal);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('no browser was opened');
  });
});

/** In the place of the system's opener: writes the address down. Answers where. */
async function installOpener(): Promise<string> {
  const opened = join(home, 'opened');
  const script = `#!/bin/sh\nprintf %s "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`;
  await writeFile(join(home, 'xdg-open'), script, { mode: 0o755 });
  return opened;
}

function serve(env: Record<string, string>, signal: AbortSignal) {
  const args = ['serve', '--open', '--port', '0', '--data-dir', join(home, 'data')];
  return runCli(args, { home, env, signal });
}

async function until<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
