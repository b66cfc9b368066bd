/** Names of the launcher's own containers: what is found by name is never confused with an injected sidecar. */
export const HOST_CONTAINER = 'host';
export const WORKSPACE_CONTAINER = 'workspace-prep';
