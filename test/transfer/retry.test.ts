import { expect, test } from 'vitest';
import { parseRetryAfterMs, RETRY_AFTER_CAP_MS } from '../../src/client/retry.js';
import { CancelledError, ClipctlError } from '../../src/errors.js';
import { breakOf, decide, StallError } from '../../src/transfer/retry.js';

const waitOf = (input: Partial<Parameters<typeof decide>[0]>) =>
  decide({ triesWithoutProgress: 1, retries: 4, random: 0.5, ...input });

test('waits grow from try to try, and the last try is the last', () => {
  const waits = [1, 2, 3, 4, 5].map((tries) => waitOf({ triesWithoutProgress: tries, random: 1 }));
  expect(waits).toEqual([
    { action: 'wait', waitMs: 300 },
    { action: 'wait', waitMs: 1200 },
    { action: 'wait', waitMs: 4800 },
    { action: 'wait', waitMs: 19200 },
    { action: 'stop' },
  ]);
  expect(waitOf({ retries: 0 })).toEqual({ action: 'stop' });
});

test('a wait never leaves its range, whatever chance says, and has an end', () => {
  for (const random of [0, 0.3, 0.999]) {
    const next = waitOf({ triesWithoutProgress: 60, retries: 100, random });
    expect(next.action === 'wait' && next.waitMs >= 30_000 && next.waitMs <= 60_000).toBe(true);
  }
});

test('what the other side asks for is honoured', () => {
  expect(waitOf({ retryAfterMs: 7000 })).toEqual({ action: 'wait', waitMs: 7000 });
  expect(waitOf({ retryAfterMs: 0 })).toEqual({ action: 'wait', waitMs: 0 });
});

test('Retry-After is read as seconds or a date, and no longer than its cap', () => {
  const nowMs = Date.UTC(2026, 0, 1, 12);
  expect(parseRetryAfterMs('7', nowMs)).toBe(7000);
  expect(parseRetryAfterMs('Thu, 01 Jan 2026 12:00:30 GMT', nowMs)).toBe(30_000);
  expect(parseRetryAfterMs('Thu, 01 Jan 2026 11:00:00 GMT', nowMs)).toBe(0);
  expect(parseRetryAfterMs('999999', nowMs)).toBe(RETRY_AFTER_CAP_MS);
  for (const nothing of [undefined, '', 'soon']) expect(parseRetryAfterMs(nothing, nowMs)).toBeUndefined();
});

test('a break of the connection is tried again; untrusted TLS, our own errors and bugs are not', () => {
  const system = (code: string) => Object.assign(new Error(code), { code });
  for (const code of [
    'ECONNRESET',
    'EPIPE',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ENETUNREACH',
    'HPE_INVALID_CONSTANT',
  ]) {
    expect(breakOf(system(code))).toHaveProperty('reason');
  }
  expect(breakOf(new StallError(90_000))).toEqual({ reason: 'nothing moved for 90 s' });
  for (const code of ['SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID']) {
    const broken = breakOf(system(code));
    expect('error' in broken && broken.error instanceof ClipctlError && broken.error.kind).toBe('network');
  }
  const own = new CancelledError();
  expect(breakOf(own)).toEqual({ error: own });
  const bug = new TypeError('x is not a function');
  expect(breakOf(bug)).toEqual({ error: bug });
});
