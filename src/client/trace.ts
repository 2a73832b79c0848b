import { lastFourOf, redactBody } from '../redact.js';
import { requestIdOf } from './answer-errors.js';
import type { TraceEvent } from './transport.js';

/** One line a request, for --verbose. */
export function traceLine(event: TraceEvent): string | undefined {
  const { method, url } = event.request;
  if (event.type === 'retry') {
    return `${method} ${url}: ${event.reason}; again in ${(event.waitMs / 1000).toFixed(1)} s`;
  }
  if (event.type !== 'answer') return undefined;
  const id = requestIdOf(event.answer);
  return `${method} ${url} → ${event.answer.status} (${Math.round(event.durationMs)} ms)${id ? ` ${id}` : ''}`;
}

/** Headers and bodies, secrets redacted, for CLIPCTL_DEBUG. */
export function traceDetails(event: TraceEvent): string | undefined {
  if (event.type === 'request') {
    const headers = Object.entries(event.request.headers).map(([name, value]) =>
      name.toLowerCase() === 'authorization'
        ? `  ${name}: Bearer ${lastFourOf(value)}`
        : `  ${name}: ${value}`,
    );
    return [
      `> ${event.request.method} ${event.request.url}`,
      ...headers,
      ...bodyLines(event.request.body),
    ].join('\n');
  }
  if (event.type === 'answer') {
    const headers = Object.entries(event.answer.headers)
      .filter(([name]) => name !== 'set-cookie' && name !== 'location')
      .map(([name, value]) => `  ${name}: ${String(value)}`);
    return [`< ${event.answer.status}`, ...headers, ...bodyLines(event.answer.body.toString('utf8'))].join(
      '\n',
    );
  }
  return undefined;
}

function bodyLines(body: string | undefined): string[] {
  return body ? [`  ${redactBody(body)}`] : [];
}
