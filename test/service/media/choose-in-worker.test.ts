import { expect, test } from 'vitest';
import { chooseInWorker } from '../../../src/service/media/choose-in-worker.js';
import { chooseMoments } from '../../../src/service/media/choose-moments.js';
import { analysisOf, fakeInfo, talkOf } from './media-files.js';

/** The thread is the built one, dist/choose-worker.js. */

const { signal } = new AbortController();

function talk(sentences: number) {
  const { transcript, durationSec } = talkOf(
    Array.from(
      { length: sentences },
      (_, i) => [`Sentence ${i} is about topic${i % 40} and thing${i % 97}.`, 5, 0.5] as const,
    ),
  );
  return {
    info: fakeInfo(durationSec),
    transcript,
    analysis: analysisOf(transcript, durationSec),
    curation: { clipDurations: [[0, 60]] as [number, number][] },
  };
}

test('chooses the same, and the service goes on meanwhile', async () => {
  const input = talk(900);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  const chosen = await chooseInWorker(input, { signal });
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(3);
  expect(chosen).toEqual(chooseMoments(input));
});

test('ends beyond its limits, in words, and when the service stops', async () => {
  const input = talk(1500);
  const tooMany = { kind: 'rejected', message: 'there are too many possible moments to choose from' };
  await expect(chooseInWorker(input, { signal, limitMib: 16 })).rejects.toMatchObject(tooMany);
  await expect(chooseInWorker(input, { signal, limitMs: 5 })).rejects.toMatchObject(tooMany);
  const stop = new AbortController();
  const asked = chooseInWorker(input, { signal: stop.signal });
  stop.abort(new Error('stopping'));
  await expect(asked).rejects.toThrow('stopping');
});
