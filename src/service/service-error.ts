import { ERROR_NAMES, type ErrorName } from '../api/wire.js';

/** A refusal with its public name. Only these reach a caller in words; anything else is answered as InternalError. */
export class ServiceError extends Error {
  readonly errorName: ErrorName;
  readonly status: number;
  /** Extra answer headers, lower case. */
  readonly headers: Record<string, string>;

  constructor(errorName: ErrorName, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'ServiceError';
    this.errorName = errorName;
    this.status = ERROR_NAMES[errorName];
    this.headers = headers;
  }
}

/** The documented error body `{errorName, errorMessage}`. */
export function errorBody(errorName: string, errorMessage: string): string {
  return JSON.stringify({ errorName, errorMessage });
}
