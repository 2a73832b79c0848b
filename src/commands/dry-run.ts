import type { Route } from '../api/route.js';
import type { CallInput } from '../client/transport.js';
import type { Context } from '../context.js';

/** A request as a dry run shows it: what would go out, without the key. */
export interface PlannedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

/** The request of a route, checked like a real one, for `--dry-run`. */
export async function planRequest(baseUrl: string, route: Route, input: CallInput): Promise<PlannedRequest> {
  const { buildRequest, checkOutgoing } = await import('../client/transport.js');
  await checkOutgoing(route, input.body);
  const { method, url, headers } = buildRequest(baseUrl, route, input);
  return { method, url, headers, body: input.body ?? null };
}

/** Prints the one document of a dry run; the same with and without `--json`. */
export async function showDryRun(
  { output, notes }: Pick<Context, 'output' | 'notes'>,
  requests: readonly PlannedRequest[],
): Promise<void> {
  await output.always({ dryRun: true, requests, notes: notes.seen });
}
