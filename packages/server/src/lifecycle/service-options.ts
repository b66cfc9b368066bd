/** What the operations on sandboxes work with. */
import type { SandboxLauncher } from '@omnigent/launcher';
import type { Clock, ProviderName, RandomBytes } from '@omnigent/protocol';
import type { Store } from '../store/store.ts';
import type { ConnectionRegistry } from '../tunnel/connection-registry.ts';

export type Report = (message: string, facts: Readonly<Record<string, unknown>>) => void;

export interface SandboxServiceOptions {
  readonly store: Store;
  readonly connections: ConnectionRegistry;
  /** Gives the launcher of a provider; loads it when it is first asked for. */
  readonly launcher: (provider: ProviderName) => Promise<SandboxLauncher>;
  readonly defaultProvider: ProviderName;
  /** Id of this installation. */
  readonly instance: string;
  readonly serverUrl: () => string;
  readonly lifetimeSeconds: number;
  readonly idleTimeoutSeconds: number | null;
  readonly onlineTimeoutMs: number;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly report: Report;
  /** Told how each launch ended. */
  readonly onLaunchEnded?: (ending: LaunchEnding) => void;
}

export interface LaunchEnding {
  readonly provider: ProviderName;
  /** `ready`, `canceled`, or the code of the diagnosis. */
  readonly outcome: string;
  readonly durationMs: number;
}
