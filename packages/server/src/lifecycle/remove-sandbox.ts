/** Removes everything of a sandbox at its provider, and closes its tunnel. */
import type { SandboxLauncher } from '@omnigent/launcher';
import { CLOSE } from '@omnigent/protocol';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import type { ConnectionRegistry } from '../tunnel/connection-registry.ts';

const TERMINATE_TIMEOUT_MS = 120_000;

/** Resolves when the provider confirmed that nothing is left. */
export async function removeSandbox(
  record: SandboxRecord,
  launcher: SandboxLauncher,
  connections: ConnectionRegistry,
): Promise<void> {
  connections.close(record.hostId, CLOSE.terminated);
  const { providerId } = record.document;
  if (providerId === null) return;
  await launcher.terminate(providerId, { signal: AbortSignal.timeout(TERMINATE_TIMEOUT_MS) });
}
