import { ClipctlError, messageOf } from '../errors.js';
import { exitCodeOf } from '../exit-codes.js';
import { withLocal } from './local-hints.js';
import { safeLine, safeText } from './safe-text.js';
import type { Style } from './style.js';

/** The JSON form of an error: one line on stderr under `--json`. Members without a value are left out. */
export function errorAsJson(error: unknown): { error: Record<string, unknown> } {
  const exitCode = exitCodeOf(error);
  if (!(error instanceof ClipctlError)) {
    return { error: { code: 'internal', exitCode, message: messageOf(error), hint: BUG_HINT } };
  }
  const { reason, hint, httpStatus, errorName, errorMessage, requestId } = error.details;
  return {
    error: {
      code: error.kind,
      exitCode,
      message: error.message,
      ...definedOnly({ reason, hint, httpStatus, errorName, errorMessage, requestId }),
    },
  };
}

const BUG_HINT = 'this is a bug in clipctl; run again with CLIPCTL_DEBUG=1 and report what it prints';

function definedOnly(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The form for people: what happened, why (indented), what to do. Text of the service is made safe. */
export function errorAsText(
  error: unknown,
  style: Style,
  options: { debug: boolean; local: boolean },
): string {
  const lines = [`${style.red('error:')} ${safeText(messageOf(error))}`];
  const details = error instanceof ClipctlError ? error.details : {};
  const reason = details.reason ?? serviceReason(details);
  if (reason) for (const line of safeText(reason).split('\n')) lines.push(`  ${line}`);
  if (details.requestId) lines.push(`  request id: ${safeLine(details.requestId)}`);
  const plainHint = error instanceof ClipctlError ? details.hint : BUG_HINT;
  const hint = options.local && plainHint ? withLocal(plainHint) : plainHint;
  if (hint)
    lines.push(
      ...safeText(hint)
        .split('\n')
        .map((line, at) => (at === 0 ? `${style.cyan('fix:')} ${line}` : `     ${line}`)),
    );
  if (options.debug && error instanceof Error) lines.push(...causes(error));
  return `${lines.join('\n')}\n`;
}

function serviceReason(details: { errorName?: string; errorMessage?: string }): string | undefined {
  const { errorName, errorMessage } = details;
  if (errorName && errorMessage) return `${errorName}: ${errorMessage}`;
  return errorMessage ?? errorName;
}

function causes(error: Error): string[] {
  const lines: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    lines.push(safeText(at.stack ?? at.message));
  return lines;
}
