/** Plan, preflight, version and health. */
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import {
  VERSION,
  flagSchema,
  planRequestSchema,
  planSchema,
  preflightSchema,
  providerSchema,
  sweepReportSchema,
  versionSchema,
} from '@omnigent/protocol';
import * as z from 'zod';
import { toLaunchRequest } from '../lifecycle/launch.ts';
import type { ApiContext } from './context.ts';

const CALL_TIMEOUT_MS = 60_000;
const planQuerySchema = z.strictObject({ dry_run: z.enum(['none', 'server']).default('none') });
const sweepQuerySchema = z.strictObject({ dry_run: flagSchema, provider: providerSchema.optional() });
const preflightQuerySchema = z.strictObject({
  provider: providerSchema.optional(),
  deep: z.enum(['0', '1']).default('0'),
});

/** Registers the routes that need a caller. */
export function registerServiceRoutes(server: FastifyInstance, context: ApiContext): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  app.get('/v1/version', { schema: { response: { 200: versionSchema } } }, () => ({
    version: VERSION,
    instance: context.instance,
    providers: [...context.providers],
  }));
  app.post(
    '/v1/plan',
    { schema: { body: planRequestSchema, querystring: planQuerySchema, response: { 200: planSchema } } },
    async (request) => {
      const { record, launcher, token } = await context.service.plan(request.body, request.caller.owner);
      const launch = toLaunchRequest(record, context.serverUrl(), token);
      return await launcher.plan(launch, {
        dryRun: request.query.dry_run,
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      });
    },
  );
  app.post(
    '/v1/preflight',
    { schema: { querystring: preflightQuerySchema, response: { 200: preflightSchema } } },
    async (request) => {
      const launcher = await context.service.launcher(request.query.provider);
      const findings = await launcher.preflight({
        deep: request.query.deep === '1',
        serverUrl: context.serverUrl(),
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      });
      return { findings };
    },
  );
}

/** Registers the sweep. */
export function registerSweepRoute(server: FastifyInstance, context: ApiContext): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  app.post(
    '/v1/sweep',
    { schema: { querystring: sweepQuerySchema, response: { 200: sweepReportSchema } } },
    async (request) => {
      const { dry_run: dryRun, provider } = request.query;
      return await context.sweep({ isDryRun: dryRun === '1', provider });
    },
  );
}

/** Registers the routes that anyone may ask. */
export function registerHealthRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    await context.store.check();
    return { status: 'ok' };
  });
  app.get('/metrics', async (_request, reply) => {
    const { contentType, text } = await context.metrics.render();
    return reply.header('content-type', contentType).send(text);
  });
}
