import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ClipctlError, errorCode } from '../../errors.js';
import { packageFile } from '../package-file.js';
import type { ChooseInput, ChosenMoments } from './choose-moments.js';

/** 5,400 short sentences and clips of up to three minutes took 38 s and 750 MiB. */
const LIMIT_MS = 300_000;
const LIMIT_MIB = 2048;

/**
 * `chooseMoments` in a thread of its own, with limits: meanwhile the service answers, and a video with more
 * possibilities than memory costs its own project only.
 * @throws ClipctlError `rejected` beyond a limit; the signal's reason when aborted.
 */
export async function chooseInWorker(
  input: ChooseInput,
  {
    signal,
    limitMib = LIMIT_MIB,
    limitMs = LIMIT_MS,
  }: { signal: AbortSignal; limitMib?: number; limitMs?: number },
): Promise<ChosenMoments> {
  signal.throwIfAborted();
  const path = packageFile('dist', 'choose-worker.js');
  if (path === undefined) {
    throw new ClipctlError('service', 'dist/choose-worker.js is missing', { hint: 'install clipctl again' });
  }
  const worker = new Worker(path, {
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: limitMib },
  });
  const limit = AbortSignal.timeout(limitMs);
  try {
    const [chosen] = await once(worker, 'message', { signal: AbortSignal.any([signal, limit]) });
    return chosen;
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) throw tooMany(`it took longer than ${limitMs / 1000} s`);
    if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY') throw tooMany(`it took more than ${limitMib} MiB`);
    throw error;
  } finally {
    await worker.terminate();
  }
}

function tooMany(reason: string): ClipctlError {
  return new ClipctlError('rejected', 'there are too many possible moments to choose from', {
    reason,
    hint: 'name a range, or shorter durations',
  });
}
