/** Creates Secret and Pod, and keeps account of what exists because of it. */
import type { Clock } from '@omnigent/protocol';
import type { ClusterClient } from '../api/cluster-client.ts';
import { ClusterError } from '../api/cluster-error.ts';
import type { Pod } from '../api/objects/pod.ts';
import type { LaunchManifests } from './launch-manifests.ts';
import { createWithRoom } from './with-room.ts';

/** `unsure`: it was asked for and the answer did not come. */
export type ObjectState = 'absent' | 'unsure' | 'created';

export interface CreateObjectsOptions {
  readonly client: ClusterClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long room in a quota is waited for. */
  readonly budgetMs: number;
  readonly onWaiting: (message: string) => void;
}

/**
 * A request that is on its way when the launch is cancelled may be carried out all the same, so it is not cut: only by
 * its answer is it known what to clean up. Its own deadline ends it; this one ends its retries.
 */
const LAST_ANSWER_MS = 12_000;

/** Kubernetes' own garbage collection then removes the Secret when the Pod goes by any other hand. */
const OWNER_MS = 30_000;

function isRefusal(error: unknown): boolean {
  return error instanceof ClusterError && error.status !== null && !error.transient;
}

export class CreatedObjects {
  readonly #manifests: LaunchManifests;
  readonly #options: CreateObjectsOptions;
  secret: ObjectState = 'absent';
  podState: ObjectState = 'absent';
  pod: Pod | null = null;

  constructor(manifests: LaunchManifests, options: CreateObjectsOptions) {
    this.#manifests = manifests;
    this.#options = options;
  }

  /** @throws the refusal, or the signal's reason; {@link CreatedObjects} then says what there is to remove. */
  async create(): Promise<Pod> {
    const { client } = this.#options;
    const { secret, pod } = this.#manifests;
    const setSecret = (state: ObjectState) => (this.secret = state);
    await this.#create(setSecret, (signal) => client.createSecret(secret, { signal }));
    const setPod = (state: ObjectState) => (this.podState = state);
    this.pod = await this.#create(setPod, (signal) => client.createPod(pod, { signal }));
    this.#options.signal.throwIfAborted();
    return this.pod;
  }

  /** Makes the Pod the owner of its Secret; best effort, and nobody waits for it. */
  adoptSecret(pod: Pod): void {
    const { name, uid } = pod.metadata;
    const signal = AbortSignal.any([this.#options.signal, AbortSignal.timeout(OWNER_MS)]);
    const secretName = this.#manifests.secret.metadata.name;
    this.#options.client.setSecretOwner(secretName, { name, uid }, { signal }).catch(() => undefined);
  }

  async #create<T>(
    setState: (state: ObjectState) => void,
    create: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { signal } = this.#options;
    const over = new AbortController();
    const lastAnswer = this.#lastAnswer(over.signal);
    try {
      return await createWithRoom(this.#options, async () => {
        signal.throwIfAborted();
        setState('unsure');
        try {
          const created = await create(lastAnswer);
          setState('created');
          return created;
        } catch (error) {
          if (isRefusal(error)) setState('absent');
          throw error;
        }
      });
    } finally {
      over.abort();
    }
  }

  /** Aborts some time after the launch does. */
  #lastAnswer(over: AbortSignal): AbortSignal {
    const { clock, signal } = this.#options;
    const last = new AbortController();
    const onAbort = () => {
      const abort = () => last.abort(signal.reason);
      clock.sleep(LAST_ANSWER_MS, { signal: over, unref: true }).then(abort, () => undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true, signal: over });
    return last.signal;
  }
}
