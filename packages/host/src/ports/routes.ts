/** The host API of ports. */
import { HOST_ROUTES } from '@omnigent/protocol';
import type { Route } from '../api/router.ts';
import { connectPort } from './connect-port.ts';
import { listPorts } from './list-ports.ts';

export function buildPortRoutes(): Route[] {
  return [
    {
      method: 'GET',
      path: HOST_ROUTES.ports,
      async answer(exchange) {
        exchange.json(200, { items: await listPorts() });
      },
    },
    { method: 'CONNECT', path: HOST_ROUTES.tcp, answer: connectPort },
  ];
}
