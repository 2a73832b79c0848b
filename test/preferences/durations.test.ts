import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatDuration,
  parseBytes,
  parseDurationMs,
  parseSeconds,
} from '../../src/durations.js';
import { nearest } from '../../src/nearest.js';

describe('times', () => {
  it.each([
    ['90', 90],
    ['90s', 90],
    ['1m30s', 90],
    ['2m', 120],
    ['1h', 3600],
    ['1.5', 1.5],
    ['1:30', 90],
    ['90:00', 5400],
    ['120:05', 7205],
    ['01:02:03', 3723],
    ['00:00:01.250', 1.25],
  ])('%s is %d seconds', (text, seconds) => expect(parseSeconds(text)).toBe(seconds));

  it.each(['', '-1', '1:60', '1:60:00', '1m30', 's', '1e3', 'abc', '1:2:3:4', ' ', '٣'])(
    '%j is none',
    (text) => expect(parseSeconds(text)).toBeUndefined(),
  );

  it('reads time limits', () => {
    expect(parseDurationMs('500ms', '--timeout')).toBe(500);
    expect(parseDurationMs('60s', '--timeout')).toBe(60_000);
    expect(parseDurationMs('2m', '--timeout')).toBe(120_000);
    expect(() => parseDurationMs('soon', '--timeout')).toThrow(/--timeout "soon"/);
    expect(() => parseDurationMs('1000h', '--timeout')).toThrow(/is not a duration/);
  });

  it('says how long', () => {
    expect([0, 59, 60, 125, 3720].map(formatDuration)).toEqual(['0s', '59s', '1m00s', '2m05s', '1h02m']);
  });
});

describe('bytes', () => {
  it.each([
    ['1000', 1000],
    ['4MiB', 4 * 1024 ** 2],
    ['10MB', 10_000_000],
    ['4MiB/s', 4 * 1024 ** 2],
    ['1.5GiB', 1.5 * 1024 ** 3],
  ])('%s', (text, bytes) => expect(parseBytes(text, '--limit-rate')).toBe(bytes));

  it.each(['', '0', '-4', '4XB', 'fast'])('%j is refused', (text) =>
    expect(() => parseBytes(text, '--limit-rate')).toThrow(/--limit-rate .* is not a number of bytes/),
  );

  it('says how many', () => {
    expect([0, 1023, 1024, 3.2 * 1024 ** 3].map(formatBytes)).toEqual([
      '0 B',
      '1023 B',
      '1.0 KiB',
      '3.2 GiB',
    ]);
  });
});

describe('did you mean', () => {
  it.each([
    ['enableCaptoin', 'enableCaption'],
    ['PODCAST', 'Podcast'],
    ['zzzz', undefined],
    ['', undefined],
  ])('%j: %s', (word, meant) => expect(nearest(word, ['enableCaption', 'Podcast', 'News'])).toBe(meant));
});
