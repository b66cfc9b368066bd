/** Waits until the container named `host` runs: event-driven, with a budget per stage. */
import type { Clock, Stage } from '@omnigent/protocol';
import type { ClusterEvent } from '../api/objects/event.ts';
import type { Pod } from '../api/objects/pod.ts';
import type { PodWatch } from '../api/pod-watch.ts';
import type { KubernetesConfig } from '../config/parse-config.ts';
import { findScaling } from '../status/evidence.ts';
import { judgePod } from '../status/judge-pod.ts';
import { diagnoseGone } from '../status/pod-fault.ts';
import { buildFault } from '../status/verdict.ts';
import type { Fault, Verdict } from '../status/verdict.ts';
import { Observations } from './observations.ts';
import { renderTimeout, toBudgetMs, toTimeoutCode } from './stage-clock.ts';
import type { StageTime } from './stage-clock.ts';

export interface WaitOptions {
  readonly watch: PodWatch;
  /** The Pod as its creation returned it. */
  readonly pod: Pod;
  readonly config: KubernetesConfig;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onStage: (stage: Stage, message?: string) => void;
  /** Reads the Pod's events; asked only when the scheduling budget is used up. */
  readonly listEvents: () => Promise<readonly ClusterEvent[]>;
}

/** How the wait ended; `pod` is how the Pod was seen last. */
export type WaitResult =
  | { readonly state: 'running'; readonly pod: Pod }
  | { readonly state: 'failed'; readonly pod: Pod; readonly fault: Fault };

/** What an autoscaler gets to bring a node. */
const SCALE_UP_MS = 15 * 60_000;

interface WaitState {
  pod: Pod;
  verdict: Verdict;
  stage: Stage | undefined;
  detail: string | undefined;
  progress: string;
  /** When the no-progress clock runs out. */
  deadlineMs: number;
  budgetMs: number;
  /** When a fault that may pass was seen first. */
  suspectedMs: number | undefined;
  suspectedCode: string | undefined;
  isExtended: boolean;
  readonly stages: StageTime[];
}

/** Never rejects but with the signal's reason. */
export async function waitForHost(options: WaitOptions): Promise<WaitResult> {
  const { watch, pod, clock, signal } = options;
  using observations = new Observations(watch, { name: pod.metadata.name, known: pod });
  const now = clock.monotonicMs();
  const state: WaitState = {
    pod,
    verdict: judgePod(pod),
    stage: undefined,
    detail: undefined,
    progress: '',
    deadlineMs: now,
    budgetMs: 0,
    suspectedMs: undefined,
    suspectedCode: undefined,
    isExtended: false,
    stages: [],
  };
  for (;;) {
    signal.throwIfAborted();
    const result = step(state, options) ?? (await checkDeadline(state, options));
    if (result !== undefined) return result;
    await waitForNews(observations, state, options);
    for (const observation of observations.take()) {
      if (observation.type === 'present') state.pod = observation.pod;
      if (observation.type === 'deleted')
        return { state: 'failed', pod: observation.last, fault: diagnoseGone(observation.last) };
      if (observation.type === 'absent')
        return { state: 'failed', pod: state.pod, fault: diagnoseGone(state.pod) };
    }
    state.verdict = judgePod(state.pod);
  }
}

/** Looks at the verdict: ends the wait, or moves the clocks. */
function step(state: WaitState, { clock, onStage, config }: WaitOptions): WaitResult | undefined {
  const { verdict, pod } = state;
  const now = clock.monotonicMs();
  if (verdict.state === 'running') {
    onStage('starting');
    return { state: 'running', pod };
  }
  if (verdict.state === 'failed') return suspect(state, { fault: verdict.fault, now });
  state.suspectedMs = undefined;
  const isNewStage = verdict.stage !== state.stage;
  if (isNewStage) {
    state.stages.push({ stage: verdict.stage, enteredMs: now });
    state.isExtended = false;
  }
  if (isNewStage || verdict.detail !== state.detail) onStage(verdict.stage, verdict.detail);
  if (isNewStage || verdict.progress !== state.progress) {
    state.budgetMs = toBudgetMs(config, verdict.stage);
    state.deadlineMs = now + state.budgetMs;
  }
  state.stage = verdict.stage;
  state.detail = verdict.detail;
  state.progress = verdict.progress;
  return undefined;
}

/** A fault that may pass counts only when it lasts. */
function suspect(
  state: WaitState,
  { fault, now }: { readonly fault: Fault; readonly now: number },
): WaitResult | undefined {
  if (state.suspectedMs === undefined || state.suspectedCode !== fault.code) {
    state.suspectedMs = now;
    state.suspectedCode = fault.code;
  }
  const isLasting = now - state.suspectedMs >= fault.graceMs;
  state.deadlineMs = state.suspectedMs + fault.graceMs;
  return isLasting ? { state: 'failed', pod: state.pod, fault } : undefined;
}

async function checkDeadline(state: WaitState, options: WaitOptions): Promise<WaitResult | undefined> {
  const { clock } = options;
  if (state.verdict.state !== 'waiting' || clock.monotonicMs() < state.deadlineMs) return undefined;
  const { stage } = state.verdict;
  if (stage === 'scheduling' && !state.isExtended) {
    state.isExtended = true;
    const scaling = findScaling(await options.listEvents());
    if (scaling === 'growing') {
      state.deadlineMs = clock.monotonicMs() + SCALE_UP_MS;
      state.budgetMs += SCALE_UP_MS;
      options.onStage(stage, 'an autoscaler is adding a node');
      return undefined;
    }
  }
  const detail = state.detail === undefined ? '' : `: ${state.detail}`;
  const message = `${renderTimeout(stage, state.budgetMs, state.stages)}${detail}`;
  return { state: 'failed', pod: state.pod, fault: buildFault({ code: toTimeoutCode(stage), message }) };
}

/** Resolves at the next observation or when a clock runs out. */
async function waitForNews(
  observations: Observations,
  state: WaitState,
  { clock, signal }: WaitOptions,
): Promise<void> {
  const controller = new AbortController();
  const both = AbortSignal.any([signal, controller.signal]);
  const left = Math.max(0, state.deadlineMs - clock.monotonicMs());
  const timeout = clock.sleep(left, { signal: both }).catch(() => undefined);
  await Promise.race([observations.whenChanged(), timeout]);
  controller.abort();
}
