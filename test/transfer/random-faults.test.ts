import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exitCodeOf } from '../../src/exit-codes.js';
import type { PlannedFault } from '../../src/service/faults.js';
import { digestOf, ScenarioWorld } from './upload-scenario.js';

const SIZE_BYTES = 900_001;
const CHUNK_BYTES = 256 * 1024;

const afterBytes = fc.nat(SIZE_BYTES);
// Not 200, 201: of a storage that takes all bytes and lies about them without a length or a hash nobody can know.
const badStatus = fc.constantFrom(408, 425, 429, 500, 502, 503, 504, 507, 404, 410, 403, 413, 202, 308, 302);
const cut = fc.oneof(
  fc.record({ type: fc.constantFrom('reset' as const, 'fin' as const), afterBytes }),
  fc.record({
    type: fc.constant('status' as const),
    status: badStatus,
    afterBytes: fc.option(afterBytes, { nil: undefined }),
  }),
  fc.record({ type: fc.constant('stall' as const), afterBytes }),
  fc.record({
    type: fc.constant('keep-less' as const),
    bytes: fc.integer({ min: 1, max: SIZE_BYTES }),
    afterBytes: fc.option(afterBytes, { nil: undefined }),
  }),
  fc.constantFrom(
    { type: 'drop-answer' as const },
    { type: 'no-range' as const },
    { type: 'wrong-length' as const },
    { type: 'wrong-hash' as const },
    { type: 'expire' as const, status: 404 as const },
    { type: 'expire' as const, status: 410 as const },
    { type: 'body' as const, text: '<h1>sign in</h1>' },
  ),
);
const noAnswer = fc.oneof(
  fc.constantFrom({ type: 'reset' as const }, { type: 'fin' as const }, { type: 'drop-answer' as const }),
  fc.record({ type: fc.constant('status' as const), status: badStatus }),
  fc.constantFrom(
    { type: 'no-range' as const },
    { type: 'wrong-hash' as const },
    { type: 'expire' as const, status: 404 as const },
    { type: 'keep-less' as const, bytes: 100_000 },
  ),
);
const start = fc.oneof(
  fc.constantFrom({ type: 'reset' as const }, { type: 'drop-answer' as const }),
  fc.record({ type: fc.constant('status' as const), status: fc.constantFrom(429, 500, 503, 404, 410) }),
);
const create = fc.oneof(
  fc.constantFrom({ type: 'reset' as const }, { type: 'drop-answer' as const }),
  fc.record({ type: fc.constant('status' as const), status: fc.constantFrom(400, 429, 500, 502, 503, 504) }),
);

const withoutUndefined = <T extends object>(value: T): T => JSON.parse(JSON.stringify(value));
const fault: fc.Arbitrary<PlannedFault> = fc
  .oneof(
    { weight: 6, arbitrary: fc.record({ on: fc.constant('put' as const), action: cut }) },
    { weight: 3, arbitrary: fc.record({ on: fc.constant('ask' as const), action: noAnswer }) },
    { weight: 1, arbitrary: fc.record({ on: fc.constant('start' as const), action: start }) },
    { weight: 1, arbitrary: fc.record({ on: fc.constant('create' as const), action: create }) },
  )
  .map((value) => withoutUndefined(value) as PlannedFault);

/** Exit codes that say what happened and what to do. 1 would be a bug, 0 must be true. */
const HONEST = [6, 7, 8, 9, 10];

test('whatever breaks in whatever order: what is called done is right, what is not done says so', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { minLength: 1, maxLength: 7 }), async (faults) => {
      const world = await ScenarioWorld.start(faults, SIZE_BYTES);
      try {
        let exit = -1;
        // Each run uses up at least one fault, or succeeds, or has to be decided by a person.
        for (let run = 0; run <= faults.length && exit !== 0 && exit !== 10; run++) {
          const [outcome] = await world.upload({ retries: 2, stallTimeoutMs: 150, chunkBytes: CHUNK_BYTES });
          if (!outcome) throw new Error('an upload without an outcome');
          exit = outcome.ok ? 0 : exitCodeOf(outcome.error);
          if (outcome.ok) expect(await world.storedDigest(outcome.uploadId)).toBe(await digestOf(world.path));
          else if (!HONEST.includes(exit)) throw outcome.error;
        }
        expect([0, 10]).toContain(exit);
        const projects = await world.projectCount();
        if (exit === 0) expect(projects).toBe(1);
        else expect(projects).toBeLessThanOrEqual(1);
      } finally {
        await world.stop();
      }
    }),
    { numRuns: 60 },
  );
});
