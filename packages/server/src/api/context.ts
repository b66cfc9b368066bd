/** What the routes work with; put together in `create-server.ts`. */
import type { ServerResponse } from 'node:http';
import type { Caller } from '../auth/bearer.ts';
import type { ProviderName, SweepReport } from '@omnigent/protocol';
import type { SandboxService } from '../lifecycle/sandbox-service.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { OpenedPreview } from '../preview/preview-address.ts';
import type { PreviewGrant } from '../preview/preview-sessions.ts';
import type { Store } from '../store/store.ts';
import type { ConnectionRegistry } from '../tunnel/connection-registry.ts';

export interface SweepRequest {
  readonly isDryRun: boolean;
  readonly provider: ProviderName | undefined;
}

export interface ApiContext {
  readonly store: Store;
  readonly service: SandboxService;
  readonly connections: ConnectionRegistry;
  readonly authenticate: (header: string | undefined) => Caller;
  readonly instance: string;
  readonly providers: readonly string[];
  readonly serverUrl: () => string;
  readonly metrics: Metrics;
  readonly sweep: (options: SweepRequest) => Promise<SweepReport>;
  /** A call of a user began or ended: the sandbox is in use. */
  readonly touch: (sandboxId: string) => void;
  /** Undefined: the server has no domain for previews. */
  readonly openPreview: (grant: PreviewGrant) => OpenedPreview | undefined;
  /** Answers with a problem document where Fastify has let go of the response. */
  readonly replyProblem: (response: ServerResponse, error: unknown, requestId: string) => void;
}
