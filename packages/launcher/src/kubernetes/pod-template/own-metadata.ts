/** Labels that only the launcher sets, and annotations that would weaken a Pod. */
import { LABELS } from '@omnigent/protocol';
import { RESTRICTED } from './fault.ts';
import type { TemplateFault } from './fault.ts';
import type { Json } from './json.ts';

/** Whether a label says whose the Pod is: a configured one could give it to another installation or agent. */
export function isOwnLabel(key: string): boolean {
  return key === LABELS.managedBy || key.startsWith('omnigent.ai/');
}

/** AppArmor was configured by annotations, and the API server still reads them. */
export function findAnnotationFault(annotations: Json, path: readonly string[]): TemplateFault | undefined {
  const found = Object.entries(annotations).find(
    ([key, value]) =>
      key.startsWith('container.apparmor.security.beta.kubernetes.io/') && value === 'unconfined',
  );
  return found === undefined ? undefined : { path: [...path, found[0]], problem: RESTRICTED };
}
