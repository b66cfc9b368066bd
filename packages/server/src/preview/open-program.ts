/** A connection to the program on a port; where nothing listens, the error names the ports where something does. */
import { HOST_ROUTES, SandboxError, isSandboxError, portListSchema } from '@omnigent/protocol';
import { openPort } from '../forward/open-port.ts';
import type { HostLink } from '../tunnel/host-link.ts';
import { HostSocket } from './host-socket.ts';

const LIST_TIMEOUT_MS = 5_000;
const MAX_NAMED = 10;

/** @throws SandboxError `port_not_listening`, `host_offline`. */
export async function openProgram(connection: HostLink, port: number): Promise<HostSocket> {
  try {
    return new HostSocket(await openPort(connection, port));
  } catch (error) {
    if (!isSandboxError(error) || error.code !== 'port_not_listening') throw error;
    const ports = await describePorts(connection);
    throw new SandboxError('port_not_listening', `${error.message}; ${ports}`, { cause: error });
  }
}

async function describePorts(connection: HostLink): Promise<string> {
  const call = { method: 'GET', path: HOST_ROUTES.ports, signal: AbortSignal.timeout(LIST_TIMEOUT_MS) };
  const list = await connection.call(call, portListSchema).catch(() => undefined);
  if (list === undefined) return 'what listens could not be found out';
  const named = new Map(list.items.map(({ port, program }) => [port, program]));
  if (named.size === 0) return 'no other port has a program either';
  const texts = [...named].map(([port, program]) => (program === null ? `${port}` : `${port} (${program})`));
  const more = texts.length > MAX_NAMED ? ' and more' : '';
  return `programs listen on ${texts.slice(0, MAX_NAMED).join(', ')}${more}`;
}
