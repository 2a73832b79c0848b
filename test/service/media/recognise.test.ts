import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMediaTools, findRecogniser } from '../../../src/service/media/find-tools.js';
import { probeMedia } from '../../../src/service/media/probe.js';
import { readRecognised } from '../../../src/service/media/recognise.js';
import { readTranscript } from '../../../src/service/media/words.js';
import { makeFile, temporaryFolder, tools } from './media-files.js';

/*
 * whisper.cpp is no package here and its models are large, so what stands in its place is a small program of the
 * tests that reads its arguments and writes its format. Where whisper-cli and a model are set up, the last test uses
 * them.
 */

let dir: string;
let remove: () => Promise<void>;
let spoken: string;
beforeAll(async () => {
  ({ dir, remove } = await temporaryFolder());
  const picture = ['-f', 'lavfi', '-i', 'testsrc=s=320x240:r=25:d=6'];
  const tone = ['-f', 'lavfi', '-i', 'sine=f=300:d=6', '-ac', '2'];
  spoken = await makeFile(dir, 'spoken.mp4', [
    ...picture,
    ...tone,
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
  ]);
});
afterAll(() => remove());

interface Token {
  text: string;
  from?: number;
  to?: number;
}

const segment = (text: string, from: number, to: number, tokens: Token[]) => ({
  text,
  offsets: { from, to },
  tokens: tokens.map(({ text: part, ...offsets }) => ({
    text: part,
    ...(offsets.from === undefined ? {} : { offsets }),
    id: 1,
    p: 0.9,
  })),
});

const HEARD = [
  segment(' Hello there, wörld.', 500, 2600, [
    { text: '[_BEG_]', from: 500, to: 500 },
    { text: ' Hel', from: 500, to: 800 },
    { text: 'lo', from: 800, to: 1000 },
    { text: ' there', from: 1000, to: 1500 },
    { text: ',', from: 1500, to: 1500 },
    { text: ' w', from: 1700, to: 1800 },
    { text: 'örld', from: 1800, to: 2500 },
    { text: '.', from: 2500, to: 2600 },
    { text: '[_TT_130]', from: 2600, to: 2600 },
  ]),
  segment(' [BLANK_AUDIO]', 2600, 4000, [{ text: ' [', from: 2600, to: 2700 }, { text: 'BLANK_AUDIO]' }]),
  segment(' Yes.', 4000, 4400, [{ text: ' Yes.' }]),
];

const jsonOf = (transcription: unknown) => Buffer.from(JSON.stringify({ result: {}, transcription }));

/** A program that stands in whisper-cli's place; `body` sees its arguments as `args` and `after(flag)`. */
async function program(name: string, body: string): Promise<Record<string, string>> {
  const path = join(dir, name);
  const head = `#!${process.execPath}\nconst args = process.argv.slice(2);\nconst after = (flag) => args[args.indexOf(flag) + 1];\nconst fs = require('node:fs');\n`;
  await writeFile(path, head + body);
  await chmod(path, 0o755);
  const model = join(dir, 'model.bin');
  await writeFile(model, 'a model');
  return { CLIPCTL_WHISPER: path, CLIPCTL_WHISPER_MODEL: model };
}

async function transcriptWith(
  env: Record<string, string>,
  more: { signal?: AbortSignal; language?: string } = {},
) {
  const fractions: number[] = [];
  const recogniser = findRecogniser(env);
  const transcript = await readTranscript({ ...tools, recogniser }, spoken, await probeMedia(tools, spoken), {
    workDir: dir,
    onRecognising: (fraction) => fractions.push(fraction),
    ...more,
  });
  return { transcript, fractions };
}

describe('readRecognised', () => {
  it('makes words of tokens, each with its time, and leaves out what is no speech', () => {
    expect(readRecognised(jsonOf(HEARD))).toEqual([
      { text: 'Hello', startSec: 0.5, endSec: 1, newSpeaker: false },
      { text: 'there,', startSec: 1, endSec: 1.5, newSpeaker: false },
      { text: 'wörld.', startSec: 1.7, endSec: 2.6, newSpeaker: false },
      { text: 'Yes.', startSec: 4, endSec: 4.4, newSpeaker: false },
    ]);
  });

  it('puts letters together that lie in two tokens', () => {
    const cut = segment(' über', 0, 900, [
      { text: ' #', from: 0, to: 300 },
      { text: '%ber', from: 300, to: 900 },
    ]);
    const [first = 0, second = 0] = Buffer.from('ü');
    const json = jsonOf([cut]).map((byte) => (byte === 0x23 ? first : byte === 0x25 ? second : byte));
    expect(readRecognised(Buffer.from(json))).toMatchObject([{ text: 'über', startSec: 0, endSec: 0.9 }]);
  });
});

