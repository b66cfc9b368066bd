/** `GET /v1/sandboxes/{id}/processes/{process_id}/attach`: refuses before the upgrade, then passes messages through. */
import type { IncomingMessage } from 'node:http';
import {
  ATTACH_SUBPROTOCOL,
  HOST_ROUTES,
  MAX_ATTACH_FRAME_BYTES,
  SandboxError,
  attachQuerySchema,
  fromProblem,
} from '@omnigent/protocol';
import type { AttachQuery } from '@omnigent/protocol';
import { WebSocketServer } from 'ws';
import type { ApiContext } from '../api/context.ts';
import { checkCallable } from '../api/host-routes.ts';
import { findSandbox } from '../api/sandbox-lookup.ts';
import { authenticateUpgrade, readProtocols } from '../auth/upgrade-caller.ts';
import { parseJsonText, readText } from '../tunnel/host-connection.ts';
import type { HostLink } from '../tunnel/host-link.ts';
import type { Upgrade } from '../tunnel/upgrade.ts';
import { bridgeMessages } from './bridge.ts';
import type { HostStream } from './bridge.ts';

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
    const { store, connections, authenticate, touch } = this.#context;
    const { owner } = authenticateUpgrade(request, authenticate);
    if (!readProtocols(request).includes(ATTACH_SUBPROTOCOL)) {
      throw new SandboxError(
        'invalid_request',
        `expected the subprotocol ${ATTACH_SUBPROTOCOL} to be offered`,
      );
    }
    const query = parseQuery(request);
    const record = await findSandbox(store.sandboxes, owner, decode(sandbox));
    checkCallable(record);
    const stream = await openAttach(connections.get(record.hostId), decode(processId), query);
    if (duplex.destroyed) return stream.close();
    touch(record.id);
    this.#sockets.handleUpgrade(request, duplex, head, (socket) => {
      bridgeMessages(socket, stream, { onUse: () => touch(record.id) });
    });
  }
}

/** Asks the host first: what it refuses, the caller learns as a problem document. */
async function openAttach(connection: HostLink, processId: string, query: AttachQuery): Promise<HostStream> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  const path = `${HOST_ROUTES.attach(processId)}?${parameters.toString()}`;
  const request = connection.openStream({ method: 'POST', path, hasBody: true });
  const timeout = AbortSignal.timeout(OPEN_TIMEOUT_MS);
  const onTimeout = () => request.destroy();
  timeout.addEventListener('abort', onTimeout, { once: true });
  try {
    const { status, body } = await connection.respond(request, timeout);
    if (status === 200)
      return { request, body, close: () => request.destroy(), isConnected: () => connection.isOpen };
    throw fromProblem(parseJsonText(await readText(body)), 'host_protocol');
  } finally {
    timeout.removeEventListener('abort', onTimeout);
  }
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

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new SandboxError('invalid_request', 'the path has a broken % escape', { cause });
  }
}
