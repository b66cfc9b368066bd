/** The host API about the host itself. */
import { loadavg } from 'node:os';
import { VERSION, receivedTokenSchema, toIsoTime } from '@omnigent/protocol';
import type { HostStatus } from '@omnigent/protocol';
import type { Route } from '../api/router.ts';
import { readMemoryFacts } from '../processes/memory-limit.ts';
import type { ProcessRegistry } from '../processes/process-registry.ts';
import type { Workspace } from '../workspace/workspace.ts';

export interface StatusOptions {
  readonly bootId: string;
  readonly startedAt: number;
  readonly capabilities: readonly string[];
  readonly processes: ProcessRegistry;
  readonly workspace: Workspace;
  /** Takes the token for the next dials; it stays in memory. */
  readonly acceptToken: (token: string) => void;
  /** Called when the server has what it asks for after a dial. */
  readonly onAnswered: () => void;
}

async function readStatus(options: StatusOptions): Promise<HostStatus> {
  const memory = await readMemoryFacts();
  const processes = options.processes.list();
  return {
    version: VERSION,
    boot_id: options.bootId,
    capabilities: [...options.capabilities],
    started_at: toIsoTime(options.startedAt),
    load_average: loadavg(),
    memory: { used_bytes: memory.usedBytes, limit_bytes: memory.limitBytes, oom_kills: memory.oomKills },
    processes: { running: processes.filter(({ isRunning }) => isRunning).length, total: processes.length },
    workspace: options.workspace.path,
  };
}

export function buildStatusRoutes(options: StatusOptions): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/status',
      async answer(exchange) {
        exchange.json(200, await readStatus(options));
        exchange.stream.once('close', options.onAnswered);
      },
    },
    {
      method: 'PUT',
      path: '/v1/connection-token',
      async answer(exchange) {
        const { token } = await exchange.body(receivedTokenSchema);
        options.acceptToken(token);
        exchange.empty();
      },
    },
  ];
}
