/** Pods for tests, from the part that matters. */
import { podSchema } from '../../api/objects/pod.ts';
import type { Pod } from '../../api/objects/pod.ts';

export interface TestPod {
  readonly status?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A Pod that a node has taken, with the containers of a sandbox; `status` is used as it is. */
export function buildPod({ status, spec = {}, metadata = {} }: TestPod = {}): Pod {
  return podSchema.parse({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'omnigent-s1-1a2b3c',
      namespace: 'omnigent-sandboxes',
      uid: 'uid-1',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { 'omnigent.ai/host-id': 'h000000000001' },
      ...metadata,
    },
    spec: {
      nodeName: 'node-1',
      initContainers: [
        { name: 'workspace-prep', image: 'reg.example/host:1', resources: { limits: { memory: '256Mi' } } },
      ],
      containers: [{ name: 'host', image: 'reg.example/host:1', resources: { limits: { memory: '4Gi' } } }],
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  });
}

/** A Pod whose container `host` waits. */
export function buildWaitingPod(reason: string, message?: string): Pod {
  return buildPod({
    status: {
      phase: 'Pending',
      containerStatuses: [{ name: 'host', state: { waiting: { reason, message } } }],
    },
  });
}
