import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignWords } from '../../../src/service/media/align-words.js';
import { groupWords } from '../../../src/service/media/caption-groups.js';
import { assColor, assText, overlayScript } from '../../../src/service/media/captions.js';
import { fillerCuts, findFillers } from '../../../src/service/media/fillers.js';
import { isSameFamily, parseFontSelect } from '../../../src/service/media/fonts.js';
import { keepListOf } from '../../../src/service/media/keep-list.js';
import { bestWindow } from '../../../src/service/media/layout.js';
import { chooseLayout } from '../../../src/service/media/layout-choice.js';
import { bestSchedule } from '../../../src/service/media/schedule-dp.js';
import { transcribe } from '../../../src/service/media/words.js';

const cue = (startSec: number, endSec: number, text: string) => ({
  startSec,
  endSec,
  text,
  newSpeaker: false,
});

describe('bestSchedule', () => {
  const interval = fc
    .tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 9 }))
    .map(([startSec, length, value]) => ({ startSec, endSec: startSec + length, value }));

  it('is never beaten by any other set without overlap', () => {
    fc.assert(
      fc.property(
        fc.array(interval, { maxLength: 9 }),
        fc.integer({ min: 1, max: 4 }),
        (intervals, maxCount) => {
          const chosen = bestSchedule(intervals, maxCount);
          expect(isFree(chosen) && chosen.length <= maxCount).toBe(true);
          const best = Math.max(
            0,
            ...subsets(intervals)
              .filter((set) => set.length <= maxCount && isFree(set))
              .map(worth),
          );
          expect(worth(chosen)).toBe(best);
        },
      ),
      { numRuns: 150 },
    );
  });

  type Interval = { startSec: number; endSec: number; value: number };
  const worth = (set: readonly Interval[]) => set.reduce((sum, one) => sum + one.value, 0);
  const isFree = (set: readonly Interval[]) => {
    const sorted = [...set].sort((a, b) => a.startSec - b.startSec || a.endSec - b.endSec);
    return sorted.every((one, i) => i === 0 || (sorted[i - 1]?.endSec ?? 0) <= one.startSec);
  };
  const subsets = (all: readonly Interval[]): Interval[][] =>
    Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((_one, i) => ((bits >> i) & 1) === 1));
});

describe('alignWords', () => {
  it('ends words before commas where the quiet begins', () => {
    const { transcript } = {
      transcript: transcribe('sidecar', [cue(0, 4, 'Short, and then something considerably longer.')], 10),
    };
    const { words, sentences } = alignWords(transcript, [{ startSec: 0.9, endSec: 1.3 }]);
    expect(words[0]).toMatchObject({ text: 'Short,', startSec: 0, endSec: 0.9 });
    expect(words[1]?.startSec).toBeCloseTo(1.3, 5);
    expect(sentences[0]).toMatchObject({ startSec: 0, endSec: 4 });
  });
});

describe('fillers', () => {
  it('finds hesitations, and "you know" only between commas', () => {
    const { words } = transcribe(
      'sidecar',
      [cue(0, 8, 'Um, do you know it? Well, you know, I mean it, uh, yes.')],
      10,
    );
    expect(findFillers(words).map((filler) => filler.text)).toEqual(['um', 'you know', 'uh']);
  });

  it('cuts only where a quiet is heard on both sides', () => {
    const filler = { startSec: 2, endSec: 2.4, firstWord: 0, lastWord: 0, text: 'um' };
    const before = { startSec: 1.8, endSec: 2 };
    const after = { startSec: 2.4, endSec: 2.5 };
    expect(fillerCuts([filler], [before]).left).toEqual([filler]);
    const [cut] = fillerCuts([filler], [before, after]).cuts;
    expect(cut?.startSec).toBeGreaterThanOrEqual(1.8);
    expect(cut?.endSec).toBeLessThanOrEqual(2.5);
  });
});

describe('keepListOf', () => {
  it('maps times over the cuts, on whole frames', () => {
    const keep = keepListOf({ startSec: 10, endSec: 20 }, [{ startSec: 12.01, endSec: 13.02 }], 25);
    expect(keep.spans[0]?.endSec).toBeCloseTo(12, 5);
    expect(keep.totalSec).toBeCloseTo(9, 5);
    expect(keep.toClipSec(15)).toBeCloseTo(4, 5);
    expect(keep.toClipSec(12.5)).toBeCloseTo(2, 5);
    expect(keep.shows(12.5)).toBe(false);
  });

  it('keeps something even when everything is cut', () => {
    expect(keepListOf({ startSec: 0, endSec: 5 }, [{ startSec: 0, endSec: 4.95 }], 25).spans).toHaveLength(1);
  });
});

