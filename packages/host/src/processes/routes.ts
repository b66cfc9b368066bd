/** The host API of programs. */
import {
  LOG_CONTENT_TYPE,
  LOG_FIRST_OFFSET_HEADER,
  LOG_OFFSET_HEADER,
  SandboxError,
  flagSchema,
  inputQuerySchema,
  outputQuerySchema,
  processIdSchema,
  signalRequestSchema,
  startProcessSchema,
  terminalSizeSchema,
} from '@omnigent/protocol';
import type { Exchange } from '../api/exchange.ts';
import type { Route } from '../api/router.ts';
import { followOutput } from './follow-output.ts';
import type { ProcessRegistry } from './process-registry.ts';
import type { SupervisedProcess } from './supervised-process.ts';

const startQuerySchema = outputQuerySchema.extend({ follow: flagSchema });

interface SendOptions {
  readonly status: number;
  readonly offset: number;
  readonly follow: boolean;
}

async function sendOutput(
  exchange: Exchange,
  { log, id }: SupervisedProcess,
  options: SendOptions,
): Promise<void> {
  const { status, offset, follow } = options;
  if (offset > log.endOffset) {
    throw new SandboxError(
      'invalid_request',
      `expected an offset up to ${log.endOffset} of process ${id}, found ${offset}`,
    );
  }
  const headers = {
    'content-type': LOG_CONTENT_TYPE,
    [LOG_OFFSET_HEADER]: String(offset),
    [LOG_FIRST_OFFSET_HEADER]: String(log.firstOffset),
  };
  await exchange.send(status, headers, followOutput(log, { offset, follow, signal: exchange.signal }));
}

type Parameters = Readonly<Record<string, string>>;

/** Listing, starting, reading and removing. */
function buildLifeRoutes(registry: ProcessRegistry): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/processes',
      answer: (exchange) => exchange.json(200, { items: registry.list() }),
    },
    {
      method: 'PUT',
      path: '/v1/processes/:id',
      answer: async (exchange, { id = '' }) => await start(registry, exchange, id),
    },
    {
      method: 'GET',
      path: '/v1/processes/:id',
      answer: (exchange, { id = '' }) => exchange.json(200, registry.get(id)),
    },
    {
      method: 'DELETE',
      path: '/v1/processes/:id',
      async answer(exchange, { id = '' }) {
        await registry.remove(id);
        exchange.empty();
      },
    },
  ];
}

async function start(registry: ProcessRegistry, exchange: Exchange, id: string): Promise<void> {
  const query = exchange.query(startQuerySchema);
  if (!processIdSchema.safeParse(id).success) {
    throw new SandboxError(
      'invalid_request',
      `expected a process id of 1 to 64 of A-Z a-z 0-9 . _ -, found ${JSON.stringify(id)}`,
    );
  }
  const { process, isNew } = registry.start(id, await exchange.body(startProcessSchema));
  const status = isNew ? 201 : 200;
  if (query.follow === '1') {
    await sendOutput(exchange, process, { status, offset: query.offset, follow: true });
    return;
  }
  await process.started;
  exchange.json(status, process);
}

/** Output, input, signals and size. */
function buildStreamRoutes(registry: ProcessRegistry): Route[] {
  const find = ({ id = '' }: Parameters) => registry.get(id);
  return [
    {
      method: 'GET',
      path: '/v1/processes/:id/output',
      async answer(exchange, parameters) {
        const { offset, follow } = exchange.query(outputQuerySchema);
        await sendOutput(exchange, find(parameters), { status: 200, offset, follow: follow === '1' });
      },
    },
    {
      method: 'PUT',
      path: '/v1/processes/:id/input',
      async answer(exchange, parameters) {
        const { offset, eof } = exchange.query(inputQuerySchema);
        const { input } = find(parameters);
        await input.write(offset, exchange.stream as AsyncIterable<Buffer>, { eof: eof === '1' });
        exchange.json(200, { offset: input.offset, closed: input.isClosed });
      },
    },
    {
      method: 'POST',
      path: '/v1/processes/:id/signal',
      async answer(exchange, parameters) {
        const { signal } = await exchange.body(signalRequestSchema);
        await find(parameters).signal(signal);
        exchange.empty();
      },
    },
    {
      method: 'POST',
      path: '/v1/processes/:id/resize',
      async answer(exchange, parameters) {
        await find(parameters).resize(await exchange.body(terminalSizeSchema));
        exchange.empty();
      },
    },
  ];
}

/** The routes below `/v1/processes`. */
export function buildProcessRoutes(registry: ProcessRegistry): Route[] {
  return [...buildLifeRoutes(registry), ...buildStreamRoutes(registry)];
}
