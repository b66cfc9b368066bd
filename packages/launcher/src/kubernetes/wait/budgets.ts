/** How long each stage of a launch may take without progress. */
import type { PodStage } from '../status/assessment.ts';

export interface StageBudget {
  readonly ms: number;
  /** The operator chose it, so nothing but a scale-up changes it. */
  readonly isChosen: boolean;
}

export type StageBudgets = Readonly<Record<PodStage, StageBudget>>;

/** The part of the configuration that budgets come from. */
export interface BudgetSettings {
  readonly pod_ready_timeout_s: number;
  readonly stage_timeouts?: { readonly [Name in PodStage]?: number | undefined } | undefined;
}

/** Times that events lead to, in milliseconds since the last progress. */
export const EVENT_BUDGETS = {
  /** A node that an autoscaler makes boots first. */
  scaleUpMs: 900_000,
  /** No node will ever fit, by an autoscaler's word or because none has the labels: only a person can help. */
  hopelessMs: 30_000,
  /** The node is at it: large images take minutes. */
  activePullMs: 900_000,
} as const;

const CLONING_SECONDS = 3_600;

/** Budgets by stage; `pod_ready_timeout_s` is that of every stage but cloning unless `stage_timeouts` says otherwise. */
export function resolveBudgets({
  pod_ready_timeout_s: ready,
  stage_timeouts: chosen = {},
}: BudgetSettings): StageBudgets {
  const resolve = (stage: PodStage, fallback: number): StageBudget => {
    const seconds = chosen[stage];
    return { ms: (seconds ?? fallback) * 1_000, isChosen: seconds !== undefined };
  };
  return {
    scheduling: resolve('scheduling', ready),
    pulling: resolve('pulling', ready),
    cloning: resolve('cloning', CLONING_SECONDS),
    starting: resolve('starting', ready),
  };
}
