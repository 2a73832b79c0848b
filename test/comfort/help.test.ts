import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/command-table.js';
import { TOPICS } from '../../src/commands/help-topics.js';
import { DECISIONS } from '../../src/service/decisions.js';
import { SETTINGS } from '../../src/settings/table.js';
import { makeHome, runCli } from '../helpers/run-cli.js';
import { allVerbs } from './verbs.js';

let home: Awaited<ReturnType<typeof makeHome>>;
beforeEach(async () => {
  home = await makeHome();
});
afterEach(() => home.remove());

describe('help', () => {
  it('lists and prints every topic', async () => {
    const list = (await runCli('help topics', home)).stdout;
    for (const { name } of TOPICS) {
      expect(list).toContain(name);
      const { exitCode, stdout, stderr } = await runCli(`help ${name}`, home);
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout.length).toBeGreaterThan(300);
      if (name !== 'service' && name !== 'preferences' && name !== 'exit-codes' && name !== 'environment') {
        for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
      }
    }
    const service = (await runCli('help service', home)).stdout;
    for (const { choice } of DECISIONS) expect(service).toContain(choice);
  });

  it('names only commands and flags that there are', async () => {
    const verbs = await allVerbs();
    const flags = new Set(
      verbs.flatMap(({ command }) =>
        [...command.options, ...(command.parent?.parent ?? command.parent ?? command).options].map(
          ({ long }) => long,
        ),
      ),
    );
    for (const topic of TOPICS.filter(({ name }) => name !== 'service')) {
      const text = await topic.text();
      for (const [flag] of text.matchAll(/--[a-z][a-z-]+/g))
        expect([...flags, '--no-'], `${topic.name}: ${flag}`).toContain(flag);
      for (const [, name = ''] of text.matchAll(/^ {2}clipctl ([a-z]+)/gm))
        expect(COMMANDS.map((command) => command.name)).toContain(name);
    }
  });

  it('says how the path of each undocumented endpoint is set', async () => {
    const { stdout } = await runCli('help ids', home);
    const lines = [...stdout.matchAll(/^ {2}clipctl (config set (endpoints\.\S+) '\S+')/gm)];
    const keys = SETTINGS.map(({ key }) => key).filter((key) => key.startsWith('endpoints.'));
    expect(lines.map(([, , key]) => key)).toEqual(keys);
    for (const [, line = ''] of lines) expect((await runCli(line, home)).exitCode).toBe(0);
  });

  it('has a sentence, examples that parse, and exit codes for every verb', async () => {
    for (const { words, command } of await allVerbs()) {
      if (words[0] === 'help' || words.at(-1) === 'help') continue;
      expect(command.description(), words.join(' ')).toMatch(/\w+ \w+/);
      const { exitCode, stdout } = await runCli([...words, '--help'], home);
      expect(exitCode).toBe(0);
      expect(stdout, words.join(' ')).toMatch(/\nExamples:\n {2}clipctl /);
      expect(stdout).toMatch(/\nExit codes .*\n {4}0 {2}done\n/);
    }
  });

  it('of serve lists no code for SIGTERM, which ends it with 0', async () => {
    expect((await runCli('serve --help', home)).stdout).not.toMatch(/^ *143/m);
  });

  it('gives examples whose flags exist', async () => {
    const verbs = await allVerbs();
    for (const { words, command } of verbs) {
      if (words[0] === 'help') continue;
      const { stdout } = await runCli([...words, '--help'], home);
      const examples = stdout.split('\nExamples:\n')[1]?.split('\n\n')[0] ?? '';
      const known = new Set<string | undefined>();
      for (let at: CommandUnknownOpts | null = command; at; at = at.parent)
        for (const { long, short } of at.options) known.add(long).add(short);
      for (const line of examples.split('\n')) {
        if (!line.startsWith(`  clipctl ${words.join(' ')} `)) continue;
        for (const [, flag] of line.replaceAll(/"[^"]*"|\|.*/g, '""').matchAll(/\s(--?[a-z][a-z-]*)/g))
          expect([...known], `${line.trim()}: ${flag}`).toContain(flag);
      }
    }
  });
});
