/** Conditions: typed facts of a sandbox as observed, in the way of Kubernetes. */
import * as z from 'zod';

export const CONDITION_TYPES = ['Ready', 'HostConnected', 'Suspended', 'Finished'] as const;
export const conditionTypeSchema = z.enum(CONDITION_TYPES);
export type ConditionType = z.infer<typeof conditionTypeSchema>;

export const conditionSchema = z.object({
  type: conditionTypeSchema,
  status: z.enum(['True', 'False', 'Unknown']),
  /** One word in CamelCase for programs. */
  reason: z.string(),
  /** One sentence for people; may be empty. */
  message: z.string(),
  last_transition_time: z.iso.datetime(),
});
export type Condition = z.infer<typeof conditionSchema>;

/** The condition of a type, if it is set. */
export function findCondition(conditions: readonly Condition[], type: ConditionType): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** Whether a condition is set and True. */
export function hasCondition(conditions: readonly Condition[], type: ConditionType): boolean {
  return findCondition(conditions, type)?.status === 'True';
}
