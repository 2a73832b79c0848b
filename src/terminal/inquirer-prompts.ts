import { CancelledError } from '../errors.js';
import type { Io } from './io.js';
import type { Prompts } from './prompts.js';

/**
 * Real prompts. They are drawn on stderr, because stdout is result data (the library's default is stdout).
 * Ctrl-C and an ended stdin become a CancelledError: exit 130, nothing sent.
 */
export async function createPrompts(io: Pick<Io, 'stdin' | 'stderr'>, signal: AbortSignal): Promise<Prompts> {
  const inquirer = await import('@inquirer/prompts');
  const streams = { input: io.stdin, output: io.stderr, signal };

  async function ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      if (signal.reason instanceof CancelledError) throw signal.reason;
      const name = error instanceof Error ? error.name : '';
      if (name === 'ExitPromptError' || name === 'AbortPromptError') {
        throw new CancelledError('SIGINT', 'cancelled; nothing was sent', { cause: error });
      }
      throw error;
    }
  }

  return {
    input: (question) => ask(() => inquirer.input(question, streams)),
    select: ({ choices, ...question }) =>
      ask(() => inquirer.select({ ...question, choices: [...choices], loop: false, pageSize: 12 }, streams)),
    checkbox: ({ choices, ...question }) =>
      ask(() =>
        inquirer.checkbox({ ...question, choices: [...choices], loop: false, pageSize: 16 }, streams),
      ),
    confirm: (question) => ask(() => inquirer.confirm(question, streams)),
    password: (question) => ask(() => inquirer.password({ mask: '*', ...question }, streams)),
  };
}
