/** Operations on sandboxes: create, terminate, recover. One at a time per sandbox; deleting wins over everything. */
import { createHash } from 'node:crypto';
import {
  CLOSE,
  SandboxError,
  buildId,
  isSandboxError,
  parseRepository,
  toErrorMessage,
} from '@omnigent/protocol';
import type { Clock, CreateSandbox, ProviderName, RandomBytes } from '@omnigent/protocol';
import type { SandboxLauncher } from '@omnigent/launcher';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import type { Store } from '../store/store.ts';
import type { ConnectionRegistry } from '../tunnel/connection-registry.ts';
import { createToken, toDigest } from '../tunnel/token.ts';
import { Journal } from './journal.ts';
import { KeyedLock } from './keyed-lock.ts';
import { finishLaunch, launchSandbox, toDiagnosis } from './launch.ts';
import type { LaunchContext } from './launch.ts';

export interface SandboxServiceOptions {
  readonly store: Store;
  readonly connections: ConnectionRegistry;
  /** Gives the launcher of a provider; loads it when it is first asked for. */
  readonly launcher: (provider: ProviderName) => Promise<SandboxLauncher>;
  readonly defaultProvider: ProviderName;
  readonly serverUrl: () => string;
  readonly lifetimeSeconds: number;
  readonly idleTimeoutSeconds: number | null;
  readonly onlineTimeoutMs: number;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly report: (message: string, facts: Readonly<Record<string, unknown>>) => void;
}

export interface CreateOptions {
  readonly owner: string;
  readonly idempotencyKey?: string;
}

/** The token lives a little longer than the sandbox, so that the end is never a refused reconnect. */
const TOKEN_SLACK_MS = 10 * 60 * 1000;
const TERMINATE_TIMEOUT_MS = 120_000;
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;

