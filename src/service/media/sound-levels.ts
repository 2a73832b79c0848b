import type { Span } from './media-types.js';

/** Samples a second of the audio the analysis listens to (16-bit mono). */
export const LISTEN_RATE = 16_000;
/** Length of one level, in seconds. */
const FRAME_SEC = 0.02;
const FRAME_SAMPLES = LISTEN_RATE * FRAME_SEC;
const SILENT_DB = -90;
/** A pause shorter than this is part of speaking. */
const MIN_SILENCE_SEC = 0.2;
/** The shortest quiet that can lie between two words. */
const MIN_DIP_SEC = 0.06;
/** A sound shorter than this between two silences is a click or a breath. */
const MIN_SOUND_SEC = 0.08;
const LOUDNESS_STEP_SEC = 0.2;

/** Collects 16-bit mono samples as they come and keeps one level (dB of full scale) a frame of 20 ms. */
export class LevelMeter {
  private readonly levels: number[] = [];
  private odd: Buffer | undefined;
  private energy = 0;
  private count = 0;

  add(chunk: Buffer): void {
    const bytes = this.odd === undefined ? chunk : Buffer.concat([this.odd, chunk]);
    const even = bytes.length - (bytes.length % 2);
    this.odd = even < bytes.length ? Buffer.from(bytes.subarray(even)) : undefined;
    for (let at = 0; at < even; at += 2) {
      const sample = bytes.readInt16LE(at) / 32768;
      this.energy += sample * sample;
      this.count += 1;
      if (this.count === FRAME_SAMPLES) this.closeFrame();
    }
  }

  /** Seconds heard so far. */
  get heardSec(): number {
    return this.levels.length * FRAME_SEC;
  }

  /** All levels, the last partial frame included. */
  finish(): number[] {
    if (this.count > 0) this.closeFrame();
    return this.levels;
  }

  private closeFrame(): void {
    const db = 10 * Math.log10(this.energy / this.count + 1e-12);
    this.levels.push(Math.max(SILENT_DB, db));
    this.energy = 0;
    this.count = 0;
  }
}

/**
 * What counts as silence in this recording: between its quiet floor and its speaking level, because a fixed
 * threshold hears no pause in a noisy room and only pauses in a quiet recording. In dB of full scale.
 */
function silenceThresholdDb(levels: readonly number[]): number {
  const sorted = [...levels].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? SILENT_DB;
  const floor = Math.max(at(0.05), -75);
  const speaking = at(0.9);
  if (speaking - floor < 6) return floor - 1;
  return Math.min(speaking - 10, floor + Math.max(6, (speaking - floor) * 0.35));
}

/** Silences, the shorter dips too, and the sound between the silences, over 0..durationSec. */
export function splitBySilence(levels: readonly number[], durationSec: number) {
  const quiet = quietSpans(levels, silenceThresholdDb(levels), durationSec);
  const dips = quiet.filter((span) => span.endSec - span.startSec >= MIN_DIP_SEC);
  const silences = mergeNear(quiet, MIN_SOUND_SEC).filter(
    (span) => span.endSec - span.startSec >= MIN_SILENCE_SEC,
  );
  const speechRuns: Span[] = [];
  let at = 0;
  for (const silence of silences) {
    if (silence.startSec - at >= MIN_SOUND_SEC) speechRuns.push({ startSec: at, endSec: silence.startSec });
    at = silence.endSec;
  }
  if (durationSec - at >= MIN_SOUND_SEC) speechRuns.push({ startSec: at, endSec: durationSec });
  return { silences, dips, speechRuns };
}

/** Loudness in steps of 0.2 s, in dB of full scale. */
export function loudnessSteps(levels: readonly number[]): { atSec: number; levelDb: number }[] {
  const perStep = Math.round(LOUDNESS_STEP_SEC / FRAME_SEC);
  const steps: { atSec: number; levelDb: number }[] = [];
  for (let from = 0; from < levels.length; from += perStep) {
    const mine = levels.slice(from, from + perStep);
    const energy = mine.reduce((sum, db) => sum + 10 ** (db / 10), 0) / mine.length;
    steps.push({ atSec: from * FRAME_SEC, levelDb: 10 * Math.log10(energy) });
  }
  return steps;
}

function quietSpans(levels: readonly number[], threshold: number, durationSec: number): Span[] {
  const spans: Span[] = [];
  let from: number | undefined;
  for (let index = 0; index <= levels.length; index += 1) {
    // Sound that ends before the picture does is silence up to the end.
    const quiet = index < levels.length && (levels[index] ?? 0) < threshold;
    if (quiet) from ??= index;
    else if (from !== undefined) {
      const endSec = index === levels.length ? durationSec : Math.min(durationSec, index * FRAME_SEC);
      spans.push({ startSec: from * FRAME_SEC, endSec });
      from = undefined;
    }
  }
  const heardSec = levels.length * FRAME_SEC;
  if (heardSec < durationSec) spans.push({ startSec: heardSec, endSec: durationSec });
  return spans;
}

function mergeNear(spans: readonly Span[], gapSec: number): Span[] {
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last !== undefined && span.startSec - last.endSec < gapSec)
      last.endSec = Math.max(last.endSec, span.endSec);
    else merged.push({ ...span });
  }
  return merged;
}
