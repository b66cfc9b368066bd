/** Keeps the conditions of sandboxes true while their hosts come and go. */
import { hasCondition } from '@omnigent/protocol';
import type { Clock, ProviderName } from '@omnigent/protocol';
import type { SandboxLauncher } from '@omnigent/launcher';
import type { Journal } from '../lifecycle/journal.ts';
import type { Report } from '../lifecycle/service-options.ts';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import type { SandboxStore } from '../store/sandbox-store.ts';
import type { ConnectionRegistry } from '../tunnel/connection-registry.ts';
import type { HostLink } from '../tunnel/host-link.ts';

export interface HostWatchOptions {
  readonly sandboxes: SandboxStore;
  readonly connections: ConnectionRegistry;
  readonly journal: Journal;
  readonly launcher: (provider: ProviderName) => Promise<SandboxLauncher>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: Report;
}

/** A host that is away this long is looked for at its provider; a short cut is none of anyone's business. */
const PATIENCE_MS = 5_000;
const INSPECT_TIMEOUT_MS = 30_000;

/** Follows the registry of connections until the signal aborts. */
export function watchHosts(options: HostWatchOptions): void {
  const { connections, report, signal } = options;
  connections.onChange((connection, isConnected) => {
    if (signal.aborted) return;
    const { hostId } = connection;
    const observed = isConnected ? observeConnected(hostId, options) : observeLost(connection, options);
    observed.catch((error: unknown) => report('a condition could not be stored', { host_id: hostId, error }));
  });
}

async function findReady(
  hostId: string,
  { sandboxes }: HostWatchOptions,
): Promise<SandboxRecord | undefined> {
  const record = await sandboxes.findByHost(hostId);
  const isReady =
    record !== undefined && record.deletingAt === null && hasCondition(record.document.conditions, 'Ready');
  return isReady ? record : undefined;
}

async function observeConnected(hostId: string, options: HostWatchOptions): Promise<void> {
  const record = await findReady(hostId, options);
  if (record === undefined || hasCondition(record.document.conditions, 'HostConnected')) return;
  await options.journal.observe(record.id, [{ type: 'HostConnected', status: 'True', reason: 'TunnelOpen' }]);
}

async function observeLost({ hostId, id }: HostLink, options: HostWatchOptions): Promise<void> {
  const { connections, clock, signal, journal } = options;
  await clock.sleep(PATIENCE_MS, { signal, unref: true }).catch(() => undefined);
  if (signal.aborted || connections.find(hostId) !== undefined) return;
  const record = await findReady(hostId, options);
  // It may have gone to another process that shares the database.
  if (record === undefined || record.document.host.connectionId !== id) return;
  await journal.observe(record.id, [{ type: 'HostConnected', status: 'False', reason: 'TunnelClosed' }]);
  await judgeLost(record, options);
}

/** Finished, when the provider says that the host is gone; otherwise it may still come back. */
async function judgeLost(record: SandboxRecord, { launcher, journal }: HostWatchOptions): Promise<void> {
  const { providerId } = record.document;
  if (providerId === null) return;
  const provider = await launcher(record.provider);
  const found = await provider.inspect(providerId, { signal: AbortSignal.timeout(INSPECT_TIMEOUT_MS) });
  if (found.state !== 'gone') return;
  const message = found.diagnosis?.message ?? 'the host is gone';
  await journal.observe(
    record.id,
    [
      { type: 'Ready', status: 'False', reason: 'HostLost', message },
      { type: 'Finished', status: 'True', reason: 'HostLost', message },
    ],
    { diagnosis: found.diagnosis, tokens: null },
  );
}
