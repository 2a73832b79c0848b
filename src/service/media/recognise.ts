import { readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { ClipctlError } from '../../errors.js';
import { parseJson } from '../../parse-json.js';
import type { MediaTools, Recogniser } from './media-types.js';
import { SAFE_INPUT } from './probe.js';
import { fileArgument, runFfmpeg, runForOutput } from './run-ffmpeg.js';
import type { Cue } from './subtitles.js';

/*
 * Speech to words with whisper.cpp's `whisper-cli`, when the user has it and names a model (find-tools.ts).
 * What it writes: `--output-json-full` of https://github.com/ggml-org/whisper.cpp, examples/cli.
 */

/** Large models on small machines take several times as long as the video. */
const MS_PER_SEC_OF_VIDEO = 10_000;
const LEAST_LIMIT_MS = 3_600_000;
/** whisper.cpp takes 16 kHz. */
const SAMPLE_RATE = 16_000;
const SHORTEST_WORD_SEC = 0.02;

export interface RecogniseOptions {
  durationSec: number;
  /** ISO-639 code; undefined for automatic detection. */
  language?: string | undefined;
  workDir: string;
  signal?: AbortSignal | undefined;
  /** Fraction 0..1. */
  onProgress?: ((fraction: number) => void) | undefined;
}

/**
 * The words that are heard, each a cue of its own with its time.
 * @throws ClipctlError `service` when ffmpeg or the recogniser fails.
 */
export async function recogniseWords(
  { ffmpegPath }: MediaTools,
  { programPath, modelPath }: Recogniser,
  path: string,
  { durationSec, language = 'auto', workDir, signal, onProgress }: RecogniseOptions,
): Promise<Cue[]> {
  const sound = join(workDir, 'speech.wav');
  const result = join(workDir, 'speech'); // .json is added to it
  const timeoutMs = Math.max(LEAST_LIMIT_MS, durationSec * MS_PER_SEC_OF_VIDEO);
  try {
    const input = ['-v', 'error', ...SAFE_INPUT, '-i', fileArgument(path)];
    const output = ['-vn', '-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le', fileArgument(sound)];
    await runFfmpeg(ffmpegPath, [...input, ...output], { signal, timeoutMs });
    const files = ['-m', modelPath, '-f', sound, '-ojf', '-of', result];
    const how = ['-l', language, '-t', String(availableParallelism()), '-np', '-pp'];
    const onStderrLine = (line: string) => {
      const percent = /progress =\s*(\d+)%/.exec(line)?.[1];
      // It counts in steps of 30 s and goes past the end.
      if (percent !== undefined) onProgress?.(Math.min(1, Number(percent) / 100));
    };
    await runForOutput(programPath, [...files, ...how], { signal, timeoutMs, onStderrLine });
    return readRecognised(await readFile(`${result}.json`));
  } finally {
    await Promise.all([sound, `${result}.json`].map((file) => rm(file, { force: true })));
  }
}

const Span = z.object({ from: z.number(), to: z.number() });
const Recognised = z.object({
  transcription: z.array(
    z.object({
      text: z.string(),
      offsets: Span,
      tokens: z.array(z.object({ text: z.string(), offsets: z.optional(Span) })),
    }),
  ),
});

/**
 * Words of the JSON that whisper-cli writes. A token that begins with a space begins a word. Older builds cut letters
 * of several bytes between tokens, so the bytes are put together before they are read as UTF-8.
 * @throws ClipctlError `service` for anything else.
 */
export function readRecognised(json: Buffer): Cue[] {
  const result = Recognised.safeParse(parseJson(json.toString('latin1')));
  if (!result.success) throw new ClipctlError('service', 'what it wrote is not the JSON of whisper-cli');
  return result.data.transcription.filter(({ text }) => !isNoSpeech(asUtf8(text))).flatMap(wordsOfSegment);
}

function wordsOfSegment({ offsets, tokens }: z.infer<typeof Recognised>['transcription'][number]): Cue[] {
  const words: { bytes: string; fromMs: number; toMs: number }[] = [];
  for (const token of tokens) {
    if (/^\[_\w+\]$/.test(token.text)) continue; // a mark such as [_BEG_] or [_TT_550]
    const { from, to } = token.offsets ?? offsets;
    const last = words.at(-1);
    if (last === undefined || token.text.startsWith(' '))
      words.push({ bytes: token.text, fromMs: from, toMs: to });
    else Object.assign(last, { bytes: last.bytes + token.text, toMs: Math.max(last.toMs, to) });
  }
  return words.flatMap(({ bytes, fromMs, toMs }) => {
    const text = asUtf8(bytes).replace(/\s+/g, ' ').trim();
    const startSec = fromMs / 1000;
    const endSec = Math.max(toMs / 1000, startSec + SHORTEST_WORD_SEC);
    return text === '' ? [] : [{ text, startSec, endSec, newSpeaker: false }];
  });
}

/** `[BLANK_AUDIO]`, `(music)`, `♪ … ♪`: what it writes for sound that is no speech. */
function isNoSpeech(text: string): boolean {
  return /^\s*(?:\[.*\]|\(.*\)|\*.*\*|♪.*)\s*$/u.test(text);
}

function asUtf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
