import { run } from './cli.js';
import { CancelledError, errorCode } from './errors.js';
import { processIo } from './terminal/io.js';

/**
 * The process: signals, the closed pipe, the exit code. Nothing else ends the process.
 * The first SIGINT or SIGTERM asks everything to stop cleanly, through one AbortSignal; a second one ends at once.
 */
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(name === 'SIGTERM' ? 143 : 130);
    stop.abort(new CancelledError(name));
  });
}

/** `clipctl … | head` is no error: nobody reads any more, so there is nothing left to say. */
process.stdout.on('error', (error) => {
  if (errorCode(error) === 'EPIPE') process.exit(0);
  throw error;
});

const code = await run(process.argv.slice(2), processIo(), stop.signal);
// stdout is drained before the end: a pipe's reader must get all of the result. stderr is written synchronously.
process.stdout.write('', () => process.exit(code));
