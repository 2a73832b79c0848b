import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Context } from '../../src/context.js';
import { buildProgram } from '../../src/program.js';
import { memoryIo } from '../helpers/run-cli.js';

export interface Verb {
  words: string[];
  command: CommandUnknownOpts;
}

/** Every verb of the program, with its words. */
export async function allVerbs(): Promise<Verb[]> {
  const { io } = memoryIo({ home: '/nonexistent' });
  const program = await buildProgram(new Context(io, new AbortController().signal), 'all');
  return verbsOf(program as unknown as CommandUnknownOpts, []);
}

function verbsOf(command: CommandUnknownOpts, words: string[]): Verb[] {
  if (command.commands.length === 0) return [{ words, command }];
  return command.commands.flatMap((each) => verbsOf(each, [...words, each.name()]));
}
