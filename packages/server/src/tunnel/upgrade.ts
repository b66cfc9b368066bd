/** Takes the HTTP server's upgrade requests to the endpoint that they name; everything else is refused with a problem. */
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROBLEM_CONTENT_TYPE, SandboxError, hostIdSchema, toProblem } from '@omnigent/protocol';

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly duplex: Duplex;
  readonly head: Buffer;
}

/** Takes an upgrade that is its own, else returns undefined; throws a SandboxError to refuse before anything was sent. */
export type UpgradeRoute = (upgrade: Upgrade) => Promise<void> | undefined;

/** Takes the upgrades whose path, without its query, is as the pattern says. */
export function byPath(
  pattern: RegExp,
  accept: (upgrade: Upgrade, parameters: readonly string[]) => Promise<void>,
): UpgradeRoute {
  return (upgrade) => {
    const match = pattern.exec((upgrade.request.url ?? '').split('?')[0] ?? '');
    return match === null ? undefined : accept(upgrade, match.slice(1));
  };
}

export const TUNNEL_PATTERN = /^\/v1\/hosts\/([^/]+)\/tunnel$/;

/** Listens for upgrades on an HTTP server. */
export function routeUpgrades(server: Server, routes: readonly UpgradeRoute[]): void {
  server.on('upgrade', (request, duplex, head) => {
    duplex.on('error', () => duplex.destroy());
    const accepted = accept({ request, duplex, head }, routes);
    accepted.catch((error: unknown) => refuse(duplex, error));
  });
}

async function accept(upgrade: Upgrade, routes: readonly UpgradeRoute[]): Promise<void> {
  for (const route of routes) {
    const accepted = route(upgrade);
    if (accepted !== undefined) return await accepted;
  }
  const path = (upgrade.request.url ?? '').split('?')[0] ?? '';
  throw new SandboxError('route_not_found', `there is no WebSocket at ${path.slice(0, 200)}`);
}

/** @throws SandboxError `unauthenticated` for something that cannot be a host id. */
export function parseHostId(text: string): string {
  const result = hostIdSchema.safeParse(text);
  if (!result.success) throw new SandboxError('unauthenticated', 'the host or its token is unknown');
  return result.data;
}

function refuse(duplex: Duplex, error: unknown): void {
  const problem = toProblem(error);
  const body = JSON.stringify(problem);
  duplex.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? 'Error'}\r\ncontent-type: ${PROBLEM_CONTENT_TYPE}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
