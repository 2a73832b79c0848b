/**
 * What an upload or a download tells while it runs. Versioned (`v: 1`): `--progress json` prints these as they are,
 * so members are only added. Sizes in bytes, rates in bytes a second, waits in milliseconds.
 *
 * `acceptedBytes` is what the storage has: its own word after every question, and while a PUT runs what has left
 * this machine for certain (see IN_FLIGHT_BYTES). `sentBytes` counts every body byte handed to the network in this
 * run, those sent twice twice. Time left is the receiver's to compute: (total - accepted) / rate.
 */
export type UploadEvent = { v: 1; path: string } & (
  | { type: 'start'; totalBytes: number }
  | { type: 'resumed'; acceptedBytes: number; totalBytes: number; sameRun: boolean }
  | { type: 'progress'; acceptedBytes: number; sentBytes: number; totalBytes: number; bytesPerSec: number }
  | {
      type: 'retry';
      reason: string;
      waitMs: number;
      triesWithoutProgress: number;
      acceptedBytes: number;
      totalBytes: number;
    }
  | { type: 'finalizing'; totalBytes: number }
  | {
      type: 'done';
      totalBytes: number;
      sentBytes: number;
      uploadId?: string;
      projectId?: string;
      resumed: boolean;
    }
  | { type: 'error'; code: string; message: string }
);

/** An event without what every event has. */
export type EventOf<E extends { v: 1; path: string }> = E extends unknown ? Omit<E, 'v' | 'path'> : never;

/** What a download tells; `path` is the file it makes. `totalBytes` is absent while it is not known. */
export type DownloadEvent = { v: 1; path: string } & (
  | { type: 'start'; totalBytes?: number }
  | { type: 'resumed'; receivedBytes: number; totalBytes?: number }
  | { type: 'progress'; receivedBytes: number; totalBytes?: number; bytesPerSec: number }
  | { type: 'retry'; reason: string; waitMs: number; triesWithoutProgress: number; receivedBytes: number }
  | { type: 'done'; totalBytes: number }
  | { type: 'error'; code: string; message: string }
);
