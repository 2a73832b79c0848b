import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { DECISIONS } from '../../src/service/decisions.js';
import { DELIVERY_CONCURRENCY, RETRY_PAUSES_SEC } from '../../src/service/delivery/delivery-work.js';

const SERVICE = resolve(import.meta.dirname, '../../src/service');

const choiceOf = (about: string) => DECISIONS.find((decision) => decision.about === about)?.choice;

test('each decision is told once, and is in the file that it names', async () => {
  expect(new Set(DECISIONS.map(({ about }) => about)).size).toBe(DECISIONS.length);
  for (const { file } of DECISIONS) await expect(access(join(SERVICE, file)), file).resolves.toBeUndefined();
});

test('numbers in words are those of the code', () => {
  const units = [
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  const pauses = RETRY_PAUSES_SEC.map((sec) => {
    const [size, unit] = units.find(([unitSec]) => sec % unitSec === 0) ?? units[2];
    return `${sec / size} ${unit}`;
  });
  expect(choiceOf('webhook retries')).toContain(pauses.join(', '));
  expect(choiceOf('deliveries at once')).toMatch(new RegExp(`^${DELIVERY_CONCURRENCY} receivers`));
});
