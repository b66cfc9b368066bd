/** Names of the launcher's own containers: what is found by name is never confused with an injected sidecar. */
export const HOST_CONTAINER = 'host';
export const WORKSPACE_CONTAINER = 'workspace-prep';
export const INJECT_CONTAINER = 'inject-host';

/** All that the launcher may put into a Pod. */
export const OWN_CONTAINERS: readonly string[] = [HOST_CONTAINER, WORKSPACE_CONTAINER, INJECT_CONTAINER];
