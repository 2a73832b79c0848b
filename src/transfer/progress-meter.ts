/** Numbers of a running transfer, in bytes. */
export interface MeterReading {
  acceptedBytes: number;
  sentBytes: number;
  bytesPerSec: number;
}

export interface ProgressMeter {
  /** What the other side has: absolute. */
  setAccepted(bytes: number): void;
  /** Bytes that moved just now: added up, and what the rate is made of. */
  addSent(bytes: number): void;
  readonly sentBytes: number;
  /** Tells the present numbers at once. */
  tell(): void;
  stop(): void;
}

/** Four times a second: people see it move, logs stay readable. */
const INTERVAL_MS = 250;
/** The rate is that of the last seconds, so that it follows the line and does not jump. */
const WINDOW_MS = 5000;
const IDLE_TELL_MS = 1000;

/** Measures one transfer and tells of it when something moved, else once a second. `now` in milliseconds. */
export function createMeter(now: () => number, onReading: (reading: MeterReading) => void): ProgressMeter {
  let acceptedBytes = 0;
  let sentBytes = 0;
  let toldMs = Number.NEGATIVE_INFINITY;
  let toldBytes = -1;
  const samples: { atMs: number; sentBytes: number }[] = [{ atMs: now(), sentBytes: 0 }];

  const rate = () => {
    const atMs = now();
    samples.push({ atMs, sentBytes });
    while (samples.length > 2 && (samples[1]?.atMs ?? atMs) < atMs - WINDOW_MS) samples.shift();
    const first = samples[0];
    if (!first || atMs <= first.atMs) return 0;
    return Math.round(((sentBytes - first.sentBytes) / (atMs - first.atMs)) * 1000);
  };
  const tell = () => {
    toldMs = now();
    toldBytes = sentBytes;
    onReading({ acceptedBytes, sentBytes, bytesPerSec: rate() });
  };
  const timer = setInterval(() => {
    if (sentBytes !== toldBytes || now() - toldMs >= IDLE_TELL_MS) tell();
  }, INTERVAL_MS);
  timer.unref();
  return {
    setAccepted(bytes) {
      acceptedBytes = bytes;
    },
    addSent(bytes) {
      sentBytes += bytes;
    },
    get sentBytes() {
      return sentBytes;
    },
    tell,
    stop: () => clearInterval(timer),
  };
}
