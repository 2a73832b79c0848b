import * as z from 'zod/mini';
import type { Route } from '../../api/route.js';
import { ROUTES } from '../../api/routes.js';
import { ErrorBody } from '../../api/wire.js';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the interface, made from the contract's own schemas. */
export function makeOpenApi(serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of Object.values(ROUTES) as Route[]) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Clip Project Service API',
      version: '1.0',
      description: 'As answered by the local service of clipctl.',
    },
    servers: [{ url: serverUrl }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: toSchema(ErrorBody) },
    },
  };
}

function describeRoute(route: Route): Json {
  const failure = { description: 'Refused', content: asJson({ $ref: '#/components/schemas/Error' }) };
  const notes = [
    ...(route.documented ? [] : ['Not described in the interface document.']),
    ...(route.statusShown ? [] : ['The success status is the choice of the local service.']),
  ];
  return {
    operationId: route.name,
    summary: route.summary,
    ...(notes.length > 0 && { description: notes.join(' ') }),
    parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
    ...(route.request && { requestBody: { required: true, content: asJson(toSchema(route.request)) } }),
    responses: {
      [route.status]: { description: 'Done', content: asJson(toSchema(route.response)) },
      '4XX': failure,
      '5XX': failure,
    },
  };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodMiniType | undefined): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toSchema(query) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function asJson(schema: Json): Json {
  return { 'application/json': { schema } };
}

function toSchema(schema: z.ZodMiniType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;
  return rest;
}
