import { ClipctlError } from '../../errors.js';
import type { MediaInfo, MediaTools, SubtitleStream } from './media-types.js';
import { failureOf, fileArgument, LOCAL_ONLY, runForOutput } from './run-ffmpeg.js';

const PROBE_TIMEOUT_MS = 60_000;
const PACKET_SCAN_TIMEOUT_MS = 600_000;

/**
 * Containers that are one file of their own. Everything that can name other files or addresses (hls, dash, concat,
 * sdp, image sequences …) is left out. Audio containers are here so that an audio file is told "no picture" and
 * not "unreadable".
 */
const ALLOWED_FORMATS =
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,flv,live_flv,mpegts,mpeg,mpegvideo,asf,ogg,mxf,rm,ivf,h264,hevc,m4v,dv,gxf,nut,swf,wtv,' +
  'mp3,wav,flac,aac,aiff,ac3,amr';

/** 8K of cinemas. One picture of 16000 × 16000 takes a decoder a gigabyte. */
const MAX_WIDTH = 8192;
const MAX_HEIGHT = 4320;
const MAX_PIXELS = MAX_WIDTH * MAX_HEIGHT;

/**
 * Input options for every file of a user: only local, only containers that cannot point elsewhere, and no picture
 * that takes all memory, whatever size the container names.
 */
export const SAFE_INPUT = [
  ...LOCAL_ONLY,
  ...['-format_whitelist', ALLOWED_FORMATS, '-max_pixels', String(MAX_PIXELS)],
] as const;

const TEXT_SUBTITLES = new Set([
  'mov_text',
  'subrip',
  'srt',
  'ass',
  'ssa',
  'webvtt',
  'text',
  'microdvd',
  'subviewer',
]);

interface ProbedStream {
  codec_type?: string;
  codec_name?: string;
  width?: number;
  height?: number;
  sample_aspect_ratio?: string;
  avg_frame_rate?: string;
  r_frame_rate?: string;
  duration?: string;
  pix_fmt?: string;
  color_transfer?: string;
  channels?: number;
  tags?: Record<string, string>;
  side_data_list?: { rotation?: number | string }[];
  disposition?: { attached_pic?: number };
}

interface Probed {
  /** Size of a picture that no decoder was let have. */
  refusedSize?: string | undefined;
  streams?: ProbedStream[];
  format?: { duration?: string; start_time?: string; format_name?: string; size?: string };
}

/**
 * What ffprobe says about a local file.
 * @throws ClipctlError `rejected` ("not a video: …") when the file has no moving picture or cannot be read.
 */
export async function probeMedia(
  tools: MediaTools,
  path: string,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<MediaInfo> {
  const probed = await askFfprobe(tools, path, signal);
  const streams = probed.streams ?? [];
  const video = streams.find(
    (s) => s.codec_type === 'video' && s.disposition?.attached_pic !== 1 && (s.width ?? 0) > 0,
  );
  if (video === undefined) {
    throw probed.refusedSize === undefined ? notVideo(whyNoPicture(streams)) : tooLarge(probed.refusedSize);
  }
  const audio = streams.find(
    (s) => s.codec_type === 'audio' && (s.channels ?? 1) > 0 && s.codec_name !== undefined,
  );
  const durationSec =
    containerSeconds(probed.format) ??
    seconds(video.duration) ??
    (await durationFromPackets(tools, path, signal));
  if (!(durationSec > 0)) throw notVideo('it has no length');
  const rotationDeg = rotationOf(video);
  const shown = shownSize(video, rotationDeg);
  if (shown.width * shown.height > MAX_PIXELS) throw tooLarge(`${shown.width}x${shown.height}`);
  return {
    durationSec,
    ...shown,
    rotationDeg,
    fps: frameRate(video),
    hasVideo: true,
    hasAudio: audio !== undefined,
    videoCodec: video.codec_name ?? 'unknown',
    audioCodec: audio?.codec_name ?? null,
    pixelFormat: video.pix_fmt ?? 'unknown',
    isHdr: video.color_transfer === 'smpte2084' || video.color_transfer === 'arib-std-b67',
    formatName: probed.format?.format_name ?? 'unknown',
    sizeBytes: Number(probed.format?.size ?? 0),
    subtitleStreams: subtitleStreams(streams),
  };
}

async function askFfprobe(tools: MediaTools, path: string, signal: AbortSignal | undefined): Promise<Probed> {
  const args = [
    '-v',
    'error',
    ...SAFE_INPUT,
    '-of',
    'json',
    '-show_streams',
    '-show_format',
    fileArgument(path),
  ];
  let refusedSize: string | undefined;
  const onStderrLine = (line: string) => {
    refusedSize ??= /Picture size (\d+x\d+) exceeds/.exec(line)?.[1];
  };
  const options = { signal, timeoutMs: PROBE_TIMEOUT_MS, onStderrLine };
  try {
    return { ...parseProbed(await runForOutput(tools.ffprobePath, args, options)), refusedSize };
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    if (refusedSize !== undefined) throw tooLarge(refusedSize);
    const lastLine = failure.stderrTail.trim().split('\n').at(-1) ?? '';
    throw notVideo(
      lastLine.replace(fileArgument(path), '').replace(/^[\s:]+/, '') || 'it cannot be read',
      error,
    );
  }
}

function parseProbed(text: string): Probed {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    throw new ClipctlError('service', 'ffprobe answered with something that is not JSON', { cause: error });
  }
}

