/** The host API of ports. */
import { HOST_ROUTES } from '@omnigent/protocol';
import type { Route } from '../api/router.ts';
import { connectPort } from './connect-port.ts';
import { listPorts } from './list-ports.ts';

/** @param bootId of this run of the host; the marks of its programs begin with it. */
export function buildPortRoutes(bootId: string): Route[] {
  return [
    {
      method: 'GET',
      path: HOST_ROUTES.ports,
      async answer(exchange) {
        exchange.json(200, { items: await listPorts(bootId) });
      },
    },
    { method: 'CONNECT', path: HOST_ROUTES.tcp, answer: (exchange) => connectPort(exchange, bootId) },
  ];
}
