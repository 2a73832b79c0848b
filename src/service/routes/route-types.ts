import type * as z from 'zod/mini';
import type { ROUTES, RouteName } from '../../api/routes.js';

type RouteOf<N extends RouteName> = (typeof ROUTES)[N];

/** A checked request of one route. */
export interface RouteCall<N extends RouteName> {
  params: Record<string, string>;
  query: RouteOf<N> extends { query: infer Q extends z.ZodMiniType } ? z.output<Q> : undefined;
  body: RouteOf<N> extends { request: infer B extends z.ZodMiniType } ? z.output<B> : undefined;
  header(name: string): string | undefined;
  /** Address of the service as the caller wrote it, without a slash at the end. */
  baseUrl: string;
}

type ResponseOf<N extends RouteName> = z.input<RouteOf<N>['response']>;

/** What a route answers, without its envelope. */
export type RouteAnswer<N extends RouteName> = ResponseOf<N> extends { data: infer D } ? D : ResponseOf<N>;

/** A route is a function from a checked request to its answer; statuses and envelopes are the table's. */
export type RouteHandler<N extends RouteName> = (
  call: RouteCall<N>,
) => RouteAnswer<N> | Promise<RouteAnswer<N>>;

export type RouteHandlers = { [N in RouteName]: RouteHandler<N> };
