/** Waits until the host of a Pod runs, or says why it will not. Driven by the shared watch; the clock only ends it. */
import type { Clock } from '@omnigent/protocol';
import type { ClusterClient } from '../api/cluster-client.ts';
import type { ClusterError } from '../api/cluster-error.ts';
import type { Pod } from '../api/objects/pod.ts';
import type { PodObservation } from '../api/pod-watch.ts';
import { assessEvents } from '../status/assess-events.ts';
import { assessPod } from '../status/assess-pod.ts';
import type { PodStage } from '../status/assessment.ts';
import { diagnoseDeletion } from '../status/diagnose-pod-end.ts';
import { buildFailure } from '../status/failure.ts';
import type { Failure } from '../status/failure.ts';
import { resolveStage } from '../status/resolve-stage.ts';
import type { StageBudgets } from './budgets.ts';
import { buildTimeout } from './build-timeout.ts';
import { openPodInbox } from './pod-inbox.ts';
import type { PodInbox } from './pod-inbox.ts';
import { confirmExpiry, observeEvents, observeWaiting, resolveStep } from './wait-state.ts';
import type { WaitState } from './wait-state.ts';

export interface WaitForHostOptions {
  readonly client: Pick<ClusterClient, 'podWatch' | 'getPod' | 'listEvents'>;
  readonly clock: Clock;
  readonly budgets: StageBudgets;
  readonly signal: AbortSignal;
  /** Called with each new stage, and again with each new thing to say about it. */
  readonly onProgress: (stage: PodStage, detail: string | null) => void;
  /** Resolves when the host has dialled back. A node reports a container that runs up to a second later. */
  readonly connected?: Promise<void>;
}

export type WaitOutcome =
  | { readonly type: 'running'; readonly pod: Pod }
  | { readonly type: 'failed'; readonly pod: Pod; readonly stage: PodStage; readonly failure: Failure };

/** A look-up must not hold the wait up. */
const LOOK_UP_MS = 5_000;

class HostWait {
  readonly #options: WaitForHostOptions;
  #pod: Pod;
  #state: WaitState | null = null;
  #outcome: WaitOutcome | null = null;

  constructor(pod: Pod, options: WaitForHostOptions) {
    this.#options = options;
    this.#pod = pod;
    this.#observePod(pod);
  }

  /** The Pod as it was last seen. */
  get pod(): Pod {
    return this.#pod;
  }

  async run(inbox: PodInbox): Promise<WaitOutcome> {
    for (;;) {
      this.#options.signal.throwIfAborted();
      for (const observation of inbox.take()) this.#observe(observation);
      if (this.#outcome !== null) return this.#outcome;
      await this.#advance(inbox);
    }
  }

  async #advance(inbox: PodInbox): Promise<void> {
    const { clock, signal } = this.#options;
    const state = this.#state;
    if (state === null) return;
    const step = resolveStep(state, clock.monotonicMs());
    switch (step.type) {
      case 'fail':
        return this.#fail(step.failure);
      case 'look':
        return await this.#look(state);
      case 'expire':
        return state.isConfirmed
          ? this.#fail(buildTimeout(state, clock.monotonicMs()))
          : await this.#confirm();
      case 'sleep':
        return await inbox.wait({ clock, signal, delayMs: step.delayMs });
    }
  }

  #moment() {
    return { nowMs: this.#options.clock.monotonicMs(), budgets: this.#options.budgets };
  }

  #fail(failure: Failure): void {
    this.#outcome ??= {
      type: 'failed',
      pod: this.#pod,
      stage: this.#state?.stage ?? resolveStage(this.#pod),
      failure,
    };
  }

  #observe(observation: PodObservation): void {
    switch (observation.type) {
      case 'present':
        return this.#observePod(observation.pod);
      case 'deleted':
        this.#pod = observation.last;
        return this.#fail(diagnoseDeletion(observation.last));
      case 'absent':
        return this.#fail(diagnoseDeletion(this.#pod));
      case 'trouble':
        return this.#observeTrouble(observation.error);
    }
  }

  #observePod(pod: Pod): void {
    this.#pod = pod;
    const assessment = assessPod(pod);
    if (assessment.state === 'running') this.#outcome ??= { type: 'running', pod };
    else if (assessment.state === 'failed')
      this.#outcome ??= { type: 'failed', pod, stage: assessment.stage, failure: assessment.failure };
    else {
      const before = this.#state;
      this.#state = observeWaiting(before, assessment, this.#moment());
      const isNews = before?.stage !== this.#state.stage || before.detail !== this.#state.detail;
      if (isNews) this.#options.onProgress(this.#state.stage, this.#state.detail);
    }
  }

  /** Without the right to follow Pods nothing will ever be observed; everything else may pass. */
  #observeTrouble(error: ClusterError): void {
    if (error.fault.kind === 'forbidden' || error.fault.kind === 'unauthorized')
      return this.#fail(buildFailure(error.code, `the Pod cannot be followed: ${error.message}`));
    this.#options.onProgress(
      this.#state?.stage ?? 'scheduling',
      `the Pod cannot be followed now: ${error.message}`,
    );
  }

  #lookUpOptions() {
    return {
      signal: AbortSignal.any([this.#options.signal, AbortSignal.timeout(LOOK_UP_MS)]),
      retryForMs: 0,
    };
  }

  async #look(state: WaitState): Promise<void> {
    const { client } = this.#options;
    const { uid } = this.#pod.metadata;
    const events = await client.listEvents({ uid, ...this.#lookUpOptions() }).then(
      (found) => assessEvents(found, this.#pod),
      // Without the right to read events the status has to do.
      () => null,
    );
    this.#state = observeEvents(state, events, this.#moment());
  }

  /** Reads the Pod and its events directly, so that no launch ends by a late watch. */
  async #confirm(): Promise<void> {
    const { client, clock } = this.#options;
    const { name, uid } = this.#pod.metadata;
    try {
      const pod = await client.getPod(name, this.#lookUpOptions());
      if (pod?.metadata.uid === uid) this.#observePod(pod);
      else return this.#fail(diagnoseDeletion(this.#pod));
    } catch (error) {
      this.#options.signal.throwIfAborted();
      const text = error instanceof Error ? error.message : String(error);
      return this.#fail(buildFailure('cluster_unreachable', `the Pod cannot be followed: ${text}`));
    }
    if (this.#outcome !== null || this.#state === null) return;
    await this.#look(this.#state);
    this.#state = confirmExpiry(this.#state, clock.monotonicMs());
  }
}

/**
 * Waits for the container `host` of a Pod that was just created.
 *
 * @throws the signal's reason when it aborts; a launch that fails is an outcome.
 */
export async function waitForHost(pod: Pod, options: WaitForHostOptions): Promise<WaitOutcome> {
  using inbox = openPodInbox(options.client.podWatch, { name: pod.metadata.name, known: pod });
  const over = new AbortController();
  const wait = new HostWait(pod, { ...options, signal: AbortSignal.any([options.signal, over.signal]) });
  const waiting = wait.run(inbox);
  if (options.connected === undefined) return await waiting;
  const connected = options.connected.then((): WaitOutcome => ({ type: 'running', pod: wait.pod }));
  try {
    return await Promise.race([waiting, connected]);
  } finally {
    // What still waits is told to stop, and nobody listens to it any more.
    waiting.catch(() => undefined);
    over.abort();
  }
}
