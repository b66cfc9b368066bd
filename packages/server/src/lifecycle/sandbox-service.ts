/** Operations on sandboxes: create, terminate, recover. One at a time per sandbox; deleting wins over everything. */
import { createHash } from 'node:crypto';
import { SandboxError } from '@omnigent/protocol';
import type { CreateSandbox, ProviderName } from '@omnigent/protocol';
import type { SandboxLauncher } from '@omnigent/launcher';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import { createToken } from '../tunnel/token.ts';
import { buildRecord } from './build-record.ts';
import { Deletions } from './deletions.ts';
import { Journal } from './journal.ts';
import { KeyedLock } from './keyed-lock.ts';
import { finishLaunch, launchSandbox } from './launch.ts';
import { Launches } from './launches.ts';
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
  #isClosing = false;

  constructor(options: SandboxServiceOptions) {
    this.#options = options;
    this.journal = new Journal(options.store, options.clock);
    const parts = { service: options, journal: this.journal, lock: new KeyedLock() };
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
    await this.#options.store.sandboxes.insert(record);
    void this.#launches.run(record, launcher, (context, signal) =>
      launchSandbox(record, context, { token, signal }),
    );
    return record;
  }

  /** What {@link create} would store, for a plan; nothing is stored. */
  async plan(request: CreateSandbox, owner: string): Promise<PlannedSandbox> {
    const { randomBytes, clock, lifetimeSeconds, idleTimeoutSeconds } = this.#options;
    const launcher = await this.launcher(request.provider);
    validateRequest(request, launcher);
    const token = createToken(randomBytes);
    const facts = {
      request,
      owner,
      provider: launcher.provider,
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
    await store.sandboxes.update(id, ({ deletingAt }) =>
      deletingAt === null ? { deletingAt: clock.now() } : undefined,
    );
    this.#launches.abort(id, new SandboxError('sandbox_terminated', 'the sandbox was terminated'));
    this.#deletions.start(id);
  }

  /** Resolves when a deletion that this process runs has ended; at once when there is none. */
  async whenDeleted(id: string): Promise<void> {
    await this.#deletions.whenDeleted(id);
  }

  /** After a start of the server: goes on with what an earlier process left. */
  async recover(): Promise<void> {
    for await (const record of this.#options.store.sandboxes.all(PAGE)) this.#recoverOne(record);
  }

  /** Ends what runs here: launches are left to the next process, which finds them in the store. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#launches.abortAll(new SandboxError('shutting_down', 'the server is shutting down'));
    await this.#deletions.close();
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
    const { conditions, prepare } = record.document;
    if (record.deletingAt !== null) return this.#deletions.start(record.id);
    const isSettled = conditions.some(
      ({ type, status }) => (type === 'Ready' || type === 'Finished') && status === 'True',
    );
    if (isSettled) return;
    const resume = async () => {
      const launcher = await this.#options.launcher(record.provider);
      await this.#launches.run(record, launcher, async (context, signal) => {
        if (prepare === undefined)
          throw new SandboxError('launch_interrupted', 'the server stopped while this sandbox was launched');
        await finishLaunch(record, context, signal);
      });
    };
    resume().catch((error: unknown) =>
      this.#options.report('a launch could not be resumed', { sandbox_id: record.id, error }),
    );
  }
}
