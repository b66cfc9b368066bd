/** The HTTP application: schemas, authentication, routes. */
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { Caller } from '../auth/bearer.ts';
import type { ApiContext } from './context.ts';
import { registerHostRoutes } from './host-routes.ts';
import { installProblemReplies } from './problem-replies.ts';
import { registerSandboxRoutes } from './sandbox-routes.ts';
import { registerHealthRoutes, registerServiceRoutes } from './service-routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

const BODY_LIMIT_BYTES = 1024 * 1024;

/** Creates the application; `app.server` is the HTTP server that also takes upgrades. */
export function createApp(context: ApiContext, logger: Logger): FastifyInstance {
  const app = Fastify({
    loggerInstance: logger,
    disableRequestLogging: true,
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
    keepAliveTimeout: 72_000,
    requestTimeout: 0,
  }) as unknown as FastifyInstance;
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest('caller');
  installProblemReplies(app);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
  });
  registerHealthRoutes(app, context);
  void app.register(async (guarded) => {
    guarded.addHook('onRequest', async (request) => {
      request.caller = context.authenticate(request.headers.authorization);
    });
    registerSandboxRoutes(guarded, context);
    registerServiceRoutes(guarded, context);
    registerHostRoutes(guarded, context);
  });
  return app;
}
