import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { usageError } from '../errors.js';
import { nearest } from '../nearest.js';
import { TOPICS } from './help-topics.js';

export function registerHelp(command: Command, context: Context): void {
  command
    .argument('[words...]', 'a command (upload, project create) or a topic')
    .helpOption(false)
    .action(async (words) => showHelp(words, context));
}

/** Help for a command by its words, or a topic by its name. */
async function showHelp(words: readonly string[], context: Context): Promise<void> {
  const [first] = words;
  const topic = TOPICS.find((known) => known.name === first);
  if (topic) return context.output.raw(await topic.text());
  if (first === 'topics') return context.output.raw(listTopics());
  const { buildProgram } = await import('../program.js');
  let command = await buildProgram(context, first);
  for (const word of words) {
    const next = command.commands.find((known) => known.name() === word);
    if (!next) throw unknownWord(words.join(' '), word, command as unknown as Command);
    command = next as unknown as Command;
  }
  command.outputHelp();
}

function listTopics(): string {
  const width = Math.max(...TOPICS.map(({ name }) => name.length));
  return `${TOPICS.map(({ name, about }) => `${name.padEnd(width)}  ${about}`).join('\n')}\n`;
}

function unknownWord(asked: string, word: string, command: Command) {
  const names = [...command.commands.map((known) => known.name()), ...TOPICS.map(({ name }) => name)];
  const near = nearest(word, names);
  return usageError(`there is no help for ${JSON.stringify(asked)}`, {
    hint: near ? `did you mean ${near}?` : `topics: ${TOPICS.map(({ name }) => name).join(', ')}`,
  });
}
