/** `POST /v1/sandboxes/{id}/preview`: an address with a ticket, for the owner's browser. */
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { SandboxError, createPreviewSchema, previewSchema, toIsoTime } from '@omnigent/protocol';
import * as z from 'zod';
import type { ApiContext } from '../api/context.ts';
import { findCallable } from '../forward/public-call.ts';

const parametersSchema = z.strictObject({ sandbox: z.string().max(63) });

/** Registers the route. */
export function registerPreviewRoute(server: FastifyInstance, context: ApiContext): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  app.post(
    '/v1/sandboxes/:sandbox/preview',
    {
      schema: { params: parametersSchema, body: createPreviewSchema, response: { 200: previewSchema } },
    },
    async (request) => {
      const { owner } = request.caller;
      const { id } = await findCallable(context, owner, encodeURIComponent(request.params.sandbox));
      const opened = context.openPreview({ owner, sandboxId: id, port: request.body.port });
      if (opened === undefined)
        throw new SandboxError('preview_unavailable', 'expected server.preview_domain to be set, found none');
      return { url: opened.url, expires_at: toIsoTime(opened.expiresAt) };
    },
  );
}
