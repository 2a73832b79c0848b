import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/command-table.js';
import { real, setScene } from '../helpers/scene.js';

const scene = setScene();

describe('short forms', () => {
  it.each([
    ['censor statsu J1', /did you mean clipctl censor status/],
    ['censor Status', /did you mean clipctl censor status/],
    ['censor crate P1.C1', /did you mean clipctl censor create/],
    ['censor statsu J1 J2', /did you mean clipctl censor status/],
    ['schedule cancl S1', /did you mean clipctl schedule cancel/],
    ['schedule cancl S1 S2', /did you mean clipctl schedule cancel/],
    ['schedule cretae P1.C1 --account A1 --at +1h', /did you mean clipctl schedule create/],
    ['copy gte J1', /did you mean clipctl copy get/],
    ['schedule crete', /did you mean clipctl schedule create/],
    ['copy got', /did you mean clipctl copy get/],
    ['copy P1.C1 P1.C2 --account A1', /too many arguments for copy create: P1.C1 P1.C2/],
    ['schedule create P1.C1 P1.C2 --account A1 --at +1h', /too many arguments for schedule create/],
    ['accounts lst', /did you mean clipctl accounts list\?\n$/],
    ['accounts lsit --platform x', /did you mean clipctl accounts list/],
    ['accounts TIKTOK', /too many arguments for accounts list: TIKTOK/],
    ['accounts list x', /too many arguments/],
    ['censor something', /bare clip id[\s\S]*--project/],
    ['censor', /missing required argument/],
    ['schedule', /missing required argument/],
    ['copy', /missing required argument/],
  ])('%s is no clip', async (line, message) => {
    const env = line.includes('something') ? {} : { CLIPCTL_PROJECT: 'P1' };
    const result = await scene.cli(line, { env });
    expect([result.exitCode, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toMatch(message);
    expect(scene.requests).toEqual([]);
  });

  it('take a bare id when its project is known', async () => {
    const result = await scene.cli(real('censor C1 --project P1'));
    expect([result.exitCode, result.stdout]).toEqual([0, expect.stringMatching(/^X\w+\n$/)]);
    expect((await scene.cli(real('censor something --project P1'))).exitCode).toBe(5);
    expect(scene.bodies()).toEqual(real(['C1', 'something'].map((clipId) => ({ projectId: 'P1', clipId }))));
  });
});

describe('ids', () => {
  it.each([
    'a/b',
    'P1.C1/..',
    'P1. C1',
    'P1.C1?x',
    'P1.C1#x',
    'P1.\u0007',
    'P1.C\u202e1',
    '..',
    '',
    ' ',
    'P1.C\\1',
  ])('%j is refused wherever an id stands', async (id) => {
    for (const words of [
      ['censor', 'create', id, '--project', 'P1'],
      ['collection', 'add', 'L1', id],
      ['collection', 'remove', 'L1', id],
      ['collection', 'export', id],
      ['collection', 'add', id, 'P1.C1'],
      ['clip', 'list', id],
      ['clip', 'download', id],
      ['censor', 'status', id],
      ['copy', 'get', id],
      ['schedule', 'cancel', id],
      ['visibility', id, 'public'],
      ['censor', 'create', 'C1', '--project', id],
      ['copy', 'P1.C1', '--account', id],
      ['copy', 'P1.C1', '--account', 'A1', '--sub-account', id],
    ]) {
      const result = await scene.cli(words);
      expect([words.join(' '), result.exitCode, result.stdout]).toEqual([words.join(' '), 2, '']);
    }
    expect(scene.requests).toEqual([]);
  });

  it('split at the first dot only', async () => {
    expect((await scene.cli('censor P1.C1.x')).exitCode).toBe(5);
    expect(scene.bodies()).toEqual([{ projectId: 'P1', clipId: 'C1.x' }]);
    expect((await scene.cli('censor C1 --project P1.C1')).exitCode).toBe(2);
  });

  it('of stdin may be JSON, JSON lines or the lists of other commands', async () => {
    const list = await scene.cli(real('clip list P1'));
    const json = await scene.cli(real('clip list P1 --json'));
    const expected = real(['C1', 'C2'].map((clipId) => ({ projectId: 'P1', clipId })));
    for (const { stdout } of [list, json]) {
      scene.requests.length = 0;
      expect((await scene.cli('censor -', { stdin: stdout })).exitCode).toBe(0);
      expect(scene.bodies()).toEqual(expected);
    }
    for (const stdin of ['{"name":"x"}', '{"id":', '[1]', '{"id":7}', 'null', ''])
      expect([stdin, (await scene.cli('collection add L1 -', { stdin })).exitCode]).toEqual([stdin, 2]);
  });
});

describe('help', () => {
  const groups = ['visibility', 'clip', 'collection', 'censor', 'schedule', 'accounts', 'copy', 'api'];

  it('of every verb has a sentence, examples and exit codes', async () => {
    const { buildProgram } = await import('../../src/program.js');
    const { Context } = await import('../../src/context.js');
    const { memoryIo } = await import('../helpers/run-cli.js');
    const { io } = memoryIo({ home: scene.home });
    const program = await buildProgram(new Context(io, new AbortController().signal), 'all');
    for (const group of program.commands.filter((command) => groups.includes(command.name()))) {
      const verbs = group.commands.length > 0 ? group.commands.map((verb) => verb.name()) : [''];
      for (const verb of verbs) {
        const { stdout, exitCode } = await scene.cli(`${group.name()} ${verb} --help`);
        expect([group.name(), verb, exitCode]).toEqual([group.name(), verb, 0]);
        expect(stdout).toMatch(/^Usage: clipctl [^\n]+\n\n[^\n]{10,}/);
        expect(stdout).toMatch(/Examples:\n {2}clipctl [\s\S]+Exit codes/);
      }
    }
  });

  it.each([
    ['censor', 'clipctl censor <clip...> is short for clipctl censor create <clip...>.'],
    ['schedule', 'clipctl schedule <clip> is short for clipctl schedule create <clip>.'],
    ['copy', 'clipctl copy <clip> is short for clipctl copy create <clip>.'],
    ['accounts', 'clipctl accounts is short for clipctl accounts list.'],
    ['project', 'clipctl project wait P123'],
    ['collection', 'clipctl collection create "Best of May"'],
    ['config', 'clipctl config'],
  ])('of the group %s has examples, and its short form', async (group, text) => {
    const { stdout } = await scene.cli(`${group} --help`);
    expect(stdout).toContain(text);
    expect(stdout).toMatch(/\nExamples:\n {2}clipctl /);
  });

  it('examples can be typed as they stand', async () => {
    for (const { name } of COMMANDS.filter((entry) => groups.includes(entry.name))) {
      for (const example of await examplesOf(name)) {
        if (/[|<>]|body\.json|history/.test(example)) continue;
        const result = await scene.cli(`${withRealIds(example)} --dry-run`);
        expect([example, result.exitCode, result.stderr.match(/error: .*/)?.[0]]).toEqual([
          example,
          0,
          undefined,
        ]);
      }
    }
  });

  /** An example with ids of what is there: a dry run still reads. */
  function withRealIds(example: string): string {
    const job = example.startsWith('copy') ? 'T1' : 'X1';
    return real(example.replaceAll('P123', 'P1').replaceAll('J123', job));
  }

  async function examplesOf(group: string): Promise<string[]> {
    const top = (await scene.cli(`${group} --help`)).stdout;
    const verbs = [...top.matchAll(/^ {2}([a-z]+) (?:\[options\]|<)/gm)].map(([, verb]) => verb);
    const pages = await Promise.all(
      (verbs.length > 0 ? verbs : ['']).map(
        async (verb) => (await scene.cli(`${group} ${verb} --help`)).stdout,
      ),
    );
    return pages.flatMap((page) => {
      const block = /Examples:\n([\s\S]*?)\n\n/.exec(page)?.[1] ?? '';
      return [...block.matchAll(/^ {2}clipctl (.*)$/gm)].map(([, example = '']) => example);
    });
  }
});
