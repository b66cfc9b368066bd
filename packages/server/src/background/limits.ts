/** Ends sandboxes that reached their lifetime or were idle for too long. The stored times are the truth, not timers. */
import { HOST_ROUTES, hasCondition, hostStatusSchema } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { SandboxService } from '../lifecycle/sandbox-service.ts';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import type { SandboxStore } from '../store/sandbox-store.ts';
import type { ConnectionRegistry } from '../tunnel/connection-registry.ts';

export interface LimitsOptions {
  readonly sandboxes: SandboxStore;
  readonly service: SandboxService;
  readonly connections: ConnectionRegistry;
  readonly clock: Clock;
}

const PAGE = 200;
const STATUS_TIMEOUT_MS = 5_000;

export class Limits {
  readonly #options: LimitsOptions;
  /** When each sandbox was last used, by calls through this process. */
  readonly #usedAt = new Map<string, number>();

  constructor(options: LimitsOptions) {
    this.#options = options;
  }

  /** A call of a user began or ended. */
  touch(sandboxId: string): void {
    this.#usedAt.set(sandboxId, this.#options.clock.now());
  }

  /** Looks at every sandbox once. */
  async enforce(): Promise<void> {
    const { sandboxes, service, clock } = this.#options;
    const present = new Set<string>();
    for await (const record of sandboxes.all(PAGE)) {
      present.add(record.id);
      if (record.deletingAt !== null) continue;
      if (record.expiresAt <= clock.now() || (await this.#isIdle(record))) await service.terminate(record.id);
    }
    for (const id of this.#usedAt.keys()) if (!present.has(id)) this.#usedAt.delete(id);
  }

  async #isIdle({ id, hostId, document }: SandboxRecord): Promise<boolean> {
    const { clock, connections } = this.#options;
    const { idleTimeoutSeconds: seconds } = document;
    if (seconds === null || !hasCondition(document.conditions, 'Ready')) return false;
    const usedAt = this.#usedAt.get(id);
    if (usedAt === undefined) this.touch(id);
    if (usedAt === undefined || clock.now() - usedAt < seconds * 1000) return false;
    const call = { method: 'GET', path: HOST_ROUTES.status, signal: AbortSignal.timeout(STATUS_TIMEOUT_MS) };
    const status = await connections.find(hostId)?.call(call, hostStatusSchema);
    // A program that runs is use, whether someone looks or not; a host that is away cannot be judged.
    if (status?.processes.running === 0) return true;
    this.touch(id);
    return false;
  }
}
