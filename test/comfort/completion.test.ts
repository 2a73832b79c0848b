import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/command-table.js';
import { appendHistory } from '../../src/history/journal.js';
import { BIN } from '../helpers/built-cli.js';
import { makeHome, runCli } from '../helpers/run-cli.js';

const run = promisify(execFile);
let home: Awaited<ReturnType<typeof makeHome>>;
beforeEach(async () => {
  home = await makeHome();
});
afterEach(() => home.remove());

/** What is proposed for the last of the words. */
async function propose(...words: string[]): Promise<string[]> {
  const argv = ['completion', 'fish', 'complete', '--', ...words];
  const { exitCode, stdout, stderr } = await runCli(argv, home);
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

describe('completion', () => {
  it('proposes commands, verbs and flags', async () => {
    const all = await propose('');
    for (const { name } of COMMANDS) expect(all).toContain(name);
    expect(await propose('up')).toContain('upload');
    expect(await propose('preset', '')).toEqual(['save', 'list', 'show', 'delete', ':4']);
    expect(await propose('--local', 'preset', 's')).toEqual(['save', 'show', ':4']);
    expect(await propose('upload', '--cap')).toEqual(['--caption', ':4']);
    expect(await propose('upload', '--no-cap')).toEqual(['--no-caption', ':4']);
    expect(await propose('upload', 'x.mp4', '--js')).toEqual(['--json', ':4']);
    expect(await propose('--profile', 'upload', 'pre')).toContain('preset');
    expect(await propose('help', 'exit')).toEqual(['exit-codes', ':4']);
    expect(await propose('config', 'get', 'endpoints.c')).toEqual([
      'endpoints.clip-list',
      'endpoints.copy-get',
      ':4',
    ]);
  });

  it('proposes values', async () => {
    expect(await propose('upload', '--genre', 'pod')).toEqual(['Podcast', ':4']);
    expect(await propose('upload', '--genre=P')).toEqual(['Podcast', 'Product reviews', ':4']);
    expect(await propose('upload', '--model', '')).toEqual(['ClipBasic', 'ClipAnything', ':4']);
    expect(await propose('upload', '--title', '')).toEqual([':4']);
    expect(await propose('upload', '')).toEqual([':0']);
    expect(await propose('upload', '--prefs', '')).toEqual([':0']);
    expect(await propose('upload', '--', '-')).toEqual([':0']);
  });

  it('proposes presets, profiles and recent ids', async () => {
    await runCli('preset save team --caption', home);
    await mkdir(join(home.home, '.config/clipctl'), { recursive: true });
    await writeFile(join(home.home, '.config/clipctl/config.json'), '{"profiles":{"work":{}}}');
    const entry = { time: '2026-05-01T00:00:00Z', event: 'created', baseUrl: 'https://a.example' } as const;
    await appendHistory(join(home.home, '.local/state/clipctl'), [
      { ...entry, kind: 'project', id: 'P1', title: 'a\ntalk' },
      { ...entry, kind: 'schedule', id: 'S1', projectId: 'P1', clipId: 'C1', accountId: 'A1' },
    ]);
    expect(await propose('upload', '--preset', '')).toEqual(['team', ':4']);
    expect(await propose('preset', 'delete', '')).toEqual(['team', ':4']);
    expect(await propose('--profile', '')).toEqual(['work', ':4']);
    expect(await propose('profile', 'use', '')).toEqual(['work', 'default', ':4']);
    expect(await propose('project', 'get', '')).toEqual(['P1', ':4']);
    expect(await propose('history', 'show', 'S')).toEqual(['S1', ':4']);
  });

  it('proposes nothing where nothing is known', async () => {
    expect(await propose('nosuch', 'x', '')).toEqual([':4']);
    expect(await propose('auth', 'status', '')).toEqual([':4']);
  });

  it('escapes twice for zsh, whose _describe takes one for itself', async () => {
    const { stdout } = await runCli(
      ['completion', 'zsh', 'complete', '--', 'upload', '--genre', 'Prod'],
      home,
    );
    expect(stdout).toBe('Product\\\\ reviews\n:4\n');
  });

  it('refuses unknown shells', async () => {
    const result = await runCli('completion bsh', home);
    expect([result.exitCode, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toMatch(/did you mean bash/);
  });

  it('prints the scripts of the other shells', async () => {
    const script = async (shell: string) => (await runCli(`completion ${shell}`, home)).stdout;
    expect(await script('zsh')).toMatch(/^#compdef clipctl[\s\S]*clipctl completion zsh complete -- /);
    expect(await script('fish')).toMatch(/clipctl completion fish complete -- [\s\S]*\ncomplete -c clipctl /);
    expect(await script('powershell')).toMatch(
      /clipctl completion powershell complete[\s\S]*Register-ArgumentCompleter/,
    );
  });
});

describe('in bash', () => {
  /** What bash would insert at the end of a line of words. */
  async function tab(...words: string[]): Promise<string[]> {
    await symlink(BIN, join(home.home, 'clipctl')).catch(() => undefined);
    const script = `source <(clipctl completion bash); source <(clipctl completion bash)
      [[ $(complete -p clipctl) == *_clipctl_completion* ]] || exit 9
      COMP_WORDS=(clipctl "$@"); COMP_CWORD=$#; _clipctl_completion 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { PATH: `${home.home}:${process.env.PATH}`, HOME: home.home };
    const { stdout } = await run('bash', ['--norc', '-c', script, 'bash', ...words], { env });
    return stdout.trimEnd().split('\n');
  }

  it('inserts commands, flags and values, with what the shell would split escaped', async () => {
    expect(await tab('preset', 's')).toEqual(['save', 'show']);
    expect(await tab('upload', '--capt')).toEqual(['--caption']);
    expect(await tab('upload', '--genre', '=', 'Prod')).toEqual(['Product\\ reviews']);
    expect(await tab('upload', '--genre', 'q')).toEqual(['Q\\&A']);
    expect(await tab('upload', '--genre', '"Prod')).toEqual(['Product reviews']);
    expect(await tab('upload', '$(touch pwned)', '--genre', 'news')).toEqual(['News']);
  });
});
