/** Waiting as a pure state machine: observations and time in, the next step out. Times are monotonic milliseconds. */
import type { PodStage, Waiting } from '../status/assessment.ts';
import type { EventsAssessment } from '../status/assess-events.ts';
import type { Doubt, Failure } from '../status/failure.ts';
import { EVENT_BUDGETS } from './budgets.ts';
import type { StageBudgets } from './budgets.ts';

interface StandingDoubt extends Doubt {
  readonly sinceMs: number;
}

export interface WaitState {
  readonly stage: PodStage;
  readonly fingerprint: string;
  readonly progressMs: number;
  readonly budgetMs: number;
  /** By the Pod's status, and by its events. */
  readonly podDoubt: StandingDoubt | null;
  readonly eventDoubt: StandingDoubt | null;
  readonly detail: string | null;
  readonly events: EventsAssessment | null;
  /** When to look at the events, soonest first. */
  readonly looksMs: readonly number[];
  readonly hasAskedWhy: boolean;
  /** The Pod and its events were read once more after the budget was spent. */
  readonly isConfirmed: boolean;
}

export type WaitStep =
  | { readonly type: 'fail'; readonly failure: Failure }
  /** Read the events. */
  | { readonly type: 'look' }
  /** The budget is spent. */
  | { readonly type: 'expire' }
  | { readonly type: 'sleep'; readonly delayMs: number };

/** When, without progress, the events are worth a request. A clone says by itself how it ends. */
const LOOKS_MS: Readonly<Record<PodStage, readonly number[]>> = {
  scheduling: [12_000, 28_000, 60_000],
  pulling: [6_000, 20_000],
  cloning: [],
  starting: [10_000],
};

interface Moment {
  readonly nowMs: number;
  readonly budgets: StageBudgets;
}

function keepDoubt(standing: StandingDoubt | null, doubt: Doubt | null, nowMs: number): StandingDoubt | null {
  if (doubt === null) return null;
  const isSame = standing?.failure.code === doubt.failure.code;
  return { ...doubt, sinceMs: isSame ? standing.sinceMs : nowMs };
}

function enter({ stage, fingerprint }: Waiting, { nowMs, budgets }: Moment): WaitState {
  return {
    stage,
    fingerprint,
    progressMs: nowMs,
    budgetMs: budgets[stage].ms,
    podDoubt: null,
    eventDoubt: null,
    detail: null,
    events: null,
    looksMs: LOOKS_MS[stage].map((ms) => nowMs + ms),
    hasAskedWhy: false,
    isConfirmed: false,
  };
}

/** Labels that no node has; together with missing capacity an autoscaler or the end of another Pod may help. */
function isHopelessPlacement(detail: string | null): boolean {
  return (
    detail !== null &&
    /didn't match Pod's node affinity\/selector/.test(detail) &&
    !/Insufficient/.test(detail)
  );
}

/** Takes in what a Pod's status says; progress starts the clocks anew. */
export function observeWaiting(state: WaitState | null, waiting: Waiting, moment: Moment): WaitState {
  const isProgress =
    state === null || state.fingerprint !== waiting.fingerprint || state.stage !== waiting.stage;
  const base = isProgress ? enter(waiting, moment) : state;
  const asksWhy = waiting.isUnexplained && !base.hasAskedWhy;
  return {
    ...base,
    detail: waiting.detail,
    podDoubt: keepDoubt(base.podDoubt, waiting.doubt, moment.nowMs),
    looksMs: asksWhy ? [moment.nowMs, ...base.looksMs] : base.looksMs,
    hasAskedWhy: base.hasAskedWhy || asksWhy,
  };
}

function resolveBudget(state: WaitState, events: EventsAssessment | null, budgets: StageBudgets): number {
  const { ms, isChosen } = budgets[state.stage];
  if (state.stage === 'scheduling') {
    if (events?.isScalingUp === true) return Math.max(ms, EVENT_BUDGETS.scaleUpMs);
    const isHopeless = events !== null && (events.noScaleUp !== null || isHopelessPlacement(state.detail));
    return isHopeless && !isChosen ? Math.min(ms, EVENT_BUDGETS.hopelessMs) : ms;
  }
  if (state.stage === 'pulling' && events?.isPulling === true && !isChosen)
    return Math.max(ms, EVENT_BUDGETS.activePullMs);
  return ms;
}

/** Takes in what the events say; null when they could not be read. */
export function observeEvents(state: WaitState, events: EventsAssessment | null, moment: Moment): WaitState {
  const { nowMs, budgets } = moment;
  return {
    ...state,
    events: events ?? state.events,
    eventDoubt: events === null ? state.eventDoubt : keepDoubt(state.eventDoubt, events.doubt, nowMs),
    budgetMs: resolveBudget(state, events ?? state.events, budgets),
    looksMs: state.looksMs.filter((dueMs) => dueMs > nowMs),
  };
}

/** Notes that everything was read once more. A later extension has to be confirmed again. */
export function confirmExpiry(state: WaitState, nowMs: number): WaitState {
  return { ...state, isConfirmed: nowMs >= state.progressMs + state.budgetMs };
}

function listDoubts({ podDoubt, eventDoubt }: WaitState): StandingDoubt[] {
  return [podDoubt, eventDoubt].filter((doubt) => doubt !== null);
}

/** What to do now. */
export function resolveStep(state: WaitState, nowMs: number): WaitStep {
  const doubts = listDoubts(state);
  const due = doubts.find(({ sinceMs, graceMs }) => nowMs >= sinceMs + graceMs);
  if (due !== undefined) return { type: 'fail', failure: due.failure };
  const expiresMs = state.progressMs + state.budgetMs;
  if (nowMs >= expiresMs) return { type: 'expire' };
  const [lookMs = Number.POSITIVE_INFINITY] = state.looksMs;
  if (nowMs >= lookMs) return { type: 'look' };
  const nextMs = Math.min(expiresMs, lookMs, ...doubts.map(({ sinceMs, graceMs }) => sinceMs + graceMs));
  return { type: 'sleep', delayMs: nextMs - nowMs };
}
