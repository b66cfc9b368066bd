/** Security contexts: the profile *restricted* of Pod Security, with the user that the host image knows. */
import type { PodSecurityContext, SecurityContext } from 'kubernetes-types/core/v1.js';
import { SANDBOX_UID } from '@omnigent/protocol';

/** Of the Pod; containers that others inject inherit it. */
export function buildPodSecurity(): PodSecurityContext {
  return {
    runAsNonRoot: true,
    runAsUser: SANDBOX_UID,
    runAsGroup: SANDBOX_UID,
    fsGroup: SANDBOX_UID,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  };
}

/** Of every container. */
export function buildContainerSecurity(): SecurityContext {
  return { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
}
