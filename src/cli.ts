import type { Io } from './terminal/io.js';
import { VERSION } from './version.js';

/**
 * Runs one command line (without node and script) and returns the exit code. The two things asked for most often
 * are answered here; everything else loads the parser and the command that is named.
 */
export async function run(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  const [only, ...more] = argv;
  if (only === '--version' && more.length === 0) {
    io.stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (only === undefined || ((only === '--help' || only === '-h' || only === 'help') && more.length === 0)) {
    const { rootHelp } = await import('./root-help.js');
    io.stdout.write(rootHelp(io.stdout.columns ?? 80));
    return 0;
  }
  const { runProgram } = await import('./program.js');
  return runProgram(argv, io, signal);
}
