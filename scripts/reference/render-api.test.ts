import { HOST_ROUTES, SERVER_ROUTES } from '@omnigent/protocol';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { HOST_CALLS, SANDBOX_CALLS, SERVICE_CALLS } from './api-calls.ts';
import { describeSchema } from './describe-schema.ts';

/** The server's alone: never forwarded. */
const PRIVATE: readonly string[] = [HOST_ROUTES.tcp, HOST_ROUTES.connectionToken, HOST_ROUTES.workspace];

describe('docs/reference/api.md', () => {
  const paths = [...SANDBOX_CALLS, ...HOST_CALLS, ...SERVICE_CALLS].map((call) => call.path);

  test('has every path of the server', () => {
    const { sandboxes, plan, preflight, sweep, version, healthz, readyz, metrics, openapi } = SERVER_ROUTES;
    expect(paths).toEqual(
      expect.arrayContaining([sandboxes, plan, preflight, sweep, version, healthz, readyz, metrics, openapi]),
    );
  });

  test.each(Object.values(HOST_ROUTES))('has or leaves out on purpose %s of the host', (route) => {
    const path = typeof route === 'string' ? route : decodeURIComponent(route('{process}'));
    const shown = paths.includes(path.replace(/^\/v1/, '/v1/sandboxes/{sandbox}'));
    expect(shown).toBe(!PRIVATE.includes(path));
  });
});

test('describeSchema lists nested fields, arrays, maps, defaults and variants', () => {
  const schema = z.strictObject({
    name: z.string(),
    tags: z.array(z.strictObject({ key: z.enum(['a', 'b']) })).default([]),
    labels: z.record(z.string(), z.string()).optional(),
    at: z.iso.datetime().nullable(),
    event: z.discriminatedUnion('type', [
      z.object({ type: z.literal('x'), n: z.int() }),
      z.object({ type: z.literal('y') }),
    ]),
  });
  expect(
    describeSchema(schema).map(({ field, type, presence }) => `${field}: ${type} ${presence}`.trim()),
  ).toEqual([
    'name: string required',
    'tags: array of object default `[]`',
    'tags[].key: `a`, `b` required',
    'labels: map of string',
    'at: time (RFC 3339) or null required',
    'event: object required',
    'event.type: `"x"`, `"y"` required',
    'event.n: integer required',
  ]);
});
