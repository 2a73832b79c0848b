import { PassThrough } from 'node:stream';
import { createPrompts } from '../../src/terminal/inquirer-prompts.js';
import type { Prompts } from '../../src/terminal/prompts.js';

/** Keys as a terminal sends them. */
export const KEYS = {
  enter: '\r',
  down: '\u001b[B',
  space: ' ',
  erase: '\u0015',
  interrupt: '\u0003',
} as const;

/** What is typed when a question shows these words. */
export type Step = readonly [question: string, keys: string];

/**
 * Real prompts, with somebody who types: each step waits until its question is on the screen. `left` are the steps
 * that were not reached, which a test expects to be none.
 */
export async function typist(
  steps: readonly Step[],
): Promise<{ prompts: Prompts; left: Step[]; screen(): string }> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  // `_isStdio` is what node sets on the process's own streams, so that a prompt that ends does not end them.
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, _isStdio: true });
  const left = [...steps];
  let all = '';
  let unread = '';
  stderr.on('data', (chunk: Buffer) => {
    all += chunk.toString();
    unread += chunk.toString();
    const [step] = left;
    if (!step || !unread.includes(step[0])) return;
    left.shift();
    unread = '';
    // Key by key: a terminal does not send a word and Enter as one.
    for (const key of step[1].match(/\u001b\[[A-D]|[\s\S]/g) ?? []) setImmediate(() => stdin.write(key));
  });
  const prompts = await createPrompts({ stdin, stderr }, new AbortController().signal);
  return { prompts, left, screen: () => all };
}
