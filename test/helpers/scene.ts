import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject } from 'vitest';
import type { Route } from '../../src/api/route.js';
import { ROUTES, type RouteName } from '../../src/api/routes.js';
import type { FaultAction, PlannedFault } from '../../src/service/faults.js';
import { findBreaches } from './contract-check.js';
import { startTestService, type TestService } from './local-service.js';
import { NOW } from './make-sample.js';
import { type CliOptions, makeHome, runCli } from './run-cli.js';
import { tapWire } from './wire-tap.js';

/** What is there in every scene. */
export const sample = inject('sample');

const IDS: Record<string, string> = {
  P1: sample.projectId,
  C1: sample.clips[0].clipId,
  C2: sample.clips[1].clipId,
  L1: sample.collectionId,
  S1: sample.scheduleIds[0],
  S2: sample.scheduleIds[1],
  X1: sample.censorJobId,
  T1: sample.copyJobId,
  A1: 'local-page',
  A2: 'local-tiktok',
};

/**
 * A text, or what holds texts, with the ids of the sample in place of their short names: project P1, clips P1.C1 and
 * P1.C2, collection L1, schedules S1 and S2, censor job X1, copy job T1, accounts A1 and A2. Others stay and are
 * unknown to the service.
 */
export function real<T>(value: T): T {
  if (typeof value === 'string') return value.replace(/\b[A-Z]\d+\b/g, (id) => IDS[id] ?? id) as T;
  if (Array.isArray(value)) return value.map(real) as T;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, real(member)])) as T;
}

type When = Pick<PlannedFault, 'nth' | 'repeat'>;

export interface PlannedAnswer {
  /** 200 unless given. */
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is a text. */
  body?: unknown;
}

/** `repeat` of a fault that stands for the whole test: it must fire once at least. Others fire as often as planned. */
export const ALWAYS = 1_000_000;

/** Of a fault that is left. One that stands is always left, with less than it had once it has fired. */
function isUnfired({ repeat = 1 }: PlannedFault): boolean {
  return repeat === ALWAYS || repeat < ALWAYS / 2;
}

/**
 * For each test of a file: a home, the real service on a copy of the sample, the tapped wire to it, and the CLI at
 * the other end. It is NOW for both. Every request must fit the contract, and every planned fault must have fired.
 */
export function setScene() {
  let home: Awaited<ReturnType<typeof makeHome>>;
  let service: TestService;
  let wire: Awaited<ReturnType<typeof tapWire>>;
  let faults: PlannedFault[];
  beforeEach(async () => {
    home = await makeHome();
    const dataDir = join(home.home, 'service');
    await cp(sample.dataDir, dataDir, { recursive: true });
    faults = [];
    service = await startTestService({ dataDir, now: () => NOW, faults: { faults } });
    wire = await tapWire(service.url);
  });
  afterEach(async () => {
    await wire.stop();
    await service.stop();
    await home.remove();
    expect(wire.requests.flatMap((request) => findBreaches(request, service.apiKey))).toEqual([]);
    expect(service.faultsLeft().filter(isUnfired)).toEqual([]);
  });
  const options = (more: CliOptions = {}) => ({
    home: home.home,
    now: () => NOW,
    ...more,
    env: { CLIPCTL_BASE_URL: wire.url, CLIPCTL_API_KEY: service.apiKey, TZ: 'UTC', ...more.env },
  });
  const plan = (route: RouteName, action: FaultAction, when: When = {}) => {
    const { method, path }: Route = ROUTES[route];
    faults.push({ on: 'api', method, path: path.replace(/\{.*/, '*'), ...when, action });
  };
  return {
    get home() {
      return home.home;
    },
    get service() {
      return service;
    },
    /** Address of the service as the CLI knows it. */
    get url() {
      return wire.url;
    },
    /** What the CLI sent so far. */
    get requests() {
      return wire.requests;
    },
    options,
    cli: (line: string | readonly string[], more?: CliOptions) => runCli(line, options(more)),
    /** Plans a fault at the next request of a route, or `when` it says. */
    plan,
    /** Plans an answer at the next request of a route. */
    planAnswer(route: RouteName, { body = '', status = 200, headers }: PlannedAnswer, when?: When) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      plan(route, { type: 'status', status, body: text, headers }, when);
    },
    /** `METHOD path` of each request. */
    asked: () => wire.requests.map(({ method, path }) => `${method} ${path}`),
    /** The JSON body of each request. */
    bodies: () => wire.requests.map(({ body }) => (body === '' ? undefined : JSON.parse(body))),
  };
}
