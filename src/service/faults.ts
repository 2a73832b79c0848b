import * as z from 'zod/mini';
import { findProblems } from '../api/describe-issue.js';
import { ClipctlError, messageOf } from '../errors.js';

/**
 * Planned faults: a list given as data, by tests and by `serve --faults`. Each fires at the requests it names and
 * then is used up; `left()` tells which never fired. Off unless a plan is given.
 *
 * A fault without `nth` fires at the next matching request. `nth` counts all requests of that kind (`on`, `method`
 * and `path`) since the fault was planned, from 1: since the start of the service, unless it came later. One request
 * meets at most one fault, the first in the list that is due; a later one due at the same request waits for the next.
 *
 * Where (`on`):
 */
export const FAULT_POINTS = {
  link: 'POST /api/upload-links',
  create: 'POST /api/clip-projects',
  api: 'any request under /api; narrowed by `method` and `path`',
  start: 'POST of an upload address: the start of a resumable upload',
  put: 'PUT of bytes to a location, whole or the rest',
  ask: 'PUT with `Content-Range: bytes */TOTAL`: how much is there',
  cancel: 'DELETE of a location',
  download: 'GET of a media address',
} as const;

/**
 * What happens (`action.type`). `afterBytes` counts bytes of this request's body (of the answer's for `download`);
 * on `put` those bytes are kept, unless the action says otherwise.
 */
export const FAULT_ACTIONS = {
  status:
    'answers `status` with `headers` and `body`, on put after `afterBytes` of the body (all others are dropped)',
  reset: 'resets the connection (RST), after `afterBytes` when given',
  fin: 'closes the connection politely without an answer, after `afterBytes` when given',
  stall:
    'stops reading and answering after `afterBytes`: for `ms`, then goes on; without `ms` until the client leaves',
  slow: 'put: reads no faster than `bytesPerSec`',
  delay: 'waits `ms`, then works as always',
  'drop-answer': 'does the whole work, then resets the connection instead of answering',
  'keep-less':
    'put: reads all (or resets after `afterBytes`) and forgets the last `bytes`; a put read whole is answered 308. ask: forgets, then answers',
  expire: 'forgets the session for good and answers `status` 404 or 410, now and ever after',
  'wrong-length': 'put or ask: the final answer tells a stored length one byte short',
  'wrong-hash': 'put or ask: the final answer tells a hash of other bytes',
  redirect: 'answers `status` (307 unless given) with `location`',
  'no-range':
    'put or ask: forgets all bytes; ask answers 308 without Range. put reads all first and answers 308 without Range',
  body: 'answers `text` as text/html with `status` (200 unless given)',
} as const;

const count = z.int().check(z.nonnegative());
const positive = z.int().check(z.positive());
const status = z.int().check(z.gte(200), z.lte(599));
const headers = z.optional(z.record(z.string(), z.string()));

const FaultAction = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('status'),
    status,
    body: z.optional(z.string()),
    headers,
    afterBytes: z.optional(count),
  }),
  z.strictObject({ type: z.literal('reset'), afterBytes: z.optional(count) }),
  z.strictObject({ type: z.literal('fin'), afterBytes: z.optional(count) }),
  z.strictObject({ type: z.literal('stall'), afterBytes: z.optional(count), ms: z.optional(count) }),
  z.strictObject({ type: z.literal('slow'), bytesPerSec: positive }),
  z.strictObject({ type: z.literal('delay'), ms: count }),
  z.strictObject({ type: z.literal('drop-answer') }),
  z.strictObject({ type: z.literal('keep-less'), bytes: positive, afterBytes: z.optional(count) }),
  z.strictObject({ type: z.literal('expire'), status: z.literal([404, 410]) }),
  z.strictObject({ type: z.literal('wrong-length') }),
  z.strictObject({ type: z.literal('wrong-hash') }),
  z.strictObject({ type: z.literal('redirect'), location: z.string(), status: z.optional(status) }),
  z.strictObject({ type: z.literal('no-range') }),
  z.strictObject({ type: z.literal('body'), text: z.string(), status: z.optional(status) }),
]);
export type FaultAction = z.infer<typeof FaultAction>;

const POINT_NAMES = Object.keys(FAULT_POINTS) as (keyof typeof FAULT_POINTS)[];
export type FaultPoint = (typeof POINT_NAMES)[number];

const PlannedFault = z.strictObject({
  on: z.enum(POINT_NAMES),
  /** Only with `api`. */
  method: z.optional(z.string()),
  /** Only with `api`: the whole path, or its beginning when it ends in `*`. */
  path: z.optional(z.string()),
  nth: z.optional(positive),
  /** How many requests it fires at, 1 unless given. */
  repeat: z.optional(positive),
  action: FaultAction,
});
export type PlannedFault = z.infer<typeof PlannedFault>;

const FaultPlan = z.strictObject({ faults: z.array(PlannedFault) });
export type FaultPlan = z.infer<typeof FaultPlan>;

/** Checks a plan read from a file. Throws `usage` naming the member that is wrong. */
export function parseFaultPlan(data: unknown): FaultPlan {
  const result = FaultPlan.safeParse(data);
  if (result.success) return result.data;
  const [problem] = findProblems(FaultPlan, data);
  throw new ClipctlError('usage', 'the fault plan is not valid', {
    reason: `${problem?.path || 'plan'}: ${problem?.message ?? messageOf(result.error)}`,
    hint: `a plan is {"faults":[{"on":…,"action":{"type":…}}]}; on: ${POINT_NAMES.join(', ')}; type: ${Object.keys(FAULT_ACTIONS).join(', ')}`,
  });
}

/** A request as the plan sees it: every kind it is of. */
export interface FaultRequest {
  points: readonly FaultPoint[];
  method: string;
  path: string;
}

export interface Faults {
  /** The action planned for this request, used up by the call; undefined when none is due. */
  take(request: FaultRequest): FaultAction | undefined;
  /** Faults that have not fired (as often as planned), `repeat` being what is left. */
  left(): PlannedFault[];
}

/** The plan's list may grow while the service runs: a test in its process plans as it goes. */
export function createFaults(plan: FaultPlan = { faults: [] }): Faults {
  const known: { fault: PlannedFault; seen: number; remaining: number }[] = [];
  const entries = () => {
    for (const fault of plan.faults.slice(known.length))
      known.push({ fault, seen: 0, remaining: fault.repeat ?? 1 });
    return known;
  };
  return {
    take(request) {
      const matching = entries().filter(({ fault }) => matches(fault, request));
      for (const entry of matching) entry.seen += 1;
      const due = matching.find((entry) => entry.remaining > 0 && entry.seen >= (entry.fault.nth ?? 0));
      if (!due) return undefined;
      due.remaining -= 1;
      return due.fault.action;
    },
    left() {
      return entries()
        .filter((entry) => entry.remaining > 0)
        .map(({ fault, remaining }) =>
          fault.repeat === undefined ? fault : { ...fault, repeat: remaining },
        );
    },
  };
}

function matches(fault: PlannedFault, request: FaultRequest): boolean {
  if (!request.points.includes(fault.on)) return false;
  if (fault.method !== undefined && fault.method.toUpperCase() !== request.method) return false;
  if (fault.path === undefined) return true;
  return fault.path.endsWith('*')
    ? request.path.startsWith(fault.path.slice(0, -1))
    : request.path === fault.path;
}
