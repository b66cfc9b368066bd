/** `/openapi.json`, made of the routes' own schemas when it is first asked for: start-up does not pay for it. */
import type { FastifyInstance } from 'fastify';
import { VERSION } from '@omnigent/protocol';

type Prepare = (app: FastifyInstance) => Promise<void>;

/** Reads the document of an application that `build` creates; it never listens. */
export async function buildOpenApi(build: (prepare: Prepare) => FastifyInstance): Promise<unknown> {
  const { swagger, jsonSchemaTransform } = await import('./swagger.ts');
  const described: FastifyInstance[] = [];
  const app = build(async (routes) => {
    described.push(routes);
    await routes.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: { title: 'Omnigent sandboxes', version: VERSION, license: { name: 'Apache-2.0' } },
        components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
        security: [{ bearer: [] }],
      },
      transform: jsonSchemaTransform,
    });
  });
  try {
    await app.ready();
    return described[0]?.swagger();
  } finally {
    await app.close();
  }
}
