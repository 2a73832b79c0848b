import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { ClipctlError, errorCode, messageOf } from '../../errors.js';
import type {
  MediaInfo,
  MediaTools,
  Recogniser,
  Sentence,
  SubtitleStream,
  Transcript,
  Word,
} from './media-types.js';
import { SAFE_INPUT } from './probe.js';
import { recogniseWords } from './recognise.js';
import { failureOf, fileArgument, runFfmpeg } from './run-ffmpeg.js';
import { type Cue, decodeSubtitles, parseSubtitles } from './subtitles.js';

const EXTRACT_TIMEOUT_MS = 600_000;
/** A hole this long ends a sentence, whatever the punctuation says. */
const SENTENCE_GAP_SEC = 2;
/** Without punctuation a cue's end closes a sentence when this pause follows, or the sentence is already long. */
const BARE_GAP_SEC = 0.25;
const BARE_WORDS = 18;

export interface ReadTranscriptOptions {
  /** A .srt or .vtt file that goes before the embedded track. */
  sidecarPath?: string | undefined;
  /** ISO-639 code of what is spoken; blank or `auto` for automatic detection. */
  language?: string | undefined;
  workDir: string;
  signal?: AbortSignal | undefined;
  /** Fraction of the recogniser's work, which may take longer than all the rest. */
  onRecognising?: ((fraction: number) => void) | undefined;
}

/**
 * What is said in the video: from the sidecar file, else from the embedded text subtitles (in the named language,
 * else English, else the first), else from the user's recogniser, else nothing (`source: 'none'`, with the reason in `notes`).
 * @throws ClipctlError `rejected` when a named sidecar cannot be read or holds no cue.
 */
export async function readTranscript(
  tools: MediaTools,
  path: string,
  info: MediaInfo,
  options: ReadTranscriptOptions,
): Promise<Transcript> {
  const { sidecarPath, language, workDir, signal } = options;
  if (sidecarPath !== undefined)
    return transcribe('sidecar', await readSidecar(sidecarPath), info.durationSec);
  const { stream, notes } = pickStream(info.subtitleStreams, languageOf(language));
  const cues = stream ? await extractCues(tools, path, stream, workDir, signal) : [];
  if (cues.length > 0) return { ...transcribe('embedded', cues, info.durationSec), notes };
  const why = stream ? 'the embedded subtitle track holds no words' : whyNoWords(info);
  if (tools.recogniser === undefined || !info.hasAudio) return noWords(why);
  return recognise(tools, tools.recogniser, path, info, options);
}

/** A recogniser that fails must not cost the clips: they are made without words, and said so. */
async function recognise(
  tools: MediaTools,
  recogniser: Recogniser,
  path: string,
  { durationSec }: MediaInfo,
  { language, workDir, signal, onRecognising }: ReadTranscriptOptions,
): Promise<Transcript> {
  try {
    const cues = await recogniseWords(tools, recogniser, path, {
      durationSec,
      language: languageOf(language),
      workDir,
      signal,
      onProgress: onRecognising,
    });
    if (cues.length === 0) return noWords('the speech recogniser heard none');
    return transcribe('recogniser', cues, durationSec);
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof ClipctlError ? error.details.reason : undefined;
    return noWords(`the speech recogniser failed: ${messageOf(error)}${reason ? ` (${reason})` : ''}`);
  }
}

function noWords(reason: string): Transcript {
  return { source: 'none', sentences: [], words: [], notes: [`no words: ${reason}`] };
}

function whyNoWords(info: MediaInfo): string {
  if (info.subtitleStreams.length > 0) return 'its subtitles are pictures, not text';
  return 'the file has no subtitle track, no .srt or .vtt file was given, and no speech recogniser is set up';
}

/** The track in the asked language; else one that names none, English, or the first, with a note. */
function pickStream(
  streams: readonly SubtitleStream[],
  asked: string | undefined,
): { stream: SubtitleStream | undefined; notes: string[] } {
  const tracks = streams
    .filter(({ isText }) => isText)
    .map((stream) => ({ stream, language: languageOf(stream.language) }));
  const inLanguage = (wanted: string | undefined) => tracks.find(({ language }) => language === wanted);
  const exact = asked === undefined ? undefined : inLanguage(asked);
  const found =
    exact ?? (asked === undefined ? undefined : inLanguage(undefined)) ?? inLanguage('en') ?? tracks[0];
  if (!found || exact || asked === undefined) return { stream: found?.stream, notes: [] };
  const used = found.language === undefined ? 'one without a language' : `the one in "${found.language}"`;
  return { stream: found.stream, notes: [`no subtitle track is in "${asked}": ${used} is used`] };
}

/** `de` of `de`, `DE-at`, `deu` and `ger`; undefined for what names no language. */
function languageOf(code: string | null | undefined): string | undefined {
  const text = code?.trim().toLowerCase().replaceAll('_', '-') ?? '';
  if (text === '' || text === 'auto' || text.startsWith('und')) return undefined;
  try {
    return new Intl.Locale(text).language;
  } catch {
    return undefined;
  }
}

