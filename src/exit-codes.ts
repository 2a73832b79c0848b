import { CancelledError, ClipctlError, type ErrorKind } from './errors.js';

/** The one table of exit codes: `help exit-codes`, the README check and the error report read it. */
export const EXIT_CODES = [
  { code: 0, kinds: [], meaning: 'done' },
  { code: 1, kinds: ['internal'], meaning: 'unexpected: a bug' },
  {
    code: 2,
    kinds: ['usage'],
    meaning: 'usage: a bad flag, value, id, preference file or local file; nothing was sent',
  },
  {
    code: 3,
    kinds: ['auth'],
    meaning: 'no key, or the service refused it (401); the stored key belongs to another base address',
  },
  { code: 4, kinds: ['forbidden'], meaning: 'forbidden (403)' },
  { code: 5, kinds: ['not-found'], meaning: 'not found (404, 410), or not offered by this service' },
  { code: 6, kinds: ['rate-limited'], meaning: 'rate limited (429) after retries' },
  {
    code: 7,
    kinds: ['rejected', 'quota'],
    meaning: 'rejected by the service (other 4xx; QuotaExceed whatever its status)',
  },
  {
    code: 8,
    kinds: ['service', 'network'],
    meaning:
      'service or network fault after retries: 5xx, DNS, TLS, refused, a redirect from the API, an answer that breaks the document',
  },
  {
    code: 9,
    kinds: ['unfinished'],
    meaning: 'unfinished: the upload is kept and resumable, or the wait deadline passed; run again to go on',
  },
  {
    code: 10,
    kinds: ['outcome-unknown'],
    meaning: 'outcome unknown: a request that must not be repeated was sent and its answer was lost',
  },
  {
    code: 11,
    kinds: ['job-failed'],
    meaning: 'the job failed: project STALLED, censor error, copy error',
  },
  { code: 12, kinds: ['partial'], meaning: 'some items of a batch failed' },
  { code: 130, kinds: ['cancelled'], meaning: 'interrupted (SIGINT, cancelled prompt)' },
  { code: 143, kinds: [], meaning: 'terminated (SIGTERM)' },
] as const satisfies readonly { code: number; kinds: readonly ErrorKind[]; meaning: string }[];

/** Where an error ends: its exit code by the table above. Anything that is not ours is a bug (1). */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CancelledError && error.signal === 'SIGTERM') return 143;
  const kind: ErrorKind = error instanceof ClipctlError ? error.kind : 'internal';
  return EXIT_CODES.find((row) => (row.kinds as readonly ErrorKind[]).includes(kind))?.code ?? 1;
}
