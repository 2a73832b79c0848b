import { describe, expect, it } from 'vitest';
import { decodeSubtitles, parseSubtitles } from '../../../src/service/media/subtitles.js';
import { transcribe } from '../../../src/service/media/words.js';

describe('parseSubtitles', () => {
  it('reads SRT with a byte order mark, CRLF, tags and counters', () => {
    const cues = parseSubtitles(
      '\uFEFF1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Hello</i> {\\an8}there\r\nworld.\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n[music] &amp; more\r\n',
    );
    expect(cues).toEqual([
      { startSec: 1, endSec: 2.5, text: 'Hello there world.', newSpeaker: false },
      { startSec: 3, endSec: 4, text: '& more', newSpeaker: false },
    ]);
  });

  it('reads WebVTT with settings, notes, short times and voices', () => {
    const cues = parseSubtitles(
      'WEBVTT\n\nNOTE a note\n\nid-1\n00:01.000 --> 00:02.000 align:start position:0%\n<v Anna>Hi <00:01.500><c>you</c>\n',
    );
    expect(cues).toEqual([{ startSec: 1, endSec: 2, text: 'Hi you', newSpeaker: true }]);
  });

  it('takes speaker labels away and remembers the change', () => {
    const cues = parseSubtitles(
      '00:00:00,000 --> 00:00:01,000\n>> ANNA LEE: Good morning.\n\n00:00:01,000 --> 00:00:02,000\n- Morning, all.\n',
    );
    expect(cues.map((cue) => [cue.text, cue.newSpeaker])).toEqual([
      ['Good morning.', true],
      ['Morning, all.', true],
    ]);
  });

  it('clamps cues that overlap and joins cues that begin together', () => {
    const cues = parseSubtitles(
      '00:00:00,000 --> 00:00:05,000\nOne.\n\n00:00:02,000 --> 00:00:04,000\nTwo.\n\n00:00:02,000 --> 00:00:06,000\nThree.\n',
    );
    expect(cues.map(({ startSec, endSec, text }) => [startSec, endSec, text])).toEqual([
      [0, 2, 'One.'],
      [2, 6, 'Two. Three.'],
    ]);
  });

  it('takes the repeated line of rolling captions once', () => {
    const roll =
      'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nso today we talk\n\n00:00:02.000 --> 00:00:04.000\nso today we talk\nabout old trees\n\n00:00:04.000 --> 00:00:06.000\nabout old trees\nand new ones\n';
    expect(
      parseSubtitles(roll)
        .map((cue) => cue.text)
        .join(' '),
    ).toBe('so today we talk about old trees and new ones');
  });

  it('leaves out broken blocks, and finds nothing in other text', () => {
    expect(parseSubtitles('1\n00:00:05,000 --> 00:00:03,000\nBackwards\n\nplain text\n')).toEqual([]);
    expect(parseSubtitles('')).toEqual([]);
  });

  it('reads cues that lack the empty line between them', () => {
    const cues = parseSubtitles(
      '1\n00:00:01,000 --> 00:00:02,000\nOne.\n2\n00:00:02,000 --> 00:00:03,000\nTwo.\n',
    );
    expect(cues.map((cue) => cue.text)).toEqual(['One.', 'Two.']);
  });

  it('decodes UTF-16 and Latin-1', () => {
    expect(decodeSubtitles(Buffer.from('\uFEFFé', 'utf16le'))).toContain('é');
    expect(decodeSubtitles(Uint8Array.of(0xe9))).toBe('é');
  });
});

describe('transcribe', () => {
  const cue = (startSec: number, endSec: number, text: string, newSpeaker = false) => ({
    startSec,
    endSec,
    text,
    newSpeaker,
  });

  it('joins cues to sentences and cuts sentences inside a cue', () => {
    const { sentences, words } = transcribe(
      'sidecar',
      [cue(0, 2, 'Dr. Smith has 3.5 cats. And'), cue(2, 4, 'one dog? Yes')],
      10,
    );
    expect(sentences.map((sentence) => sentence.text)).toEqual([
      'Dr. Smith has 3.5 cats.',
      'And one dog?',
      'Yes',
    ]);
    expect(words[0]).toMatchObject({ text: 'Dr.', startSec: 0 });
    expect(words.at(-1)).toMatchObject({ text: 'Yes', endSec: 4 });
  });

  it('gives words time by their letters, in order and without holes inside a cue', () => {
    const { words } = transcribe('sidecar', [cue(1, 3, 'a considerable word')], 10);
    expect(words[0]?.startSec).toBe(1);
    expect(words.at(-1)?.endSec).toBe(3);
    const [a, considerable] = words.map((word) => word.endSec - word.startSec);
    expect(considerable).toBeGreaterThan((a ?? 0) * 4);
  });

  it('cuts text without punctuation at the pauses between cues', () => {
    const { sentences } = transcribe(
      'sidecar',
      [cue(0, 2, 'so this is one'), cue(3, 5, 'and this is two'), cue(5.05, 7, 'still two')],
      10,
    );
    expect(sentences.map((sentence) => sentence.text)).toEqual([
      'so this is one',
      'and this is two still two',
    ]);
  });

  it('says when every subtitle lies after the end', () => {
    expect(transcribe('sidecar', [cue(100, 101, 'Late.')], 10)).toMatchObject({ source: 'none', words: [] });
  });
});
