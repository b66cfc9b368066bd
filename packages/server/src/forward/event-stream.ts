/** Events of a sandbox as server-sent events: first what is stored, then what comes, without a gap between. */
import type { ServerResponse } from 'node:http';
import type { EventStore, NumberedEvent } from '../store/event-store.ts';

/** A comment line that keeps proxies awake. */
const HEARTBEAT_MS = 15_000;

export interface EventStreamOptions {
  readonly events: EventStore;
  readonly sandboxId: string;
  readonly after: number;
  readonly requestId: string;
}

/** Sends events until the sandbox is deleted or the reader goes. */
export async function sendEvents(response: ServerResponse, options: EventStreamOptions): Promise<void> {
  const { events, sandboxId, requestId } = options;
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-request-id': requestId,
  });
  response.flushHeaders();
  let last = options.after;
  let isLive = false;
  const waiting: NumberedEvent[] = [];
  const send = (numbered: NumberedEvent) => {
    if (numbered.sequence <= last || response.destroyed) return;
    last = numbered.sequence;
    response.write(
      `id: ${numbered.sequence}\nevent: ${numbered.event.type}\ndata: ${JSON.stringify(numbered.event)}\n\n`,
    );
    if (numbered.event.type === 'deleted') response.end();
  };
  const unsubscribe = events.subscribe(sandboxId, (numbered) =>
    isLive ? send(numbered) : void waiting.push(numbered),
  );
  const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS);
  heartbeat.unref();
  response.once('close', () => {
    clearInterval(heartbeat);
    unsubscribe();
  });
  for (const numbered of await events.list(sandboxId, last)) send(numbered);
  isLive = true;
  for (const numbered of waiting) send(numbered);
}
