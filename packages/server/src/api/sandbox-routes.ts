/** The REST resource `/v1/sandboxes`. */
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import {
  createSandboxSchema,
  listSandboxesQuerySchema,
  sandboxListSchema,
  sandboxSchema,
} from '@omnigent/protocol';
import type { Sandbox } from '@omnigent/protocol';
import * as z from 'zod';
import { sendEvents } from '../forward/event-stream.ts';
import { toSandbox } from '../store/sandbox-record.ts';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import type { ApiContext } from './context.ts';
import { findSandbox } from './sandbox-lookup.ts';

const parametersSchema = z.strictObject({ sandbox: z.string().max(63) });
const MAX_WAIT_SECONDS = 300;
const deleteQuerySchema = z.strictObject({
  wait: z.coerce.number().int().min(0).max(MAX_WAIT_SECONDS).default(0),
});

function hasLabels({ document }: SandboxRecord, filters: readonly string[]): boolean {
  return filters.every((filter) => {
    const [key = '', value = ''] = filter.split('=', 2);
    return document.request.labels[key] === value;
  });
}

type Show = (record: SandboxRecord) => Sandbox;

/** Making and listing. */
function registerCollection(server: FastifyInstance, { store, service }: ApiContext, show: Show): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  app.post(
    '/v1/sandboxes',
    { schema: { body: createSandboxSchema, response: { 202: sandboxSchema } } },
    async (request, reply) => {
      const key = request.headers['idempotency-key'];
      const options = {
        owner: request.caller.owner,
        ...(typeof key === 'string' ? { idempotencyKey: key.slice(0, 255) } : {}),
      };
      return reply.code(202).send(show(await service.create(request.body, options)));
    },
  );
  app.get(
    '/v1/sandboxes',
    { schema: { querystring: listSandboxesQuerySchema, response: { 200: sandboxListSchema } } },
    async (request) => {
      const { label = [], ...query } = request.query;
      const page = await store.sandboxes.list({ owner: request.caller.owner, ...query });
      const filters = typeof label === 'string' ? [label] : label;
      const items = page.items.filter((record) => hasLabels(record, filters)).map(show);
      return { items, next_cursor: page.nextCursor };
    },
  );
}

/** One sandbox: reading, removing, following. */
function registerItem(server: FastifyInstance, { store, service }: ApiContext, show: Show): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  app.get(
    '/v1/sandboxes/:sandbox',
    { schema: { params: parametersSchema, response: { 200: sandboxSchema } } },
    async (request) => show(await findSandbox(store.sandboxes, request.caller.owner, request.params.sandbox)),
  );
  app.delete(
    '/v1/sandboxes/:sandbox',
    { schema: { params: parametersSchema, querystring: deleteQuerySchema } },
    async (request, reply) => {
      const { id } = await findSandbox(store.sandboxes, request.caller.owner, request.params.sandbox);
      await service.terminate(id);
      await waitAtMost(request.query.wait, service.whenDeleted(id));
      return reply.code((await store.sandboxes.get(id)) === undefined ? 204 : 202).send();
    },
  );
  app.get(
    '/v1/sandboxes/:sandbox/events',
    { schema: { params: parametersSchema } },
    async (request, reply) => {
      const { id } = await findSandbox(store.sandboxes, request.caller.owner, request.params.sandbox);
      const last = Number(request.headers['last-event-id'] ?? 0);
      const after = Number.isSafeInteger(last) ? last : 0;
      reply.hijack();
      await sendEvents(reply.raw, { events: store.events, sandboxId: id, after, requestId: request.id });
    },
  );
}

async function waitAtMost(seconds: number, done: Promise<void>): Promise<void> {
  if (seconds === 0) return;
  const late = AbortSignal.timeout(seconds * 1000);
  await Promise.race([
    done,
    new Promise((resolve) => late.addEventListener('abort', resolve, { once: true })),
  ]);
}

/** Registers the routes. */
export function registerSandboxRoutes(server: FastifyInstance, context: ApiContext): void {
  const show: Show = (record) => toSandbox(record, context.connections.find(record.hostId) !== undefined);
  registerCollection(server, context, show);
  registerItem(server, context, show);
}
