/** Labels and paths that objects of a sandbox carry. */
export const LABELS = {
  managedBy: 'app.kubernetes.io/managed-by',
  role: 'omnigent.ai/role',
  hostId: 'omnigent.ai/host-id',
  instance: 'omnigent.ai/instance',
  agent: 'omnigent.ai/agent',
} as const;

export const MANAGED_BY = 'omnigent';
export const SANDBOX_ROLE = 'sandbox-host';

/** The home directory inside every sandbox, whatever the provider. */
export const SANDBOX_HOME = '/home/omnigent';
/** The directory below which repositories are cloned. */
export const SANDBOX_WORKSPACE = '/home/omnigent/workspace';
/** The user (and group) a sandbox runs as. */
export const SANDBOX_UID = 1000660000;
export const SANDBOX_USER = 'sandbox';

const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** Whether a string can be the value of a Kubernetes label as it is. */
export function isLabelValue(value: string): boolean {
  return LABEL_VALUE.test(value) && !value.endsWith('\n');
}
