/**
 * Shapes the media engine hands from one step to the next. All times are seconds from the start of the source.
 * The preference shapes repeat the members of the API's curationPref and renderPref that the engine reads, all
 * optional, so that an API object can be passed as it is.
 */

/** Absolute paths (or names on the PATH) of the two programs. */
/** A speech recogniser the user has: whisper.cpp's command line and one of its models. */
export interface Recogniser {
  programPath: string;
  modelPath: string;
}
export interface MediaTools {
  ffmpegPath: string;
  ffprobePath: string;
  recogniser?: Recogniser | undefined;
}

export interface SubtitleStream {
  /** Index among the subtitle streams, for ffmpeg's `0:s:N`. */
  subtitleIndex: number;
  codec: string;
  language: string | null;
  /** Whether it holds text (and not pictures). */
  isText: boolean;
}

/** What ffprobe says about a file that has a picture. Width and height are as shown, rotation applied. */
export interface MediaInfo {
  durationSec: number;
  /** The length the file names, when less of it is there. */
  claimedSec?: number | undefined;
  width: number;
  height: number;
  /** Degrees clockwise the decoder turns the picture by: 0, 90, 180 or 270. */
  rotationDeg: number;
  /** Frames a second; of the fastest part where that varies. */
  fps: number;
  hasVideo: true;
  hasAudio: boolean;
  videoCodec: string;
  audioCodec: string | null;
  pixelFormat: string;
  /** Whether the transfer curve is PQ or HLG. */
  isHdr: boolean;
  formatName: string;
  sizeBytes: number;
  subtitleStreams: SubtitleStream[];
}

/** One word. Times come from its cue by character share unless the source has better ones. */
export interface Word {
  text: string;
  startSec: number;
  endSec: number;
  /** Number of the subtitle it was read from: a cue's own times are exact, those inside it are estimates. */
  cue: number;
}

/** One whole sentence. `firstWord`..`lastWord` (inclusive) are indexes into the transcript's words. */
export interface Sentence {
  text: string;
  startSec: number;
  endSec: number;
  firstWord: number;
  lastWord: number;
}

export interface Transcript {
  source: 'sidecar' | 'embedded' | 'recogniser' | 'none';
  sentences: Sentence[];
  words: Word[];
  /** What a person should know, e.g. why there are no words. */
  notes: string[];
}

export interface Span {
  startSec: number;
  endSec: number;
}

/** What one pass over the file heard and saw. */
export interface Analysis {
  silences: Span[];
  /** Every quiet moment of 60 ms or more, the silences among them: where a word may end. */
  dips: Span[];
  /** Sound between the silences. Empty for a file without audio. */
  speechRuns: Span[];
  /** Level in dB of full scale, one value each 0.2 s, in time order. Empty without audio. */
  loudness: { atSec: number; levelDb: number }[];
  /** Where the picture changes for good. */
  sceneCutsSec: number[];
}

/** Why a moment was chosen, in numbers. Each feature is worth its own sign: penalties are negative. */
export interface Moment {
  startSec: number;
  endSec: number;
  score: number;
  features: Record<string, number>;
  /** One sentence for a person. */
  reason: string;
  title: string;
  text: string;
}

/** The members of the API's `curationPref` that choose moments. */
export interface CurationOptions {
  clipDurations?: readonly (readonly [number, number])[] | undefined;
  topicKeywords?: readonly string[] | undefined;
  range?: { startSec: number; endSec: number } | null | undefined;
  genre?: string | undefined;
  enableAutoHook?: boolean | undefined;
  model?: string | undefined;
  customPrompt?: string | undefined;
  skipCurate?: boolean | undefined;
  skipSlicing?: boolean | undefined;
  forceStrategy?: string | undefined;
}

/** The members of the API's FontDto that captions use. */
export interface FontOptions {
  color: string;
  style: readonly string[];
  family: string;
  stroke: { enabled: boolean; color: string; width: number };
  shadow: {
    enabled: boolean;
    color: string;
    x: number;
    y: number;
    blur: number;
    useWordHighlightColor?: boolean | undefined;
  };
  path?: string | undefined;
  type?: string | undefined;
  size?: string | undefined;
  numericalSize?: number | undefined;
  textDecoration?: string | undefined;
}

/** The members of the API's `renderPref` that make the picture. Others are accepted and reported as notes. */
export interface RenderOptions {
  layoutAspectRatio?: string | undefined;
  enableAutoLayout?: boolean | undefined;
  enableScreenLayout?: boolean | undefined;
  enableCrop?: boolean | undefined;
  enableCaption?: boolean | undefined;
  enableUppercase?: boolean | undefined;
  enableHighlight?: boolean | undefined;
  enableEmoji?: boolean | undefined;
  enableFillLayout?: boolean | undefined;
  enableSplitLayout?: boolean | undefined;
  enableThreeLayout?: boolean | undefined;
  enableFourLayout?: boolean | undefined;
  enableFitLayout?: boolean | undefined;
  enableWatermark?: boolean | undefined;
  enableBroll?: boolean | undefined;
  fitLayoutCropRatio?: string | undefined;
  font?: FontOptions | undefined;
  highlightColor?: { primary: string; secondary: string } | undefined;
  quickstartConfig?: { enableRemoveFillerWords?: boolean | undefined } | undefined;
  skipReframe?: boolean | null | undefined;
  disableFitLayout?: boolean | null | undefined;
  disableFillLayout?: boolean | null | undefined;
  [member: string]: unknown;
}

/** A finished clip on disk. */
export interface RenderedClip {
  path: string;
  durationSec: number;
  width: number;
  height: number;
  sizeBytes: number;
  /** What was asked and not done, or done differently, each one sentence. */
  notes: string[];
}
