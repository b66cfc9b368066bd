/** `GET /v1/sandboxes/{id}/processes/{process_id}/attach`: refuses before the upgrade, then passes messages through. */
import type { IncomingMessage } from 'node:http';
import {
  ATTACH_SUBPROTOCOL,
  HOST_ROUTES,
  MAX_ATTACH_FRAME_BYTES,
  SandboxError,
  attachQuerySchema,
} from '@omnigent/protocol';
import type { AttachQuery } from '@omnigent/protocol';
import { WebSocketServer } from 'ws';
import type { ApiContext } from '../api/context.ts';
import { admitCaller, decodeSegment, findCallable, openHostStream } from '../forward/public-call.ts';
import type { HostStream } from '../forward/public-call.ts';
import type { HostLink } from '../tunnel/host-link.ts';
import type { Upgrade } from '../tunnel/upgrade.ts';
import { bridgeMessages } from './bridge.ts';

export const ATTACH_PATTERN = /^\/v1\/sandboxes\/([^/]+)\/processes\/([^/]+)\/attach$/;

/** A host that does not answer in this time is not waited for. */
const OPEN_TIMEOUT_MS = 10_000;

export class AttachEndpoint {
  readonly #context: ApiContext;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_ATTACH_FRAME_BYTES,
    handleProtocols: () => ATTACH_SUBPROTOCOL,
  });

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** Answers an upgrade request. @throws SandboxError when it is refused; nothing has been sent then. */
  async accept(
    { request, duplex, head }: Upgrade,
    [sandbox = '', processId = '']: readonly string[],
  ): Promise<void> {
    const { connections, touch } = this.#context;
    const { owner } = admitCaller(request, this.#context, ATTACH_SUBPROTOCOL);
    const query = parseQuery(request);
    const record = await findCallable(this.#context, owner, sandbox);
    const stream = await openAttach(connections.get(record.hostId), decodeSegment(processId), query);
    if (duplex.destroyed) return stream.close();
    touch(record.id);
    this.#sockets.handleUpgrade(request, duplex, head, (socket) => {
      bridgeMessages(socket, stream, { onUse: () => touch(record.id) });
    });
  }
}

async function openAttach(connection: HostLink, processId: string, query: AttachQuery): Promise<HostStream> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  const path = `${HOST_ROUTES.attach(processId)}?${parameters.toString()}`;
  return await openHostStream(connection, { method: 'POST', path }, OPEN_TIMEOUT_MS);
}

function parseQuery(request: IncomingMessage): AttachQuery {
  const text = (request.url ?? '').split('?', 2)[1] ?? '';
  const result = attachQuerySchema.safeParse(Object.fromEntries(new URLSearchParams(text)));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new SandboxError(
    'invalid_request',
    `the query, ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`,
  );
}
