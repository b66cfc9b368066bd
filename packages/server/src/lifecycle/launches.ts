/** Launches of this process: each under its sandbox's lock, each with an end that is stored, whatever happens. */
import { SpanStatusCode, trace } from '@opentelemetry/api';
import type { SandboxLauncher } from '@omnigent/launcher';
import { SandboxError, isSandboxError } from '@omnigent/protocol';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import type { Journal } from './journal.ts';
import type { SandboxLock } from './sandbox-lock.ts';
import { toDiagnosis } from './launch.ts';
import type { LaunchContext } from './launch.ts';
import { removeSandbox } from './remove-sandbox.ts';
import type { SandboxServiceOptions } from './service-options.ts';

export interface LaunchesOptions {
  readonly service: SandboxServiceOptions;
  readonly journal: Journal;
  readonly lock: SandboxLock;
}

/** A launch or the rest of one. */
export type RunLaunch = (context: LaunchContext, signal: AbortSignal) => Promise<void>;

interface Failure {
  readonly launcher: SandboxLauncher;
  readonly error: unknown;
  readonly signal: AbortSignal;
}

const tracer = trace.getTracer('omnigent');

export class Launches {
  readonly #options: LaunchesOptions;
  readonly #running = new Map<string, AbortController>();

  constructor(options: LaunchesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Whether a launch runs here, or the rest of one. */
  has(id: string): boolean {
    return this.#running.has(id);
  }

  /** Ends a launch that runs; what it created is left to whoever asked. */
  abort(id: string, reason: SandboxError): void {
    this.#running.get(id)?.abort(reason);
  }

  abortAll(reason: SandboxError): void {
    for (const controller of this.#running.values()) controller.abort(reason);
  }

  /** Counts a launch as running before its record exists, so that nobody takes it for an interrupted one. */
  announce(id: string): void {
    this.#running.set(id, new AbortController());
  }

  /** Takes back {@link announce}. */
  forget(id: string): void {
    this.#running.delete(id);
  }

  /** Runs a launch; never rejects. A failure is cleaned up and stored as the record's diagnosis. */
  async run(record: SandboxRecord, launcher: SandboxLauncher, run: RunLaunch): Promise<void> {
    const { lock, service } = this.#options;
    const controller = this.#running.get(record.id) ?? new AbortController();
    const startedMs = service.clock.monotonicMs();
    this.#running.set(record.id, controller);
    const span = tracer.startSpan('launch', {
      attributes: { 'omnigent.sandbox.id': record.id, 'omnigent.provider': record.provider },
    });
    let outcome = 'ready';
    try {
      await lock.run(record.id, async () => {
        try {
          controller.signal.throwIfAborted();
          await run(this.#context(launcher), controller.signal);
        } catch (error) {
          outcome = await this.#end(record, { launcher, error, signal: controller.signal });
          span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
        }
      });
    } catch (error) {
      outcome = isSandboxError(error) && error.code === 'shutting_down' ? 'canceled' : 'internal';
      if (outcome === 'internal')
        service.report('a failed launch could not be cleaned up; the sweep will', {
          sandbox_id: record.id,
          error,
        });
    } finally {
      this.#running.delete(record.id);
      span.end();
      service.onLaunchEnded?.({
        provider: record.provider,
        outcome,
        durationMs: service.clock.monotonicMs() - startedMs,
      });
    }
  }

  async #end(record: SandboxRecord, { error, launcher, signal }: Failure): Promise<string> {
    const { service, journal } = this.#options;
    // Terminated: the deletion that waits for the lock does the rest. Shutting down: the next process does.
    if (signal.aborted && isSandboxError(signal.reason)) return 'canceled';
    const present = (await service.store.sandboxes.get(record.id)) ?? record;
    const diagnosis = toDiagnosis(error, present);
    const { code, stage } = diagnosis;
    service.report('launch failed', { sandbox_id: record.id, code, stage, error });
    try {
      await removeSandbox(present, launcher, service.connections);
    } finally {
      // A provider that can remove nothing must not keep the failure from those who wait for it.
      await journal.fail(record.id, diagnosis);
    }
    return code;
  }

  #context(launcher: SandboxLauncher): LaunchContext {
    const { service, journal } = this.#options;
    const { store, connections, clock, serverUrl, onlineTimeoutMs, report } = service;
    return {
      launcher,
      sandboxes: store.sandboxes,
      connections,
      journal,
      clock,
      serverUrl: serverUrl(),
      onlineTimeoutMs: launcher.connectTimeoutMs ?? onlineTimeoutMs,
      report,
    };
  }
}