async function readSidecar(path: string): Promise<Cue[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new ClipctlError('rejected', `the subtitle file cannot be read: ${basename(path)}`, {
      reason: errorCode(error) ?? messageOf(error),
      cause: error,
    });
  });
  const cues = parseSubtitles(decodeSubtitles(bytes));
  if (cues.length > 0) return cues;
  throw new ClipctlError('rejected', `no subtitles in ${basename(path)}`, {
    reason: `no line of the form 00:00:01,000 --> 00:00:02,000 with text under it was found (${extname(path) || 'no'} ending)`,
    hint: 'give a .srt or .vtt file',
  });
}

async function extractCues(
  tools: MediaTools,
  path: string,
  stream: SubtitleStream,
  workDir: string,
  signal: AbortSignal | undefined,
): Promise<Cue[]> {
  const out = join(workDir, 'embedded.srt');
  const input = ['-v', 'error', ...SAFE_INPUT, '-i', fileArgument(path)];
  const output = ['-map', `0:s:${stream.subtitleIndex}`, '-c:s', 'srt', '-f', 'srt', fileArgument(out)];
  try {
    await runFfmpeg(tools.ffmpegPath, [...input, ...output], { signal, timeoutMs: EXTRACT_TIMEOUT_MS });
  } catch (error) {
    // A damaged subtitle track must not cost the clips: they are made without words, and said so.
    if (failureOf(error) === undefined) throw error;
    return [];
  }
  return parseSubtitles(decodeSubtitles(await readFile(out)));
}

/** Cues as sentences and words. Cues outside the video are left out; a cue's words share its time by their letters. */
export function transcribe(
  source: Exclude<Transcript['source'], 'none'>,
  cues: readonly Cue[],
  durationSec: number,
): Transcript {
  const inside = cues
    .filter((cue) => cue.startSec < durationSec - 0.05)
    .map((cue) => ({ ...cue, endSec: Math.min(cue.endSec, durationSec) }));
  if (inside.length === 0) return noWords('every subtitle lies after the end of the video');
  const cueWords = inside.map(wordsOfCue);
  const words = cueWords.flat();
  return { source, words, sentences: sentencesOf(inside, cueWords, words), notes: [] };
}

function wordsOfCue(cue: Cue, cueNumber: number): Word[] {
  const texts = cue.text.split(' ');
  // One letter's time for the space keeps short words from vanishing.
  const total = texts.reduce((sum, text) => sum + text.length + 1, 0);
  const perLetter = (cue.endSec - cue.startSec) / total;
  let at = cue.startSec;
  return texts.map((text, index) => {
    const startSec = at;
    at = index === texts.length - 1 ? cue.endSec : at + (text.length + 1) * perLetter;
    return { text, startSec, endSec: at, cue: cueNumber };
  });
}

const ABBREVIATION =
  /^(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|approx|no|inc|ltd|fig|jr|sr|gen|col|capt|a\.m|p\.m|u\.s|\p{L})\.$/iu;

function endsSentence(word: string, next: string | undefined): boolean {
  const bare = word.replace(/["'”’»)\]]+$/u, '');
  if (/[。！？]$/u.test(bare)) return true;
  if (!/[.?!…]$/u.test(bare)) return false;
  if (next === undefined) return true;
  if (/[?!]$/u.test(bare)) return !/^\p{Ll}/u.test(next);
  return !ABBREVIATION.test(bare) && !/^\p{Ll}/u.test(next);
}

function sentencesOf(cues: readonly Cue[], cueWords: readonly Word[][], words: readonly Word[]): Sentence[] {
  const marks = words.filter((word, index) => endsSentence(word.text, words[index + 1]?.text)).length;
  const isBare = marks * 30 < words.length;
  const sentences: Sentence[] = [];
  let firstWord = 0;
  let index = 0;
  const close = (lastWord: number) => {
    const said = words.slice(firstWord, lastWord + 1);
    const first = said[0];
    const last = said.at(-1);
    if (first === undefined || last === undefined) return;
    const text = said.map((word) => word.text).join(' ');
    sentences.push({ text, startSec: first.startSec, endSec: last.endSec, firstWord, lastWord });
    firstWord = lastWord + 1;
  };
  for (const [cueIndex, mine] of cueWords.entries()) {
    for (const [position, word] of mine.entries()) {
      const next = words[index + 1];
      const gapSec = next === undefined ? Number.POSITIVE_INFINITY : next.startSec - word.endSec;
      const atCueEnd = position === mine.length - 1;
      const speakerChanges = atCueEnd && cues[cueIndex + 1]?.newSpeaker === true;
      const bareEnd = isBare && atCueEnd && (gapSec >= BARE_GAP_SEC || index - firstWord + 1 >= BARE_WORDS);
      if (endsSentence(word.text, next?.text) || gapSec >= SENTENCE_GAP_SEC || speakerChanges || bareEnd)
        close(index);
      index += 1;
    }
  }
  return sentences;
}
