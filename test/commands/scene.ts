import { afterEach, beforeEach, expect } from 'vitest';
import { KEY, startContractRecorder } from '../helpers/contract-recorder.js';
import { type CliOptions, makeHome, runCli } from '../helpers/run-cli.js';

export const NOW = new Date('2030-01-01T12:00:00Z');

/** A home and a recorder for each test of a file, and the CLI between them. Every request must fit the contract. */
export function setScene() {
  let home: Awaited<ReturnType<typeof makeHome>>;
  let service: Awaited<ReturnType<typeof startContractRecorder>>;
  beforeEach(async () => {
    home = await makeHome();
    service = await startContractRecorder();
  });
  afterEach(async () => {
    expect(service.faults).toEqual([]);
    await service.stop();
    await home.remove();
  });
  const options = (more: CliOptions = {}) => ({
    home: home.home,
    now: () => NOW,
    ...more,
    env: { CLIPCTL_BASE_URL: service.url, CLIPCTL_API_KEY: KEY, TZ: 'UTC', ...more.env },
  });
  return {
    get home() {
      return home.home;
    },
    get service() {
      return service;
    },
    options,
    cli: (line: string | readonly string[], more?: CliOptions) => runCli(line, options(more)),
    /** `METHOD path` of each request. */
    asked: () => service.requests.map(({ method, path }) => `${method} ${path}`),
    /** The JSON body of each request. */
    bodies: () => service.requests.map(({ body }) => (body === '' ? undefined : JSON.parse(body))),
  };
}