describe('the recogniser', () => {
  it('is asked for videos without subtitles: sound as it wants it, the language, and its progress is told', async () => {
    const env = await program(
      'hears',
      `const sound = fs.readFileSync(after('-f'));
       const facts = [after('-l'), sound.readUInt32LE(24), sound.readUInt16LE(22), fs.existsSync(after('-m'))];
       process.stderr.write('whisper_print_progress_callback: progress =  50%\\n');
       const transcription = ${JSON.stringify(HEARD)};
       transcription[2].tokens[0].text = ' ' + facts.join('/');
       fs.writeFileSync(after('-of') + '.json', JSON.stringify({ transcription }));`,
    );
    const { transcript, fractions } = await transcriptWith(env, { language: 'de-AT' });
    expect(transcript).toMatchObject({ source: 'recogniser', notes: [] });
    expect(transcript.words.map(({ text }) => text)).toEqual([
      'Hello',
      'there,',
      'wörld.',
      'de/16000/1/true',
    ]);
    expect(transcript.sentences[0]).toMatchObject({
      text: 'Hello there, wörld.',
      startSec: 0.5,
      endSec: 2.6,
    });
    expect(fractions).toEqual([0.5]);
    expect((await readdir(dir)).filter((name) => name.startsWith('speech'))).toEqual([]);
  });

  it('that fails or writes nonsense costs the words, not the clips, and it is said', async () => {
    const fails = await program('fails', `process.stderr.write('failed to load model\\n'); process.exit(3);`);
    expect((await transcriptWith(fails)).transcript).toMatchObject({
      source: 'none',
      notes: [
        expect.stringContaining(
          'the speech recogniser failed: fails failed with exit code 3 (failed to load model)',
        ),
      ],
    });
    const nonsense = await program(
      'nonsense',
      `fs.writeFileSync(after('-of') + '.json', '{"transcription": 1}');`,
    );
    expect((await transcriptWith(nonsense)).transcript.notes[0]).toContain('not the JSON of whisper-cli');
    const silent = await program(
      'silent',
      `fs.writeFileSync(after('-of') + '.json', '{"transcription": []}');`,
    );
    expect((await transcriptWith(silent)).transcript.notes[0]).toContain('the speech recogniser heard none');
  });

  it('ends when the service stops', async () => {
    const env = await program(
      'hangs',
      `fs.writeFileSync('${dir}/hanging', ''); setInterval(() => {}, 1000);`,
    );
    const stop = new AbortController();
    const asked = transcriptWith(env, { signal: stop.signal });
    while (!(await readdir(dir)).includes('hanging')) await new Promise((done) => setTimeout(done, 20));
    stop.abort(new Error('stopping'));
    await expect(asked).rejects.toThrow('stopping');
  });

  it('that is named wrongly is refused in words', async () => {
    const env = await program('there', '');
    expect(() => findRecogniser({ CLIPCTL_WHISPER_MODEL: '/no/model' })).toThrow('names no file: /no/model');
    expect(() => findRecogniser({ ...env, CLIPCTL_WHISPER: 'no-such-program' })).toThrow(
      'no-such-program is no program that can be run',
    );
    expect((await findMediaTools({ ...env, PATH: process.env.PATH })).recogniser).toEqual({
      programPath: env.CLIPCTL_WHISPER,
      modelPath: env.CLIPCTL_WHISPER_MODEL,
    });
    expect(findRecogniser({ CLIPCTL_WHISPER: 'unused' })).toBeUndefined();
  });

  it.skipIf(!process.env.CLIPCTL_WHISPER_MODEL)('is whisper.cpp itself, where it is set up', async () => {
    const { transcript } = await transcriptWith(process.env as Record<string, string>);
    expect(transcript.notes.filter((note) => note.includes('failed'))).toEqual([]);
  });
});
