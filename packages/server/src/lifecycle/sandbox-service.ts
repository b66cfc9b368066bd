/** Operations on sandboxes: create, terminate, recover. One at a time per sandbox; deleting wins over everything. */
import { createHash } from 'node:crypto';
import { SandboxError, hasCondition } from '@omnigent/protocol';
import type { CreateSandbox, ProviderName } from '@omnigent/protocol';
import type { SandboxLauncher } from '@omnigent/launcher';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import { createToken } from '../tunnel/token.ts';
import { buildRecord } from './build-record.ts';
import { Deletions } from './deletions.ts';
import { Journal } from './journal.ts';
import { finishLaunch, launchSandbox } from './launch.ts';
import type { LaunchContext } from './launch.ts';
import { Launches } from './launches.ts';
import { SandboxLock } from './sandbox-lock.ts';
import type { SandboxServiceOptions } from './service-options.ts';
import { validateRequest } from './validate-request.ts';

export interface CreateOptions {
  readonly owner: string;
  readonly idempotencyKey?: string;
}

/** A sandbox as it would be launched. */
export interface PlannedSandbox {
  readonly record: SandboxRecord;
  readonly launcher: SandboxLauncher;
  readonly token: string;
}

const PAGE = 200;

export class SandboxService {
  readonly journal: Journal;
  readonly #options: SandboxServiceOptions;
  readonly #launches: Launches;
  readonly #deletions: Deletions;
  readonly #lock: SandboxLock;
  #isClosing = false;

