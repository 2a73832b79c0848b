import { describe, expect, test } from 'vitest';
import table from './fault-table.json' with { type: 'json' };
import { runScenario, type Scenario } from './upload-scenario.js';

/** Every row: the faults, the requests that go out, the exit code, the file at the storage, the projects. */
const scenarios = table as Scenario[];

describe('the fault table', () => {
  test('has enough rows, each with its own name', () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(30);
    expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
  });
  test.each(scenarios)('$name', runScenario);
});
