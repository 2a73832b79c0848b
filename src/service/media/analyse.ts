import type { Analysis, MediaInfo, MediaTools } from './media-types.js';
import { SAFE_INPUT } from './probe.js';
import { fileArgument, runFfmpeg } from './run-ffmpeg.js';
import { LevelMeter, LISTEN_RATE, loudnessSteps, splitBySilence } from './sound-levels.js';

export interface AnalyseOptions {
  workDir: string;
  signal?: AbortSignal | undefined;
  /** Fraction 0..1 of the file read. */
  onProgress?: ((fraction: number) => void) | undefined;
}

/** Below this share of changed picture nothing is a cut, however calm the rest of the film is. */
const MIN_CUT_SCORE = 0.1;
const CUT_MAD_FACTOR = 6;

/**
 * One pass of one ffmpeg process: the sound at 16 kHz on stdout, the keyframes (and only those: decoding every
 * frame costs ten times as much) compared with each other on stderr. Works for files without sound.
 * @throws ClipctlError `service` when ffmpeg cannot read the file.
 */
export async function analyseMedia(
  tools: MediaTools,
  path: string,
  info: MediaInfo,
  { workDir, signal, onProgress }: AnalyseOptions,
): Promise<Analysis> {
  const meter = new LevelMeter();
  const scores: { atSec: number; score: number }[] = [];
  const report = (atSec: number) => onProgress?.(Math.min(1, atSec / info.durationSec));
  let frameSec: number | undefined;
  await runFfmpeg(tools.ffmpegPath, analysisArguments(path, info), {
    signal,
    cwd: workDir,
    timeoutMs: 60_000 + info.durationSec * 1000,
    onStdout: (chunk) => {
      meter.add(chunk);
      report(meter.heardSec);
    },
    onStderrLine: (line) => {
      frameSec = numberAfter(line, /pts_time:\s*(-?[\d.]+)/) ?? frameSec;
      const score = numberAfter(line, /lavfi\.scene_score=([\d.]+)/);
      if (score === undefined || frameSec === undefined) return;
      scores.push({ atSec: frameSec, score });
      if (!info.hasAudio) report(frameSec);
    },
  });
  onProgress?.(1);
  const levels = meter.finish();
  const sound =
    levels.length === 0
      ? { silences: [], dips: [], speechRuns: [] }
      : splitBySilence(levels, info.durationSec);
  return { ...sound, loudness: loudnessSteps(levels), sceneCutsSec: sceneCuts(scores) };
}

function analysisArguments(path: string, info: MediaInfo): string[] {
  const picture = "[0:v:0]scale=160:90,select='gte(scene,0)',metadata=print:key=lavfi.scene_score[v]";
  const sound = `[0:a:0]aresample=${LISTEN_RATE}:async=1:first_pts=0,aformat=sample_fmts=s16:channel_layouts=mono[a]`;
  // Sparse keyframes beside dense sound: the muxers must be allowed to wait for one another.
  const patient = ['-max_muxing_queue_size', '99999'];
  return [
    '-nostats',
    ...SAFE_INPUT,
    ...['-skip_frame', 'nokey', '-i', fileArgument(path)],
    ...['-filter_complex', info.hasAudio ? `${sound};${picture}` : picture],
    ...(info.hasAudio ? ['-map', '[a]', ...patient, '-f', 's16le', 'pipe:1'] : []),
    ...['-map', '[v]', ...patient, '-f', 'null', '-'],
  ];
}

function numberAfter(line: string, pattern: RegExp): number | undefined {
  const text = pattern.exec(line)?.[1];
  return text === undefined ? undefined : Number(text);
}

/**
 * Where the picture changes for good. The threshold is the file's own (median + k·MAD): true cuts of calm talks
 * score 0.10–0.22, so a fixed 0.3 finds none of them. Seconds, in order.
 */
function sceneCuts(scores: readonly { atSec: number; score: number }[]): number[] {
  const values = scores.slice(1).map(({ score }) => score);
  if (values.length < 2) return [];
  const middle = median(values);
  const spread = median(values.map((value) => Math.abs(value - middle)));
  const threshold = Math.max(MIN_CUT_SCORE, middle + CUT_MAD_FACTOR * spread);
  return scores
    .slice(1)
    .filter(({ score }) => score >= threshold)
    .map(({ atSec }) => atSec);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
