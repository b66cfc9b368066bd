/** Budgets of the stages: how long each may go without progress, and what the error says when one is used up. */
import type { ErrorCode, Stage } from '@omnigent/protocol';
import type { KubernetesConfig } from '../config/parse-config.ts';

const CLONE_SECONDS = 3_600;

const CODES: Readonly<Partial<Record<Stage, ErrorCode>>> = {
  scheduling: 'schedule_timeout',
  pulling: 'pull_timeout',
  cloning: 'clone_timeout',
  starting: 'start_timeout',
};

/** Milliseconds that a stage may go without progress. */
export function toBudgetMs(config: KubernetesConfig, stage: Stage): number {
  const { stage_timeouts: timeouts, pod_ready_timeout_s: ready } = config;
  const own: Partial<Record<Stage, number | undefined>> = { ...timeouts };
  return (own[stage] ?? (stage === 'cloning' ? CLONE_SECONDS : ready)) * 1000;
}

/** The code for a stage that took too long. */
export function toTimeoutCode(stage: Stage): ErrorCode {
  return CODES[stage] ?? 'start_timeout';
}

export interface StageTime {
  readonly stage: Stage;
  readonly enteredMs: number;
}

/** `scheduling took longer than its budget of 90 s (provisioning 0.1 s)`. */
export function renderTimeout(stage: Stage, budgetMs: number, earlier: readonly StageTime[]): string {
  const times = earlier.slice(0, -1).map(({ stage: name, enteredMs }, index) => {
    const next = earlier[index + 1]?.enteredMs ?? enteredMs;
    return `${name} ${((next - enteredMs) / 1000).toFixed(1)} s`;
  });
  const before = times.length === 0 ? '' : ` (before: ${times.join(', ')})`;
  return `${stage} took longer than its budget of ${budgetMs / 1000} s${before}`;
}
