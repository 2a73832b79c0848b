import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseMoments } from '../../../src/service/media/choose-moments.js';
import type { Span } from '../../../src/service/media/media-types.js';
import { analysisOf, fakeInfo, NO_WORDS, talkOf } from './media-files.js';

const LINES = [
  ['Why do trees cool a street?', 3, 0.4],
  ['Leaves breathe out water all day long.', 4, 0.4],
  ['A street with trees stays cool in the hot summer.', 5, 1.4],
  ['Coffee is another story.', 3, 0.4],
  ['And it needs four minutes of hot water.', 4, 0.4],
  ['Ground coffee turns bitter when the water is too hot.', 5, 1.4],
  ['What about sleep?', 2, 0.4],
  ['Sleep files the day in your brain.', 4, 0.4],
  ['Students who sleep well remember more.', 5, 0.6],
] as const;

function choose(
  curation: Parameters<typeof chooseMoments>[0]['curation'],
  lines: Parameters<typeof talkOf>[0] = LINES,
) {
  const { transcript, durationSec } = talkOf(lines);
  const analysis = analysisOf(transcript, durationSec);
  return {
    ...chooseMoments({ info: fakeInfo(durationSec), transcript, analysis, curation }),
    transcript,
    durationSec,
  };
}

function isInsideWord(sec: number, words: readonly Span[]): boolean {
  return words.some((word) => sec > word.startSec + 1e-6 && sec < word.endSec - 1e-6);
}