describe('captions', () => {
  const base = {
    width: 720,
    height: 1280,
    totalSec: 20,
    headline: null,
    watermark: null,
    family: 'Noto Sans',
    render: {},
  };
  const word = fc.tuple(
    fc.string({ minLength: 1, maxLength: 25 }),
    fc.double({ min: 0.02, max: 2, noNaN: true }),
  );

  it('never stack, never outlive the clip, never have more than two lines', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), fc.integer({ min: 6, max: 30 }), (list, lineChars) => {
        let at = 0;
        const words = list.map(([text, length]) => {
          at += length;
          return { text, startSec: at - length, endSec: at, cue: 0 };
        });
        const groups = groupWords(words, { lineChars, totalSec: at });
        for (const [i, group] of groups.entries()) {
          expect(group.endSec).toBeLessThanOrEqual((groups[i + 1]?.startSec ?? at) + 1e-9);
          expect(group.endSec).toBeGreaterThan(group.startSec);
          expect(group.lines.length).toBeLessThanOrEqual(2);
          expect(group.lines.flat().length).toBeLessThanOrEqual(5);
        }
      }),
    );
  });

  it('are text whatever is in them, and colour the telling words', () => {
    expect(assText('{\\b1}a\nb')).toBe('(⧵b1)a b');
    const { words } = transcribe('sidecar', [cue(0, 4, 'A {\\pos(0,0)} tree, ten trees.')], 10);
    const script = overlayScript({
      ...base,
      words,
      render: { enableHighlight: true, highlightColor: { primary: '#FF0000', secondary: '#00FF00' } },
    });
    expect(script).toContain('{\\1c&H0000FF&}tree,');
    expect(script).toContain('{\\1c&H00FF00&}ten');
    expect(script).not.toContain('\\pos');
  });

  it('have the font that was asked for', () => {
    const { words } = transcribe('sidecar', [cue(0, 2, 'hello there')], 10);
    const font = {
      color: '#FFEE00',
      style: ['italic'],
      family: 'X',
      size: 'Large',
      textDecoration: 'underline',
      stroke: { enabled: true, color: '#010203', width: 7 },
      shadow: { enabled: true, color: '#040506', x: 3, y: 5, blur: 0 },
    };
    const script = overlayScript({ ...base, words, render: { enableUppercase: true, font } });
    expect(script).toContain(
      'Style: Caption,Noto Sans,96,&H0000EEFF,&H0000EEFF,&H00030201,&H00060504,0,-1,-1,0,100,100,0,0,1,7,5,2',
    );
    expect(script).toContain('{\\xshad3\\yshad5}HELLO THERE');
  });

  it('are nothing when there is nothing to draw', () => {
    expect(overlayScript({ ...base, words: [] })).toBeNull();
    expect(overlayScript({ ...base, words: [], headline: 'A headline' })).toContain('Headline');
  });

  it('read colours of all forms', () => {
    expect(assColor('#fa3', '#000000')).toBe('&H0033AAFF');
    expect(assColor('#11223380', '#000000')).toBe('&H7F332211');
    expect(assColor('red', '#010203')).toBe('&H00030201');
  });
});

describe('fonts', () => {
  it('reads what libass says', () => {
    const line =
      '[Parsed_ass_0 @ 0x1] fontselect: (Comic Sans MS, 700, 0) -> /x/NotoSans-Bold.ttf, 0, NotoSans-Bold';
    const chosen = parseFontSelect(line);
    expect(chosen).toEqual({ asked: 'Comic Sans MS', used: 'NotoSans-Bold' });
    expect(isSameFamily('Comic Sans MS', 'NotoSans-Bold')).toBe(false);
    expect(isSameFamily('Noto Sans', 'NotoSans-Bold')).toBe(true);
  });
});

describe('layout', () => {
  it('finds the window with the motion, centred on it', () => {
    const profile = Array.from({ length: 160 }, (_, x) => (x >= 100 && x < 120 ? 50 : 1));
    const { center, isClear } = bestWindow(profile, 0.3);
    expect(center).toBeGreaterThan(0.62);
    expect(center).toBeLessThan(0.75);
    expect(isClear).toBe(true);
  });

  it('knows when nothing or everything moves', () => {
    expect(bestWindow(new Array<number>(160).fill(0), 0.3).isClear).toBe(false);
    expect(bestWindow(new Array<number>(160).fill(5), 0.3).isClear).toBe(false);
  });

  it('maps the flags, and says what is done another way', () => {
    expect(chooseLayout({})).toMatchObject({
      aspect: 'portrait',
      width: 720,
      height: 1280,
      mode: 'auto',
      notes: [],
    });
    expect(chooseLayout({ enableFillLayout: true }).mode).toBe('fill');
    expect(chooseLayout({ enableFitLayout: true, fitLayoutCropRatio: '4:3' })).toMatchObject({
      mode: 'fit',
      fitRatio: 4 / 3,
    });
    expect(chooseLayout({ enableSplitLayout: true })).toMatchObject({
      mode: 'fit',
      notes: [expect.stringContaining('split')],
    });
    expect(chooseLayout({ layoutAspectRatio: 'round' }).notes).toHaveLength(1);
  });
});
