import { rename, rm, stat } from 'node:fs/promises';
import { ClipctlError } from '../../errors.js';
import type { CensoredSpan } from './censor-words.js';
import type { MediaTools } from './media-types.js';
import { probeMedia, SAFE_INPUT } from './probe.js';
import { fileArgument, runFfmpeg } from './run-ffmpeg.js';

const BEEP_HZ = 1000;
/** How far the finished file may be from the clip before it is not believed. */
const LENGTH_SLACK_SEC = 0.35;

export interface CensorRequest {
  /** A finished clip. */
  clipPath: string;
  /** What must not be heard. */
  spans: readonly CensoredSpan[];
  /** Written as `<outPath>.part` first, renamed when it is whole. */
  outPath: string;
  signal?: AbortSignal | undefined;
  onProgress?: ((fraction: number) => void) | undefined;
}

/**
 * Silences parts of a finished clip or beeps over them. The picture is copied, not encoded again.
 * @throws ClipctlError `rejected` when the clip has no sound, `service` when ffmpeg fails.
 */
export async function censorClip(
  tools: MediaTools,
  { clipPath, spans, outPath, signal, onProgress }: CensorRequest,
): Promise<{ durationSec: number; width: number; height: number; sizeBytes: number }> {
  const info = await probeMedia(tools, clipPath, { signal });
  if (!info.hasAudio) throw new ClipctlError('rejected', 'the clip has no sound to censor');
  const partPath = `${outPath}.part`;
  const args = [
    ...[...SAFE_INPUT, '-i', fileArgument(clipPath)],
    ...['-filter_complex', censorGraph(spans, info.durationSec), '-map', '0:v:0', '-map', '[aout]'],
    ...['-c:v', 'copy', '-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-sn', '-dn'],
    ...['-movflags', '+faststart', '-f', 'mp4', fileArgument(partPath)],
  ];
  try {
    await runFfmpeg(tools.ffmpegPath, args, {
      signal,
      timeoutMs: 120_000 + info.durationSec * 5000,
      expectedSec: info.durationSec,
      onProgress,
    });
    const made = await probeMedia(tools, partPath, { signal });
    if (Math.abs(made.durationSec - info.durationSec) > LENGTH_SLACK_SEC) {
      throw new ClipctlError('service', 'the censored clip has not the length of the clip');
    }
    await rename(partPath, outPath);
    const { size } = await stat(outPath);
    return { durationSec: made.durationSec, width: made.width, height: made.height, sizeBytes: size };
  } catch (error) {
    await rm(partPath, { force: true });
    throw error;
  }
}

/** Sound of the clip with the spans silenced; `sine` alone is too quiet, and `amix` halves both of its inputs. */
function censorGraph(spans: readonly CensoredSpan[], durationSec: number): string {
  const silenced = `[0:a:0]volume=0:enable='${during(spans)}'`;
  const beeped = spans.filter(({ beep }) => beep);
  if (beeped.length === 0) return `${silenced}[aout]`;
  const tone = `sine=frequency=${BEEP_HZ}:sample_rate=48000:duration=${(durationSec + 1).toFixed(3)}`;
  return [
    `${silenced}[quiet]`,
    `${tone},volume=3,volume=0:enable='not(${during(beeped)})'[beep]`,
    '[quiet][beep]amix=inputs=2:duration=first,volume=2[aout]',
  ].join(';');
}

function during(spans: readonly CensoredSpan[]): string {
  return spans
    .map(({ startSec, endSec }) => `between(t,${startSec.toFixed(3)},${endSec.toFixed(3)})`)
    .join('+');
}
