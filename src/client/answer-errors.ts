import { ClipctlError, type ErrorDetails, type ErrorKind } from '../errors.js';
import type { Answer } from './exchange.js';
import { parseRetryAfterMs } from './retry.js';

/** Headers that services name a request by; the document shows none, so the usual ones are looked for. */
const REQUEST_ID_HEADERS = ['x-request-id', 'x-amzn-requestid', 'x-correlation-id', 'cf-ray', 'x-trace-id'];
const SHOWN_BODY_CHARS = 300;

export function requestIdOf(answer: Pick<Answer, 'headers'>): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const value = answer.headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** The body's JSON value, or undefined when it is none. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** What an error body says: the documented pair, else the usual members, else its first 300 characters. */
export function readErrorBody(body: Buffer): { errorName?: string; errorMessage?: string } {
  const value = parseJson(body);
  if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    const text = (name: string) =>
      typeof members[name] === 'string' ? (members[name] as string) : undefined;
    const nested =
      typeof members.error === 'object' && members.error !== null
        ? (members.error as Record<string, unknown>)
        : {};
    const nestedText = typeof nested.message === 'string' ? nested.message : undefined;
    const errorName = text('errorName');
    const message =
      text('errorMessage') ??
      text('message') ??
      text('error') ??
      nestedText ??
      text('detail') ??
      text('title');
    if (errorName !== undefined || message !== undefined) return { errorName, errorMessage: message };
  }
  const start = body.toString('utf8').trim().slice(0, SHOWN_BODY_CHARS);
  return start === '' ? {} : { errorMessage: start };
}

/** The one error name of the interface document; it counts whatever the status. */
const QUOTA_ERROR = 'QuotaExceed';

interface AnswerContext {
  /** What was asked, for the message: `POST /api/collections`. */
  what: string;
  /** Not in the interface document: a 404, 405 or 501 may mean that this service does not offer it. */
  undocumented: boolean;
  nowMs: number;
}

/** The error of an answer that is not a success. */
export function errorOfAnswer(answer: Answer, context: AnswerContext): ClipctlError {
  const { errorName, errorMessage } = readErrorBody(answer.body);
  const kind = errorName === QUOTA_ERROR ? 'quota' : kindOfStatus(answer.status, context.undocumented);
  const details: ErrorDetails = {
    httpStatus: answer.status,
    errorName,
    errorMessage,
    requestId: requestIdOf(answer),
    retryAfterMs: parseRetryAfterMs(answer.headers['retry-after'], context.nowMs),
    hint: hintOf(kind, answer, context),
  };
  return new ClipctlError(kind, messageOfAnswer(kind, answer, context), details);
}

function kindOfStatus(status: number, undocumented: boolean): ErrorKind {
  if (status === 401) return 'auth';
  if (status === 403) return 'forbidden';
  if (status === 404 || status === 410) return 'not-found';
  if (undocumented && isNotOffered(status)) return 'not-found';
  if (status === 429) return 'rate-limited';
  if (status >= 400 && status < 500) return 'rejected';
  return 'service';
}

/** A 404 may be of the id, too. */
function isNotOffered(status: number): boolean {
  return status === 405 || status === 501;
}

function messageOfAnswer(kind: ErrorKind, answer: Answer, context: AnswerContext): string {
  const { status } = answer;
  const where = `(${context.what}: HTTP ${status})`;
  if (status >= 300 && status < 400)
    return `the service answered with a redirect, which is not followed ${where}`;
  switch (kind) {
    case 'auth':
      return `the service refused the API key ${where}`;
    case 'forbidden':
      return `the key may not do this ${where}`;
    case 'not-found':
      if (!context.undocumented) return `not found ${where}`;
      return `${isNotOffered(status) ? '' : 'not found, or '}not offered by this service ${where}`;
    case 'rate-limited':
      return `rate limited by the service ${where}`;
    case 'quota':
      return `a quota of the account is used up ${where}`;
    case 'rejected':
      return `the service rejected the request ${where}`;
    default:
      return `the service failed ${where}`;
  }
}

function hintOf(kind: ErrorKind, answer: Answer, context: AnswerContext): string | undefined {
  if (answer.status >= 300 && answer.status < 400) {
    return 'check the base address: clipctl config list --origin';
  }
  switch (kind) {
    case 'auth':
      return 'log in again: clipctl auth login';
    case 'forbidden':
      return 'ask the owner of the organization for the permission, or use another key';
    case 'not-found':
      if (!context.undocumented) return 'check the id: clipctl history list';
      return `${isNotOffered(answer.status) ? '' : 'check the id; '}this endpoint is not in the interface document, its path can be set: clipctl help ids`;
    case 'rate-limited':
      return 'wait a little and run it again, or do less at once';
    case 'quota':
      return 'remove what is not needed, or ask for a larger plan';
    case 'service':
      return 'run it again later; clipctl doctor checks the connection';
    default:
      return undefined;
  }
}