describe('chooseMoments', () => {
  it('takes whole topics, tells why, and titles them from their words', () => {
    const { moments, reason } = choose({ clipDurations: [[0, 15]] });
    expect(reason).toBeNull();
    expect(moments.length).toBeGreaterThanOrEqual(2);
    expect(moments.map((moment) => moment.title)).toContain('What about sleep?');
    for (const moment of moments) {
      expect(moment.reason).toMatch(/^It .+\.$/);
      expect(Object.keys(moment.features)).toContain('centrality');
      expect(moment.text).not.toBe('');
    }
  });

  it('follows keywords with ClipBasic, and says when none is said', () => {
    const { moments } = choose({ clipDurations: [[5, 15]], topicKeywords: ['Coffee'] });
    const best = moments.reduce((a, b) => (b.score > a.score ? b : a));
    expect(best.text).toContain('coffee');
    expect(choose({ topicKeywords: ['submarine'] }).notes).toContain('none of the keywords is said');
  });

  it('takes the prompt as soft keywords with ClipAnything only', () => {
    const anything = choose({
      clipDurations: [[5, 15]],
      model: 'ClipAnything',
      customPrompt: 'find the best part about sleep',
    });
    const best = anything.moments.reduce((a, b) => (b.score > a.score ? b : a));
    expect(best.text).toMatch(/sleep/i);
    expect(choose({ customPrompt: 'sleep' }).notes).toContain('customPrompt has no effect with ClipBasic');
  });

  it('says why there is nothing', () => {
    expect(choose({ clipDurations: [[90, 180]] })).toMatchObject({
      moments: [],
      reason: expect.stringContaining('shorter than the shortest clip'),
    });
    expect(choose({ clipDurations: [[10, 11]], range: { startSec: 0, endSec: 12 } })).toMatchObject({
      moments: [],
      reason: 'no run of whole sentences fits 10-11 s inside 0-12 s',
    });
    expect(choose({ range: { startSec: 500, endSec: 600 } })).toMatchObject({
      moments: [],
      reason: expect.stringContaining('outside'),
    });
  });

  it('cuts between words when every sentence is longer than the clip may be, and says so', () => {
    const long = Array.from({ length: 60 }, (_, i) => `word${i}${i % 12 === 11 ? ',' : ''}`).join(' ');
    const { moments, reason, transcript } = choose({ clipDurations: [[5, 10]] }, [[`${long}.`, 30, 0.5]]);
    expect(moments.length).toBeGreaterThan(0);
    expect(reason).toContain('cut at pauses inside longer ones');
    for (const moment of moments) {
      expect(moment.endSec - moment.startSec).toBeLessThanOrEqual(10);
      expect(
        isInsideWord(moment.startSec, transcript.words) || isInsideWord(moment.endSec, transcript.words),
      ).toBe(false);
    }
  });

  it('works on speech between pauses, and on pictures alone', () => {
    const { transcript, durationSec } = talkOf(LINES);
    const heard = {
      info: fakeInfo(durationSec),
      transcript: NO_WORDS,
      analysis: analysisOf(transcript, durationSec),
    };
    const spoken = chooseMoments({ ...heard, curation: { clipDurations: [[0, 15]] } });
    expect(spoken.moments.length).toBeGreaterThanOrEqual(2);
    const silent = { silences: [], dips: [], speechRuns: [], loudness: [], sceneCutsSec: [20, 40] };
    const seen = chooseMoments({
      info: fakeInfo(60, { hasAudio: false }),
      transcript: NO_WORDS,
      analysis: silent,
      curation: { clipDurations: [[0, 30]] },
    });
    expect(seen.moments.length).toBeGreaterThanOrEqual(2);
  });

  it('makes the whole video one moment for skipCurate and skipSlicing', () => {
    for (const curation of [{ skipCurate: true }, { skipSlicing: true }]) {
      const { moments, durationSec } = choose(curation);
      expect(moments).toMatchObject([{ startSec: 0, endSec: durationSec }]);
    }
  });

  it('counts lengths without the fillers that will be cut out', () => {
    const { transcript, durationSec } = talkOf([
      ['Um.', 2, 0.5],
      ['This is what remains.', 5, 0.5],
    ]);
    const analysis = analysisOf(transcript, durationSec);
    const ask = (removeFillers: boolean) =>
      chooseMoments({
        info: fakeInfo(durationSec),
        transcript,
        analysis,
        curation: { clipDurations: [[7, 9]] },
        removeFillers,
      });
    expect(ask(false).moments).toHaveLength(1);
    expect(ask(true).moments).toHaveLength(0);
  });

  const sentence = fc.tuple(
    fc.lorem({ maxCount: 8 }).map((text) => `${text}.`),
    fc.double({ min: 0.4, max: 12, noNaN: true }),
    fc.double({ min: 0, max: 3, noNaN: true }),
  );
  const pair = fc
    .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 50 }))
    .map(([min, more]) => [min, min + more] as const);

  it('keeps every promise on any talk', () => {
    fc.assert(
      fc.property(
        fc.array(sentence, { minLength: 1, maxLength: 25 }),
        fc.array(pair, { minLength: 0, maxLength: 2 }),
        fc.option(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 90 }))),
        (lines, clipDurations, window) => {
          const range = window === null ? null : { startSec: window[0], endSec: window[0] + window[1] };
          const { moments, reason, transcript, durationSec } = choose({ clipDurations, range }, lines);
          const pairs = clipDurations.length > 0 ? clipDurations : [[0, 90] as const];
          if (moments.length === 0) expect(reason).not.toBeNull();
          let atSec = 0;
          for (const { startSec, endSec } of moments) {
            expect(startSec).toBeGreaterThanOrEqual(atSec - 1e-9);
            expect(pairs.some(([min, max]) => endSec - startSec >= min && endSec - startSec <= max)).toBe(
              true,
            );
            expect(endSec).toBeLessThanOrEqual(Math.min(durationSec, range?.endSec ?? durationSec) + 1e-6);
            expect(startSec).toBeGreaterThanOrEqual((range?.startSec ?? 0) - 1e-6);
            expect(isInsideWord(startSec, transcript.words) || isInsideWord(endSec, transcript.words)).toBe(
              false,
            );
            atSec = endSec;
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('says that nothing fits when clips of half a second are asked for', () => {
    const { transcript, durationSec } = talkOf(LINES);
    const analysis = analysisOf(transcript, durationSec);
    const curation = { clipDurations: [[0, 0.5]] as [number, number][] };
    for (const words of [transcript, NO_WORDS]) {
      const chosen = chooseMoments({ info: fakeInfo(durationSec), transcript: words, analysis, curation });
      expect(chosen).toMatchObject({ moments: [], reason: expect.stringContaining('0.5') });
    }
  });

  it('gets through a three-hour talk', () => {
    const lines = Array.from(
      { length: 1824 },
      (_, i) => [`Sentence ${i} is about topic${Math.floor(i / 30)} and thing${i % 97}.`, 5.4, 0.5] as const,
    );
    const { moments } = choose({}, lines);
    expect(moments).toHaveLength(20);
  });
});
