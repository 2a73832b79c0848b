import { ClipctlError } from '../../errors.js';
import type { MediaInfo, MediaTools } from './media-types.js';
import { SAFE_INPUT } from './probe.js';
import { fileArgument, runForOutput } from './run-ffmpeg.js';

const SCAN_TIMEOUT_MS = 600_000;
/** Where the end is looked for before the whole file is read. */
const TAIL_SEC = 10;
/** How far picture and sound may end before the file does. */
const SLACK_SEC = 0.5;

/**
 * A file that was cut off still names its whole length: `durationSec` becomes that of what is there, and
 * `claimedSec` says what the file names. Decodes nothing; reads the file only when its end is not there.
 * @throws ClipctlError `rejected` when nothing of it can be read.
 */
export async function believeLength(
  tools: MediaTools,
  path: string,
  info: MediaInfo,
  signal: AbortSignal,
): Promise<MediaInfo> {
  const { durationSec } = info;
  const isWhole = (endSec: number) => endSec >= durationSec - SLACK_SEC;
  // Some ffprobe finds nothing in an interval without an end.
  const tailOnly = `${Math.max(0, durationSec - TAIL_SEC).toFixed(3)}%+${TAIL_SEC * 2}`;
  const tail = await packetsEnd(tools, path, ['-read_intervals', tailOnly], signal);
  if (tail.endSec !== undefined && isWhole(tail.endSec)) return info;
  const all = await packetsEnd(tools, path, [], signal);
  // Some containers know no times: they are believed.
  if (all.endSec === undefined ? all.count > 0 : isWhole(all.endSec)) return info;
  if (all.endSec === undefined || all.endSec < SLACK_SEC) {
    throw new ClipctlError('rejected', 'not a video: nothing of it can be read');
  }
  return { ...info, durationSec: all.endSec, claimedSec: durationSec };
}

/** What a person should know of a video whose end is missing. */
export function cutOffNotes({ durationSec, claimedSec }: MediaInfo): string[] {
  if (claimedSec === undefined) return [];
  return [
    `the video may be damaged or cut off: it says ${claimedSec.toFixed(1)} s, but picture and sound end after ${durationSec.toFixed(1)} s`,
  ];
}

/** When the last packet of picture or sound ends, in seconds of the video, and how many there are. */
async function packetsEnd(
  tools: MediaTools,
  path: string,
  which: readonly string[],
  signal: AbortSignal,
): Promise<{ endSec: number | undefined; count: number }> {
  const entries = 'packet=codec_type,pts_time,dts_time,duration_time:format=start_time';
  const args = [
    ...['-v', 'quiet', ...SAFE_INPUT, ...which],
    ...['-show_entries', entries, '-of', 'csv', fileArgument(path)],
  ];
  const out = await runForOutput(tools.ffprobePath, args, { signal, timeoutMs: SCAN_TIMEOUT_MS });
  let [last, startSec, count] = [Number.NEGATIVE_INFINITY, 0, 0];
  for (const line of out.split('\n')) {
    const [section, first = '', pts = '', dts = '', length = ''] = line.split(',');
    if (section === 'format') startSec = Number.parseFloat(first) || 0;
    if (section !== 'packet' || (first !== 'video' && first !== 'audio')) continue;
    count += 1;
    const at = [pts, dts].map(Number.parseFloat).find(Number.isFinite);
    if (at !== undefined) last = Math.max(last, at + (Number.parseFloat(length) || 0));
  }
  return { endSec: Number.isFinite(last) ? last - startSec : undefined, count };
}
