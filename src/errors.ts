/**
 * Every error a person may see, with the kind it had where it was born.
 * The kind decides the exit code (see exit-codes.ts); nothing ever matches on an error's words.
 */
export const ERROR_KINDS = [
  'usage',
  'auth',
  'forbidden',
  'not-found',
  'rate-limited',
  'rejected',
  'quota',
  'service',
  'network',
  'unfinished',
  'outcome-unknown',
  'job-failed',
  'partial',
  'cancelled',
  'internal',
] as const;

export type ErrorKind = (typeof ERROR_KINDS)[number];

export interface ErrorDetails {
  /** Why it happened, shown indented under the message. */
  reason?: string;
  /** What to do about it, shown after `fix:`. */
  hint?: string;
  /** HTTP status of the answer, when there was one. */
  httpStatus?: number;
  /** `errorName` of the service's error body. */
  errorName?: string;
  /** `errorMessage` of the service's error body. */
  errorMessage?: string;
  /** The service's id of the request, for its support. */
  requestId?: string;
  /** Seconds the service asked us to wait (`Retry-After`), when it did. */
  retryAfterMs?: number;
  cause?: unknown;
}

/** The one error class of the program. `kind` is its code under `--json`. */
export class ClipctlError extends Error {
  readonly kind: ErrorKind;
  readonly details: Omit<ErrorDetails, 'cause'>;

  constructor(kind: ErrorKind, message: string, { cause, ...details }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClipctlError';
    this.kind = kind;
    this.details = details;
  }
}

/** Bad input, found before anything was sent (exit 2). */
export function usageError(message: string, details?: ErrorDetails): ClipctlError {
  return new ClipctlError('usage', message, details);
}

/**
 * A person or the system stopped us. `signal` decides between exit 130 and 143.
 * It is also the `reason` of the AbortSignal that main.ts hands to everything.
 */
export class CancelledError extends ClipctlError {
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT', message = 'interrupted', details?: ErrorDetails) {
    super('cancelled', message, details);
    this.signal = signal;
  }
}

/** A system error's code (`ENOENT`, `ECONNRESET` …), or undefined. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The words of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
