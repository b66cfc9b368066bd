/** What the routes work with; put together in `create-server.ts`. */
import type { ServerResponse } from 'node:http';
import type { Caller } from '../auth/bearer.ts';
import type { SandboxService } from '../lifecycle/sandbox-service.ts';
import type { Store } from '../store/store.ts';
import type { ConnectionRegistry } from '../tunnel/connection-registry.ts';

export interface ApiContext {
  readonly store: Store;
  readonly service: SandboxService;
  readonly connections: ConnectionRegistry;
  readonly authenticate: (header: string | undefined) => Caller;
  readonly instance: string;
  readonly providers: readonly string[];
  readonly serverUrl: () => string;
  /** Answers with a problem document where Fastify has let go of the response. */
  readonly replyProblem: (response: ServerResponse, error: unknown, requestId: string) => void;
}