  constructor(options: SandboxServiceOptions) {
    this.#options = options;
    this.journal = new Journal(options.store, options.clock);
    this.#lock = new SandboxLock(options.store.leases, options.clock);
    const parts = { service: options, journal: this.journal, lock: this.#lock };
    this.#launches = new Launches(parts);
    this.#deletions = new Deletions(parts);
  }

  /** Whether something is being launched or removed now. */
  get isBusy(): boolean {
    return this.#launches.size + this.#deletions.size > 0;
  }

  /** The launcher of a provider, or of the default one. */
  async launcher(provider: ProviderName | undefined): Promise<SandboxLauncher> {
    return await this.#options.launcher(provider ?? this.#options.defaultProvider);
  }

  /** Validates, stores, and starts the launch in the background. */
  async create(request: CreateSandbox, options: CreateOptions): Promise<SandboxRecord> {
    if (this.#isClosing) throw new SandboxError('shutting_down', 'the server is shutting down');
    const { record, launcher, token } = await this.plan(request, options.owner);
    const existing =
      options.idempotencyKey === undefined ? undefined : await this.#claim(record, options.idempotencyKey);
    if (existing !== undefined) return existing;
    await this.#insert(record);
    void this.#launches.run(record, launcher, (context, signal) =>
      launchSandbox(record, context, { token, signal }),
    );
    return record;
  }

  /** What {@link create} would store, for a plan; nothing is stored. */
  async plan(request: CreateSandbox, owner: string): Promise<PlannedSandbox> {
    const { instance, randomBytes, clock, lifetimeSeconds, idleTimeoutSeconds } = this.#options;
    const launcher = await this.launcher(request.provider);
    validateRequest(request, launcher);
    const token = createToken(randomBytes);
    const facts = {
      request,
      owner,
      provider: launcher.provider,
      instance,
      token,
      now: clock.now(),
      randomBytes,
      lifetimeSeconds,
      idleTimeoutSeconds,
    };
    return { record: buildRecord(facts), launcher, token };
  }

  /** Asks for deletion; resolves when the intent is stored. {@link whenDeleted} waits for the end. */
  async terminate(id: string): Promise<void> {
    const { clock, store } = this.#options;
    const record = await store.sandboxes.update(id, ({ deletingAt }) =>
      deletingAt === null ? { deletingAt: clock.now() } : undefined,
    );
    this.#launches.abort(id, new SandboxError('sandbox_terminated', 'the sandbox was terminated'));
    if (record !== undefined) this.#delete(record);
  }

  /** Resolves when a deletion that this process runs has ended; at once when there is none. */
  async whenDeleted(id: string): Promise<void> {
    await this.#deletions.whenDeleted(id);
  }

  /**
   * Goes on with what a process left that is gone: an earlier one after a start, and one that shared the database at any time.
   * What another process works on is waited for.
   */
  async recover(): Promise<void> {
    for await (const record of this.#options.store.sandboxes.all(PAGE)) this.#recoverOne(record);
  }

  /** Keeps what runs here for this process, and notices what others have decided about it meanwhile. */
  async beat(): Promise<void> {
    for (const id of await this.#lock.beat())
      this.#launches.abort(
        id,
        new SandboxError('shutting_down', 'another process has taken over the launch'),
      );
    for (const { id } of await this.#options.store.sandboxes.listDeleting()) await this.terminate(id);
  }

  /** Ends what runs here: launches are left to the next process, which finds them in the store. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#lock.close();
    this.#launches.abortAll(new SandboxError('shutting_down', 'the server is shutting down'));
    await this.#deletions.close();
  }

  /** Stores a new record together with the claim to its launch. */
  async #insert(record: SandboxRecord): Promise<void> {
    this.#launches.announce(record.id);
    try {
      await this.#lock.claim(record.id);
      await this.#options.store.sandboxes.insert(record);
    } catch (error) {
      this.#launches.forget(record.id);
      await this.#lock.unclaim(record.id).catch(() => undefined);
      throw error;
    }
  }

  /** The sandbox that an Idempotency-Key made before; undefined when it is claimed for this one. */
  async #claim(record: SandboxRecord, key: string): Promise<SandboxRecord | undefined> {
    const { store, clock } = this.#options;
    const digest = createHash('sha256').update(JSON.stringify(record.document.request)).digest('hex');
    const claimed = await store.idempotency.claim(
      { owner: record.owner, key, digest },
      record.id,
      clock.now(),
    );
    if (claimed === record.id) return undefined;
    const existing = await store.sandboxes.get(claimed);
    if (existing === undefined)
      throw new SandboxError('sandbox_terminated', 'the sandbox that this Idempotency-Key made is gone');
    return existing;
  }

  #recoverOne(record: SandboxRecord): void {
    const { id } = record;
    if (record.deletingAt !== null) return this.#delete(record);
    if (!this.#isReachable(record) || isSettled(record) || this.#launches.has(id) || this.#deletions.has(id))
      return;
    this.#launches.announce(id);
    const resume = async () => {
      const launcher = await this.#options.launcher(record.provider);
      await this.#launches.run(record, launcher, (context, signal) => this.#resume(id, context, signal));
    };
    resume().catch((error: unknown) => {
      this.#launches.forget(id);
      this.#options.report('a launch could not be resumed; it is tried again', { sandbox_id: id, error });
    });
  }

  #delete(record: SandboxRecord): void {
    if (this.#isReachable(record)) this.#deletions.start(record.id);
  }

  /** Whether a sandbox can be worked on from here: what runs on another server's machine is left to that server. */
  #isReachable({ document }: SandboxRecord): boolean {
    return document.installation === undefined || document.installation === this.#options.instance;
  }

  /** The rest of a launch, as far as another process has not done it while the lock was waited for. */
  async #resume(id: string, context: LaunchContext, signal: AbortSignal): Promise<void> {
    const record = await this.#options.store.sandboxes.get(id);
    if (record === undefined || record.deletingAt !== null || isSettled(record)) return;
    if (record.document.prepare === undefined)
      throw new SandboxError('launch_interrupted', 'the server stopped while this sandbox was launched');
    await finishLaunch(record, context, signal);
  }
}

/** Whether the launch of a sandbox has come to its end. */
function isSettled({ document }: SandboxRecord): boolean {
  return hasCondition(document.conditions, 'Ready') || hasCondition(document.conditions, 'Finished');
}
