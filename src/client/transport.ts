import { fillPath, type HttpMethod, type Route } from '../api/route.js';
import { ClipctlError, type ErrorKind, errorCode, usageError } from '../errors.js';
import { VERSION } from '../version.js';
import { errorOfAnswer, parseJson, requestIdOf } from './answer-errors.js';
import type { Connector } from './connector.js';
import { type Answer, ExchangeError, exchange, isTlsFault, type OutgoingRequest } from './exchange.js';
import { backoffMs, sleep } from './retry.js';

export interface TransportOptions {
  baseUrl: string;
  apiKey: string;
  connector: Connector;
  /** Time limit of one request, answer included. */
  timeoutMs: number;
  /** How often a request that may be repeated is sent again. */
  retries: number;
  signal?: AbortSignal;
  /** Told of each request and answer, secrets redacted. */
  trace?: (event: TraceEvent) => void;
}

export type TraceEvent =
  | { type: 'request'; request: OutgoingRequest }
  | { type: 'answer'; request: OutgoingRequest; answer: Answer; durationMs: number }
  | { type: 'retry'; request: OutgoingRequest; reason: string; waitMs: number };

export interface CallInput {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  /** Another path than the route's, for endpoints the document does not describe. */
  path?: string;
  /** Words for the error of a lost answer: what to check before trying again. */
  lostHint?: string;
  signal?: AbortSignal;
}

/** The one origin the key goes to, and how a request of a route looks. Also what a dry run shows, without the key. */
export function buildRequest(
  baseUrl: string,
  route: Pick<Route, 'method' | 'path'>,
  input: CallInput,
): OutgoingRequest {
  const path = fillPath(input.path ?? route.path, input.params);
  const query = new URLSearchParams(input.query).toString();
  const url = `${baseUrl}${path}${query === '' ? '' : `${path.includes('?') ? '&' : '?'}${query}`}`;
  const hasBody = input.body !== undefined;
  return {
    method: route.method,
    url,
    headers: { ...(hasBody ? { 'Content-Type': 'application/json' } : {}), ...input.headers },
    ...(hasBody ? { body: JSON.stringify(input.body) } : {}),
  };
}

export const USER_AGENT = `clipctl/${VERSION} node/${process.versions.node} ${process.platform}`;

/** Speaks to the API: the key, the time limit, the retries, and answers turned into values or errors. */
export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /**
   * Calls a route of the contract. The request is checked by its strict schema before it goes out; of the answer
   * only what the schema names is required. Returns the value inside the `data` envelope, unknown members kept.
   */
  async call<T>(route: Route, input: CallInput = {}): Promise<T> {
    await checkOutgoing(route, input.body);
    const request = this.#authorized(buildRequest(this.options.baseUrl, route, input));
    const what = `${route.method} ${input.path ?? route.path}`;
    const answer = await this.#send(request, {
      what,
      repeatable: route.repeatable,
      undocumented: !route.documented,
      ...input,
    });
    return (await readAnswer(route, answer, what)) as T;
  }

  /** A raw authenticated request: whatever the last answer is comes back, except lost connections. */
  async raw(request: {
    method: HttpMethod | string;
    path: string;
    headers?: Record<string, string>;
    body?: string;
    repeatable: boolean;
  }) {
    const outgoing = this.#authorized({
      method: request.method,
      url: `${this.options.baseUrl}${request.path}`,
      headers: request.headers ?? {},
      body: request.body,
    });
    const what = `${request.method} ${request.path}`;
    const call = { what, repeatable: request.repeatable };
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#try(outgoing, call);
      if ('answer' in outcome) return outcome.answer;
      if (!outcome.again || attempt >= this.options.retries) {
        if (outcome.refused) return outcome.refused;
        throw outcome.error;
      }
      await this.#pause(outgoing, attempt, outcome.error);
    }
  }

  #authorized(request: OutgoingRequest): OutgoingRequest {
    return {
      ...request,
      headers: {
        Accept: 'application/json',
        'User-Agent': USER_AGENT,
        ...request.headers,
        Authorization: `Bearer ${this.options.apiKey}`,
      },
    };
  }

  async #send(request: OutgoingRequest, call: CallContext): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#try(request, call);
      if ('answer' in outcome) return outcome.answer;
      if (!outcome.again || attempt >= this.options.retries) throw outcome.error;
      await this.#pause(request, attempt, outcome.error, call.signal);
    }
  }

  async #pause(
    request: OutgoingRequest,
    attempt: number,
    error: ClipctlError,
    signal = this.options.signal,
  ): Promise<void> {
    const waitMs = error.details.retryAfterMs ?? backoffMs(attempt, Math.random());
    this.options.trace?.({ type: 'retry', request, reason: error.message, waitMs });
    await sleep(waitMs, signal);
  }

  /** One try: an answer, or an error (with the answer that refused) and whether sending again can do no harm. */
  async #try(
    request: OutgoingRequest,
    call: CallContext,
  ): Promise<{ answer: Answer } | { error: ClipctlError; again: boolean; refused?: Answer }> {
    let answer: Answer;
    try {
      answer = await this.#sendOnce(request, call);
    } catch (error) {
      const again = error instanceof ExchangeError && isTransient(error) && (call.repeatable || !error.sent);
      return { error: this.#connectionError(error, call), again };
    }
    if (answer.status >= 200 && answer.status < 300) return { answer };
    const error = errorOfAnswer(answer, {
      what: call.what,
      undocumented: call.undocumented ?? false,
      nowMs: Date.now(),
    });
    // 429 was refused before anything happened, so even a creation may be sent again.
    const again =
      error.kind === 'rate-limited' ||
      (call.repeatable && isRetryableStatus(answer.status) && !isFinal(error.kind));
    return { error, again, refused: answer };
  }

  async #sendOnce(request: OutgoingRequest, call: CallContext): Promise<Answer> {
    const { connector, timeoutMs, trace } = this.options;
    trace?.({ type: 'request', request });
    const startedMs = performance.now();
    const answer = await exchange(connector, request, {
      timeoutMs,
      signal: call.signal ?? this.options.signal,
      fresh: !call.repeatable,
    });
    trace?.({ type: 'answer', request, answer, durationMs: performance.now() - startedMs });
    return answer;
  }

  #connectionError(error: unknown, call: CallContext): ClipctlError {
    if (!(error instanceof ExchangeError)) {
      return error instanceof ClipctlError
        ? error
        : new ClipctlError('internal', `${call.what} failed`, { cause: error, reason: String(error) });
    }
    if (!call.repeatable && error.sent) {
      return new ClipctlError('outcome-unknown', `the answer to ${call.what} was lost: ${error.message}`, {
        reason: 'the request may have been carried out; it was not sent again',
        hint: call.lostHint ?? 'check at the service whether it was done before you run this again',
        cause: error,
      });
    }
    const host = new URL(this.options.baseUrl).host;
    return new ClipctlError('network', `cannot reach ${host}: ${error.message}`, {
      hint: isTlsFault(errorCode(error.cause))
        ? 'name the certificate of your authority in NODE_EXTRA_CA_CERTS'
        : 'check the base address (clipctl config list --origin), the network and the proxy; clipctl doctor looks at each',
      cause: error,
    });
  }
}

