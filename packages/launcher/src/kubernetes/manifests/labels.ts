/** Identity of what the launcher makes. */
import { LABELS, MANAGED_BY, SANDBOX_ROLE, isLabelValue } from '@omnigent/protocol';
import type { PodOptions } from './pod-options.ts';

/** Labels of Pod and Secret; also what the sweep selects by. */
export function buildIdentityLabels({
  hostId,
  instance,
}: Pick<PodOptions, 'hostId' | 'instance'>): Record<string, string> {
  return { ...buildInstanceLabels(instance), [LABELS.hostId]: hostId };
}

/** Labels of everything of one installation. */
export function buildInstanceLabels(instance: string): Record<string, string> {
  return { [LABELS.managedBy]: MANAGED_BY, [LABELS.role]: SANDBOX_ROLE, [LABELS.instance]: instance };
}

/** The agent label exactly as given, or none: two names must not collapse into one. */
export function buildAgentLabel(agent: string | undefined): Record<string, string> {
  return agent !== undefined && agent !== '' && isLabelValue(agent) ? { [LABELS.agent]: agent } : {};
}

/** What to tell people about an agent name that cannot be a label. */
export function findAgentWarning(agent: string | undefined): string | undefined {
  if (agent === undefined || agent === '' || isLabelValue(agent)) return undefined;
  return `the agent name ${JSON.stringify(agent)} is not a valid label value; the label ${LABELS.agent} was left out`;
}
