/** Follows the events of a sandbox and goes on after interruptions, without a gap and without repeats. */
import { SERVER_ROUTES, SandboxError, isSandboxError, sandboxEventSchema } from '@omnigent/protocol';
import type { SandboxEvent } from '@omnigent/protocol';
import { readServerSentEvents } from './event-source.ts';
import type { Http } from './http.ts';
import { readBody } from './read-body.ts';
import { Reattacher } from './reattach.ts';
import type { ReattachOptions } from './reattach.ts';

export interface FollowEventsOptions extends ReattachOptions {
  readonly sandboxId: string;
  readonly http: Http;
}

/** Yields events from the first one on; ends after `deleted`. */
export async function* followEvents(options: FollowEventsOptions): AsyncGenerator<SandboxEvent> {
  const { http, sandboxId, signal } = options;
  const reattacher = new Reattacher(options);
  let last = '0';
  for (;;) {
    try {
      const response = await http.send({
        method: 'GET',
        path: SERVER_ROUTES.sandboxEvents(sandboxId),
        headers: { 'last-event-id': last },
        signal,
      });
      for await (const { id, data } of readServerSentEvents(readBody(response))) {
        reattacher.succeed();
        last = id;
        const event = sandboxEventSchema.parse(JSON.parse(data));
        yield event;
        if (event.type === 'deleted') return;
      }
      throw new SandboxError('server_unreachable', 'the stream of events ended');
    } catch (error) {
      // A sandbox whose record is gone was deleted while we were away.
      if (isSandboxError(error) && error.code === 'sandbox_not_found' && last !== '0') return;
      await reattacher.waitAfter(isSandboxError(error) ? error : http.toConnectionError(error, signal));
    }
  }
}