export class SandboxService {
  readonly journal: Journal;
  readonly #options: SandboxServiceOptions;
  readonly #lock = new KeyedLock();
  /** Launches of this process by sandbox id. */
  readonly #launches = new Map<string, AbortController>();
  readonly #deletions = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: SandboxServiceOptions) {
    this.#options = options;
    this.journal = new Journal(options.store, options.clock);
  }

  /** Whether something is being launched or removed now. */
  get isBusy(): boolean {
    return this.#launches.size + this.#deletions.size > 0;
  }

  /** Validates, stores, and starts the launch in the background. */
  async create(request: CreateSandbox, options: CreateOptions): Promise<SandboxRecord> {
    if (this.#closing.signal.aborted) throw new SandboxError('shutting_down', 'the server is shutting down');
    const { store, clock, randomBytes } = this.#options;
    const launcher = await this.#validate(request);
    const id = buildId('s', randomBytes);
    const token = createToken(randomBytes);
    if (options.idempotencyKey !== undefined) {
      const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
      const claimed = await store.idempotency.claim(
        { owner: options.owner, key: options.idempotencyKey, digest },
        id,
        clock.now(),
      );
      const existing = claimed === id ? undefined : await store.sandboxes.get(claimed);
      if (existing !== undefined) return existing;
      if (claimed !== id)
        throw new SandboxError('sandbox_terminated', 'the sandbox that this Idempotency-Key made is gone');
    }
    const record = this.#buildRecord({
      id,
      request,
      owner: options.owner,
      provider: launcher.provider,
      token,
    });
    await store.sandboxes.insert(record);
    void this.#launch(record, { launcher, token });
    return record;
  }

  /** The launcher of a provider, or of the default one. */
  async launcher(provider: ProviderName | undefined): Promise<SandboxLauncher> {
    return await this.#options.launcher(provider ?? this.#options.defaultProvider);
  }

  /** What {@link create} would store, for a plan; nothing is stored. */
  async plan(
    request: CreateSandbox,
    owner: string,
  ): Promise<{ readonly record: SandboxRecord; readonly launcher: SandboxLauncher; readonly token: string }> {
    const launcher = await this.#validate(request);
    const { randomBytes } = this.#options;
    const token = createToken(randomBytes);
    const record = this.#buildRecord({
      id: buildId('s', randomBytes),
      request,
      owner,
      provider: launcher.provider,
      token,
    });
    return { record, launcher, token };
  }

  /** Asks for deletion; resolves when the intent is stored. {@link whenDeleted} waits for the end. */
  async terminate(id: string): Promise<void> {
    const { clock, store } = this.#options;
    await store.sandboxes.update(id, ({ deletingAt }) =>
      deletingAt === null ? { deletingAt: clock.now() } : undefined,
    );
    this.#launches.get(id)?.abort(new SandboxError('sandbox_terminated', 'the sandbox was terminated'));
    this.#startDeletion(id);
  }

  /** Resolves when a deletion that this process runs has ended; at once when there is none. */
  async whenDeleted(id: string): Promise<void> {
    await this.#deletions.get(id);
  }

  /** After a start of the server: goes on with what an earlier process left. */
  async recover(): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await this.#options.store.sandboxes.list({
        limit: 200,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const record of page.items) this.#recoverOne(record);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Ends what runs here: launches are left to the next process, which finds them in the store. */
  async close(): Promise<void> {
    this.#closing.abort();
    const reason = new SandboxError('shutting_down', 'the server is shutting down');
    for (const controller of this.#launches.values()) controller.abort(reason);
    await Promise.allSettled([...this.#deletions.values()]);
  }

  async #validate(request: CreateSandbox): Promise<SandboxLauncher> {
    const launcher = await this.launcher(request.provider);
    const allowPath = launcher.capabilities.local_repositories;
    const repositories = request.repositories.map((text) => parseRepository(text, { allowPath }));
    const directories = repositories.map(({ directory }) => directory);
    const twice = directories.find((directory, index) => directories.indexOf(directory) !== index);
    if (twice !== undefined) {
      throw new SandboxError(
        'invalid_repository',
        `repositories: expected different directory names, found ${JSON.stringify(twice)} twice`,
      );
    }
    launcher.validate({
      repositories,
      env: request.env,
      ...(request.agent === undefined ? {} : { agent: request.agent }),
      ...(request.host_config === undefined ? {} : { hostConfig: request.host_config }),
    });
    return launcher;
  }

  #buildRecord(facts: {
    id: string;
    request: CreateSandbox;
    owner: string;
    provider: ProviderName;
    token: string;
  }): SandboxRecord {
    const { clock, randomBytes } = this.#options;
    const { id, request, owner, provider, token } = facts;
    const now = clock.now();
    const lifetimeSeconds = request.lifetime_seconds ?? this.#options.lifetimeSeconds;
    const expiresAt = now + lifetimeSeconds * 1000;
    return {
      id,
      owner,
      name: request.name ?? null,
      hostId: buildId('h', randomBytes),
      provider,
      createdAt: now,
      deletingAt: null,
      expiresAt,
      revision: 0,
      document: {
        request,
        operatingMode: 'Running',
        hostName:
          request.name ??
          request.repositories[0]
            ?.replace(/#.*$/, '')
            .split(/[/:]/)
            .at(-1)
            ?.replace(/\.git$/, '') ??
          id,
        providerId: null,
        workspace: null,
        conditions: [],
        stages: [],
        diagnosis: null,
        tokens: {
          current: toDigest(token),
          next: null,
          kind: 'launch',
          expiresAt: expiresAt + TOKEN_SLACK_MS,
        },
        host: { version: null, bootId: null, capabilities: [] },
        lifetimeSeconds,
        idleTimeoutSeconds: request.idle_timeout_seconds ?? this.#options.idleTimeoutSeconds,
        updatedAt: now,
      },
    };
  }

  async #launch(
    record: SandboxRecord,
    { launcher, token }: { launcher: SandboxLauncher; token: string },
  ): Promise<void> {
    await this.#runLaunch(record, launcher, (context, signal) =>
      launchSandbox(record, context, { token, signal }),
    );
  }

  /** Runs a launch (or the rest of one) under the sandbox's lock, and cleans up when it fails. */
  async #runLaunch(
    record: SandboxRecord,
    launcher: SandboxLauncher,
    run: (context: LaunchContext, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const controller = new AbortController();
    this.#launches.set(record.id, controller);
    try {
      await this.#lock.run(record.id, async () => {
        try {
          controller.signal.throwIfAborted();
          await run(this.#context(launcher), controller.signal);
        } catch (error) {
          await this.#endFailedLaunch(record, { launcher, error, signal: controller.signal });
        }
      });
    } catch (error) {
      this.#options.report('a failed launch could not be cleaned up; the sweep will', {
        sandbox_id: record.id,
        error,
      });
    } finally {
      this.#launches.delete(record.id);
    }
  }

  async #endFailedLaunch(
    record: SandboxRecord,
    failure: { launcher: SandboxLauncher; error: unknown; signal: AbortSignal },
  ): Promise<void> {
    const { error, launcher, signal } = failure;
    const reason: unknown = signal.reason;
    // Terminated: the deletion that waits for the lock does the rest. Shutting down: the next process does.
    if (signal.aborted && isSandboxError(reason)) return;
    const present = (await this.#options.store.sandboxes.get(record.id)) ?? record;
    const diagnosis = toDiagnosis(error, present);
    this.#options.report('launch failed', {
      sandbox_id: record.id,
      code: diagnosis.code,
      stage: diagnosis.stage,
      error,
    });
    await this.#remove(present, launcher);
    await this.journal.fail(record.id, diagnosis);
  }

  #context(launcher: SandboxLauncher): LaunchContext {
    const { store, connections, clock, serverUrl, onlineTimeoutMs, report } = this.#options;
    return {
      launcher,
      sandboxes: store.sandboxes,
      connections,
      journal: this.journal,
      clock,
      serverUrl: serverUrl(),
      onlineTimeoutMs,
      report,
    };
  }

  async #remove(record: SandboxRecord, launcher: SandboxLauncher): Promise<void> {
    this.#options.connections.close(record.hostId, CLOSE.terminated);
    const { providerId } = record.document;
    if (providerId === null) return;
    await launcher.terminate(providerId, { signal: AbortSignal.timeout(TERMINATE_TIMEOUT_MS) });
  }

  #startDeletion(id: string): void {
    if (this.#deletions.has(id)) return;
    const deletion = this.#lock.run(id, () => this.#deleteWithRetries(id));
    const settled = deletion
      .catch((error: unknown) =>
        this.#options.report('a deletion stopped; the next start goes on', { sandbox_id: id, error }),
      )
      .finally(() => this.#deletions.delete(id));
    this.#deletions.set(id, settled);
  }

  /** The record goes only after the provider confirmed that the sandbox is gone. */
  async #deleteWithRetries(id: string): Promise<void> {
    const { store, clock, report, launcher } = this.#options;
    for (let delayMs = RETRY_FIRST_MS; ; delayMs = Math.min(RETRY_MAX_MS, delayMs * 2)) {
      const record = await store.sandboxes.get(id);
      if (record === undefined) return;
      try {
        await this.#remove(record, await launcher(record.provider));
        await this.journal.announceDeleted(id);
        return await store.sandboxes.delete(id);
      } catch (error) {
        report('a sandbox could not be removed; trying again', {
          sandbox_id: id,
          delay_ms: delayMs,
          error: toErrorMessage(error),
        });
        await clock.sleep(delayMs, { signal: this.#closing.signal, unref: true });
      }
    }
  }

  #recoverOne(record: SandboxRecord): void {
    const { conditions, prepare } = record.document;
    if (record.deletingAt !== null) return this.#startDeletion(record.id);
    const isSettled = conditions.some(
      ({ type, status }) => (type === 'Ready' || type === 'Finished') && status === 'True',
    );
    if (isSettled) return;
    void this.#options.launcher(record.provider).then((launcher) =>
      this.#runLaunch(record, launcher, async (context, signal) => {
        if (prepare === undefined)
          throw new SandboxError('launch_interrupted', 'the server stopped while this sandbox was launched');
        await finishLaunch(record, context, signal);
      }),
    );
  }
}
