/** What the server may do in the namespace of the sandboxes; the Role, the preflight and the tests are checked against it. */

export interface Right {
  readonly apiGroup: '';
  readonly resource: string;
  readonly verbs: readonly string[];
  /** Why the server needs it. */
  readonly reason: string;
}

export const RIGHTS: readonly Right[] = [
  {
    apiGroup: '',
    resource: 'pods',
    verbs: ['create', 'get', 'list', 'watch', 'delete'],
    reason: 'a sandbox is a Pod: made, followed and removed',
  },
  {
    apiGroup: '',
    resource: 'pods/log',
    verbs: ['get'],
    reason: 'the end of the log of a container that failed is part of the diagnosis',
  },
  {
    apiGroup: '',
    resource: 'secrets',
    verbs: ['create', 'delete', 'patch'],
    reason: 'the token Secret: made, given to its Pod as owner, removed; never read',
  },
  {
    apiGroup: '',
    resource: 'events',
    verbs: ['list'],
    reason: 'warnings of a Pod that does not start are part of the diagnosis',
  },
];
