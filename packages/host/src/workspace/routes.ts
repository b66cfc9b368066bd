/** The host API of the workspace. */
import { prepareWorkspaceSchema } from '@omnigent/protocol';
import type { WorkspaceEvent } from '@omnigent/protocol';
import type { Route } from '../api/router.ts';
import type { Workspace } from './workspace.ts';

async function* toLines(events: AsyncIterable<WorkspaceEvent>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}

export function buildWorkspaceRoutes(workspace: Workspace): Route[] {
  return [
    {
      method: 'PUT',
      path: '/v1/workspace',
      async answer(exchange) {
        const events = workspace.prepare(await exchange.body(prepareWorkspaceSchema));
        await exchange.send(200, { 'content-type': 'application/x-ndjson' }, toLines(events));
      },
    },
  ];
}
