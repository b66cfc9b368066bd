/** The HTTP application: schemas, authentication, routes. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Fastify, { LogController } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Caller } from '../auth/bearer.ts';
import type { ApiContext } from './context.ts';
import { registerHostRoutes } from './host-routes.ts';
import { buildOpenApi } from './openapi.ts';
import { registerPreviewRoute } from '../preview/preview-routes.ts';
import { installProblemReplies } from './problem-replies.ts';
import { registerSandboxRoutes } from './sandbox-routes.ts';
import { registerHealthRoutes, registerServiceRoutes, registerSweepRoute } from './service-routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

const BODY_LIMIT_BYTES = 1024 * 1024;

/** The compilers for zod are set before the first route. */
function refuse(): never {
  throw new Error('expected a compiler of zod schemas, found none');
}

/** Takes a request before the routes do; false leaves it to them. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

function createFastify(logger: FastifyBaseLogger | undefined, intercept: Intercept): FastifyInstance {
  return Fastify({
    ...(logger === undefined ? {} : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
    // Its own compilers, which it would load here, are for another kind of schemas.
    schemaController: { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } },
    // Routes cannot take over what previews need: any method, and paths that no router may read or tidy.
    serverFactory: (route) =>
      createServer({ keepAliveTimeout: 72_000, requestTimeout: 0 }, (request, response) => {
        if (!intercept(request, response)) route(request, response);
      }),
  });
}

interface AppParts {
  readonly logger?: FastifyBaseLogger;
  readonly intercept?: Intercept;
  /** Runs before the routes are registered. */
  readonly prepare?: (app: FastifyInstance) => Promise<void>;
}

/** The application with its routes. */
function buildApp(context: ApiContext, { logger, intercept, prepare }: AppParts): FastifyInstance {
  const app = createFastify(logger, intercept ?? (() => false));
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest('caller');
  installProblemReplies(app);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    context.metrics.observeRequest({ method: request.method, route, status: reply.statusCode });
  });
  void app.register(async (routes) => {
    await prepare?.(routes);
    registerHealthRoutes(routes, context);
    void routes.register(async (guarded) => {
      guarded.addHook('onRequest', async (request) => {
        request.caller = context.authenticate(request.headers.authorization);
      });
      registerSandboxRoutes(guarded, context);
      registerServiceRoutes(guarded, context);
      registerSweepRoute(guarded, context);
      registerHostRoutes(guarded, context);
      registerPreviewRoute(guarded, context);
    });
  });
  return app;
}

/** Creates the application; `app.server` is the HTTP server that also takes upgrades. */
export function createApp(
  context: ApiContext,
  parts: { readonly logger: FastifyBaseLogger; readonly intercept: Intercept },
): FastifyInstance {
  const app = buildApp(context, parts);
  let document: Promise<unknown> | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, async () => {
    document ??= buildOpenApi((prepare) => buildApp(context, { prepare }));
    return await document;
  });
  return app;
}
