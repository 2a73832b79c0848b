import { run } from '../../src/cli.js';
import { type CliOptions, memoryIo } from '../helpers/run-cli.js';

export const KEYS = {
  enter: '\r',
  up: '\u001b[A',
  down: '\u001b[B',
  space: ' ',
  ctrlC: '\u0003',
  clear: '\u0015',
};

/** What to wait for on the screen, then the keys to press. */
export type Step = readonly [question: string | RegExp, keys: string];

/** Runs a command line at a terminal in memory and types at its real prompts. */
export async function typeAt(
  argv: readonly string[],
  steps: readonly Step[],
  options: CliOptions & { home: string },
) {
  const { io, stdout, stderr } = memoryIo({ ...options, tty: true });
  // What node sets on the process's own streams, so that a prompt that ends does not end them.
  Object.assign(io.stderr, { _isStdio: true });
  let exitCode: number | undefined;
  const ended = run(argv, io, options.signal ?? new AbortController().signal).then((code) => {
    exitCode = code;
  });
  let seen = 0;
  for (const [question, keys] of steps) {
    const until = Date.now() + 8_000;
    while (!shows(plain(stderr().slice(seen)), question)) {
      if (exitCode !== undefined)
        throw new Error(`ended (${exitCode}) before ${question}:\n${plain(stderr())}`);
      if (Date.now() > until) throw new Error(`never asked ${question}:\n${plain(stderr().slice(seen))}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    seen = stderr().length;
    // A key a write, as a person's terminal sends them.
    for (const key of keys.match(/\u001b\[[A-D]|[\s\S]/g) ?? []) {
      (io.stdin as unknown as { write(text: string): void }).write(key);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await ended;
  return { exitCode, stdout: stdout(), stderr: plain(stderr()), rawStderr: stderr() };
}

function shows(screen: string, question: string | RegExp): boolean {
  return typeof question === 'string' ? screen.includes(question) : question.test(screen);
}

/** Without what only moves the cursor and colours. */
export function plain(text: string): string {
  return text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\u0007', '');
}