interface CallContext {
  what: string;
  repeatable: boolean;
  undocumented?: boolean;
  lostHint?: string;
  signal?: AbortSignal;
}

/** A certificate nobody vouches for, or a body that can never be read, is the same the next time. */
function isTransient(error: ExchangeError): boolean {
  return !isTlsFault(errorCode(error.cause));
}

function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 425 || status >= 500;
}

/** What is not offered, or a quota that is used up, is the same the next time, whatever its status. */
function isFinal(kind: ErrorKind): boolean {
  return kind === 'not-found' || kind === 'quota';
}

/** A usage error when a body is not what the interface document asks for. */
export async function checkOutgoing(route: Route, body: unknown): Promise<void> {
  if (!route.request || route.request.safeParse(body).success) return;
  const problem = await firstProblem(route.request, body);
  if (problem) {
    throw usageError(`${problem.path || 'the request'}: ${problem.message}`, {
      reason: `checked against the interface document before ${route.method} ${route.path}`,
    });
  }
}

/**
 * The value of a successful answer. A `data` envelope is unwrapped, and its absence tolerated when what is
 * required is there; likewise one where the document shows none.
 */
async function readAnswer(route: Route, answer: Answer, what: string): Promise<unknown> {
  const body = parseJson(answer.body);
  const candidates = route.envelope ? [body, { data: body }] : [body, dataOf(body)];
  for (const candidate of candidates) {
    if (route.response.safeParse(candidate).success) return route.envelope ? dataOf(candidate) : candidate;
  }
  const context = { what, undocumented: !route.documented, nowMs: Date.now() };
  const named = errorOfAnswer(answer, context);
  if (named.kind === 'quota') throw named;
  const problem = body === undefined ? undefined : await firstProblem(route.response, body);
  throw new ClipctlError(
    'service',
    `the answer to ${what} breaks the interface document (HTTP ${answer.status})`,
    {
      reason:
        body === undefined
          ? 'it is not JSON'
          : `${problem?.path || 'body'}: ${problem?.message ?? 'invalid'}`,
      hint: 'check that the base address is the one of the service: clipctl config list --origin',
      httpStatus: answer.status,
      errorMessage: named.details.errorMessage,
      requestId: requestIdOf(answer),
    },
  );
}

function dataOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'data' in value ? value.data : undefined;
}

/** The first thing a schema finds wrong, in the contract's words; loaded only when something is. */
async function firstProblem(schema: NonNullable<Route['request']>, value: unknown) {
  const { findProblems } = await import('../api/describe-issue.js');
  return findProblems(schema, value)[0];
}
