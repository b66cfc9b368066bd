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

/** An endpoint that takes upgrades; throws a SandboxError to refuse before anything was sent. */
export interface UpgradeRoute {
  readonly pattern: RegExp;
  readonly accept: (upgrade: Upgrade, parameters: readonly string[]) => Promise<void>;
}

export const TUNNEL_PATTERN = /^\/v1\/hosts\/([^/]+)\/tunnel$/;

/** Listens for upgrades on an HTTP server. */
export function routeUpgrades(server: Server, routes: readonly UpgradeRoute[]): void {
  server.on('upgrade', (request, duplex, head) => {
    duplex.on('error', () => duplex.destroy());
    const path = (request.url ?? '').split('?')[0] ?? '';
    const found = routes.flatMap((route) => {
      const match = route.pattern.exec(path);
      return match === null ? [] : [{ route, parameters: match.slice(1) }];
    })[0];
    const accepted =
      found === undefined
        ? Promise.reject(
            new SandboxError('route_not_found', `there is no WebSocket at ${path.slice(0, 200)}`),
          )
        : found.route.accept({ request, duplex, head }, found.parameters);
    accepted.catch((error: unknown) => refuse(duplex, error));
  });
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
