/** The server's own work beside requests; each part is small and safe beside a second server. */
import type { Clock, ProviderName } from '@omnigent/protocol';
import type { SandboxLauncher } from '@omnigent/launcher';
import type { SandboxService } from '../lifecycle/sandbox-service.ts';
import type { Report } from '../lifecycle/service-options.ts';
import type { Store } from '../store/store.ts';
import type { ConnectionRegistry } from '../tunnel/connection-registry.ts';
import { runEvery } from './every.ts';
import { watchHosts } from './host-watch.ts';
import { Limits } from './limits.ts';
import { sweep } from './sweep.ts';

export interface BackgroundOptions {
  readonly store: Store;
  readonly service: SandboxService;
  readonly connections: ConnectionRegistry;
  readonly launcher: (provider: ProviderName) => Promise<SandboxLauncher>;
  readonly defaultProvider: ProviderName;
  readonly clock: Clock;
  readonly report: Report;
}

export interface Background {
  readonly limits: Limits;
  stop(): void;
}

const LIMITS_INTERVAL_MS = 10_000;
/** A sixth of what another process waits before it takes over. */
const BEAT_INTERVAL_MS = 5_000;
const RECOVERY_INTERVAL_MS = 30_000;
const SWEEP_INTERVAL_MS = 5 * 60_000;
/** Longer than any launch is without its record. */
export const SWEEP_MIN_AGE_MS = 15 * 60_000;
const SWEEP_TIMEOUT_MS = 10 * 60_000;

/** Starts everything; `stop` ends it. */
export function startBackground(options: BackgroundOptions): Background {
  const { store, service, connections, launcher, clock, report } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const limits = new Limits({ sandboxes: store.sandboxes, service, connections, clock });
  watchHosts({
    sandboxes: store.sandboxes,
    connections,
    journal: service.journal,
    launcher,
    clock,
    signal,
    report,
  });
  void runEvery(
    { name: 'the check of lifetimes', intervalMs: LIMITS_INTERVAL_MS, clock, signal, report },
    () => limits.enforce(),
  );
  void runEvery({ name: 'the beat of leases', intervalMs: BEAT_INTERVAL_MS, clock, signal, report }, () =>
    service.beat(),
  );
  void runEvery(
    { name: 'the recovery', intervalMs: RECOVERY_INTERVAL_MS, isLater: true, clock, signal, report },
    () => service.recover(),
  );
  void runEvery({ name: 'the sweep', intervalMs: SWEEP_INTERVAL_MS, clock, signal, report }, () =>
    sweepDefault(options, signal),
  );
  return { limits, stop: () => controller.abort() };
}

async function sweepDefault(
  { store, launcher, defaultProvider, clock, report }: BackgroundOptions,
  signal: AbortSignal,
): Promise<void> {
  const both = AbortSignal.any([signal, AbortSignal.timeout(SWEEP_TIMEOUT_MS)]);
  const swept = await sweep({
    launcher: await launcher(defaultProvider),
    sandboxes: store.sandboxes,
    clock,
    minAgeMs: SWEEP_MIN_AGE_MS,
    isDryRun: false,
    signal: both,
  });
  if (swept.deleted.length + swept.failed.length > 0)
    report('swept', { deleted: swept.deleted, failed: swept.failed });
}
