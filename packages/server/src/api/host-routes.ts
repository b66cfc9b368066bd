/** The host's calls below `/v1/sandboxes/{id}/`, streamed through unchanged after the rights were checked. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SandboxError, hasCondition } from '@omnigent/protocol';
import { forwardCall } from '../forward/forward-call.ts';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import type { ApiContext } from './context.ts';
import { findSandbox } from './sandbox-lookup.ts';

const CALLS = ['status', 'processes', 'processes/*', 'files', 'directories', 'archive', 'ports'];
const METHODS = ['GET', 'PUT', 'POST', 'DELETE'] as const;

/** @throws SandboxError when the sandbox cannot take calls now, with the reason. */
export function checkCallable(record: SandboxRecord): void {
  const { conditions, diagnosis, stages } = record.document;
  if (record.deletingAt !== null)
    throw new SandboxError('sandbox_terminated', `sandbox ${record.id} is being removed`);
  if (hasCondition(conditions, 'Finished')) {
    throw new SandboxError(
      'sandbox_terminated',
      `sandbox ${record.id} has ended${diagnosis === null ? '' : `: ${diagnosis.message}`}`,
    );
  }
  if (!hasCondition(conditions, 'Ready')) {
    throw new SandboxError(
      'sandbox_not_ready',
      `sandbox ${record.id} is at stage ${stages.at(-1)?.stage ?? 'provisioning'}`,
    );
  }
}

/** Registers the routes; bodies are not parsed here. */
export function registerHostRoutes(server: FastifyInstance, context: ApiContext): void {
  void server.register(async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const call of CALLS) {
      app.route({
        method: [...METHODS],
        url: `/v1/sandboxes/:sandbox/${call}`,
        async handler(request: FastifyRequest<{ Params: { sandbox: string } }>, reply) {
          const record = await findSandbox(
            context.store.sandboxes,
            request.caller.owner,
            request.params.sandbox,
          );
          checkCallable(record);
          context.touch(record.id);
          reply.raw.once('close', () => context.touch(record.id));
          const connection = context.connections.get(record.hostId);
          const path = request.url.replace(/^\/v1\/sandboxes\/[^/]+/, '/v1');
          reply.hijack();
          await forwardCall(request.raw, reply.raw, { connection, path, requestId: request.id }).catch(
            (error: unknown) => {
              if (reply.raw.headersSent || reply.raw.destroyed) return reply.raw.destroy();
              return context.replyProblem(reply.raw, error, request.id);
            },
          );
        },
      });
    }
  });
}
