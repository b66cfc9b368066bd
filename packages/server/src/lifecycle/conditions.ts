/** Changes of conditions. Pure; the time of a transition changes only with the status. */
import { toIsoTime } from '@omnigent/protocol';
import type { Condition } from '@omnigent/protocol';

export type ConditionFacts = Pick<Condition, 'type' | 'status' | 'reason'> & { readonly message?: string };

/** The conditions with one of them set. */
export function setCondition(
  conditions: readonly Condition[],
  facts: ConditionFacts,
  now: number,
): Condition[] {
  const before = conditions.find(({ type }) => type === facts.type);
  const isSame = before?.status === facts.status;
  const next: Condition = {
    message: '',
    ...facts,
    last_transition_time: isSame ? before.last_transition_time : toIsoTime(now),
  };
  return before === undefined
    ? [...conditions, next]
    : conditions.map((condition) => (condition === before ? next : condition));
}
