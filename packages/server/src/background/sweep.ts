/** Deletes what carries this installation's id and no live record owns: what a crash between any two lines left. */
import type { SandboxLauncher } from '@omnigent/launcher';
import { toErrorMessage } from '@omnigent/protocol';
import type { Clock, SweepReport } from '@omnigent/protocol';
import pLimit from 'p-limit';
import type { SandboxStore } from '../store/sandbox-store.ts';

export interface SweepOptions {
  readonly launcher: SandboxLauncher;
  readonly sandboxes: SandboxStore;
  readonly clock: Clock;
  /** What is younger may belong to a launch whose record is being written. */
  readonly minAgeMs: number;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
}

/** Deletions at once: a sweep must not crowd out launches. */
const PARALLEL = 4;

/** Sweeps one provider; each failure is part of the report. */
export async function sweep(options: SweepOptions): Promise<SweepReport> {
  const { launcher, sandboxes, clock, minAgeMs, isDryRun, signal } = options;
  const report: SweepReport = { dry_run: isDryRun, deleted: [], failed: [] };
  const limit = pLimit(PARALLEL);
  const deletions: Promise<void>[] = [];
  for await (const { providerId, hostId, createdAt } of launcher.list({ signal })) {
    if (clock.now() - createdAt < minAgeMs) continue;
    const record = hostId === null ? undefined : await sandboxes.findByHost(hostId);
    // A record that lost its object's id to a relaunch owns the new one only.
    if (record !== undefined && record.document.providerId === providerId) continue;
    const remove = async () => {
      try {
        if (!isDryRun) await launcher.terminate(providerId, { signal });
        report.deleted.push(providerId);
      } catch (error) {
        report.failed.push({ id: providerId, message: toErrorMessage(error) });
      }
    };
    deletions.push(limit(remove));
  }
  await Promise.all(deletions);
  return report;
}