function notVideo(reason: string, cause?: unknown): ClipctlError {
  return new ClipctlError('rejected', `not a video: ${reason}`, {
    reason: 'the file must hold a moving picture in a common container (MP4, MOV, MKV, WebM, AVI, MPEG …)',
    ...(cause === undefined ? {} : { cause }),
  });
}

function tooLarge(size: string): ClipctlError {
  return new ClipctlError('rejected', `the picture is too large: ${size.replace('x', ' × ')}`, {
    reason: `the largest that is taken is ${MAX_WIDTH} × ${MAX_HEIGHT}`,
  });
}

function whyNoPicture(streams: ProbedStream[]): string {
  if (streams.some((s) => s.codec_type === 'audio')) return 'it has sound, but no moving picture';
  return 'it has no video stream';
}

function seconds(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Matroska counts its length from zero and not from its first picture; ffmpeg's times here count from that. */
function containerSeconds(format: Probed['format']): number | undefined {
  const whole = seconds(format?.duration);
  const startSec = format?.format_name?.includes('matroska') ? (seconds(format.start_time) ?? 0) : 0;
  return whole === undefined || startSec >= whole ? whole : whole - startSec;
}

/** Recordings of browsers carry no length: the last packet's time is it. Reads the file, decodes nothing. */
async function durationFromPackets(
  tools: MediaTools,
  path: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const args = ['-v', 'error', ...SAFE_INPUT, '-select_streams', 'v:0', '-show_entries', 'packet=pts_time'];
  const out = await runForOutput(tools.ffprobePath, [...args, '-of', 'csv=p=0', fileArgument(path)], {
    signal,
    timeoutMs: PACKET_SCAN_TIMEOUT_MS,
  });
  return out.split('\n').reduce((latest, line) => Math.max(latest, Number.parseFloat(line) || 0), 0);
}

function rotationOf(video: ProbedStream): number {
  const matrix = video.side_data_list?.find((data) => data.rotation !== undefined)?.rotation;
  // The display matrix counts counter-clockwise, the old `rotate` tag clockwise.
  const clockwise = matrix === undefined ? Number(video.tags?.rotate ?? 0) : -Number(matrix);
  const turned = ((Math.round(clockwise / 90) * 90) % 360) + 360;
  return Number.isFinite(turned) ? turned % 360 : 0;
}

function shownSize(video: ProbedStream, rotationDeg: number): { width: number; height: number } {
  const pixelAspect = ratio(video.sample_aspect_ratio) ?? 1;
  const width = Math.max(2, Math.round((video.width ?? 2) * pixelAspect));
  const height = Math.max(2, video.height ?? 2);
  return rotationDeg % 180 === 0 ? { width, height } : { width: height, height: width };
}

function ratio(text: string | undefined): number | undefined {
  const [a, b] = (text ?? '').split(/[:/]/).map(Number);
  return a !== undefined && b !== undefined && a > 0 && b > 0 ? a / b : undefined;
}

/** Sources that are faster at times are not taken as faster than this. */
const MAX_VARIABLE_FPS = 60;

/**
 * The average rate, but where the rate varies that of the fastest part, or that would lose its pictures. Twice the
 * average is no such rate: interlaced video counts its fields. Nonsense (a 90 kHz time base) becomes 25.
 */
function frameRate(video: ProbedStream): number {
  const base = ratio(video.r_frame_rate) ?? 25;
  const average = ratio(video.avg_frame_rate) ?? base;
  const times = base / average;
  const isVariable = base <= 240 && times > 1.02 && Math.abs(times - 2) > 0.02;
  const rate = isVariable ? Math.max(average, Math.min(base, MAX_VARIABLE_FPS)) : average;
  return rate >= 1 && rate <= 480 ? rate : 25;
}

function subtitleStreams(streams: ProbedStream[]): SubtitleStream[] {
  return streams
    .filter((stream) => stream.codec_type === 'subtitle')
    .map((stream, subtitleIndex) => ({
      subtitleIndex,
      codec: stream.codec_name ?? 'unknown',
      language: stream.tags?.language ?? null,
      isText: TEXT_SUBTITLES.has(stream.codec_name ?? ''),
    }));
}
