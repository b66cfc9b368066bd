/** The host API of attached viewers: one stream in each direction. */
import { ATTACH_CONTENT_TYPE, attachQuerySchema, SandboxError } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { Exchange } from '../api/exchange.ts';
import type { Route } from '../api/router.ts';
import type { ProcessRegistry } from '../processes/process-registry.ts';
import { AttachSession } from './attach-session.ts';

export interface AttachRouteOptions {
  readonly processes: ProcessRegistry;
  readonly clock: Clock;
}

/** The route below `/v1/processes`. */
export function buildAttachRoutes({ processes, clock }: AttachRouteOptions): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/processes/:id/attach',
      async answer(exchange: Exchange, { id = '' }) {
        const query = exchange.query(attachQuerySchema);
        const process = processes.get(id);
        const { log } = process;
        if (query.offset !== undefined && query.offset > log.endOffset) {
          throw new SandboxError(
            'invalid_request',
            `expected an offset up to ${log.endOffset} of process ${id}, found ${query.offset}`,
          );
        }
        await process.started;
        exchange.begin(200, { 'content-type': ATTACH_CONTENT_TYPE });
        const { stream, signal } = exchange;
        const { viewers, size } = process;
        const takeImage = size === null ? undefined : () => process.screenImage;
        await new AttachSession({
          process,
          viewers,
          query,
          stream,
          signal,
          clock,
          takeImage,
        }).run();
        stream.end();
      },
    },
  ];
}
