/** Admission's refusals as a real cluster words them: the client tells them apart by text alone. */
import type { ClusterClient } from '@omnigent/launcher';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MANAGED, buildPod } from './api/api-subject.ts';
import { CLUSTER_OBSTACLE, createNamespace, deleteNamespace, readKubeconfig } from './api/cluster-subject.ts';
import { kubectl, kubectlApply } from './api/kubectl.ts';
import { createKubeconfigFiles } from './api/open-clients.ts';
import type { KubeconfigFiles } from './api/open-clients.ts';

const signal = AbortSignal.timeout(120_000);
describe.skipIf(CLUSTER_OBSTACLE !== null)(`admission's refusals ${CLUSTER_OBSTACLE ?? ''}`, () => {
  let namespace: string;
  let files: KubeconfigFiles;
  let client: ClusterClient;

  beforeEach(async () => {
    namespace = await createNamespace();
    files = await createKubeconfigFiles();
    client = await files.open(await readKubeconfig((entry) => entry), namespace);
  });

  afterEach(async () => {
    await files.close();
    await deleteNamespace(namespace);
  });

  /** The refusal of a Pod, once the cluster has taken notice of what was just set up. */
  async function refuse(pod: object): Promise<unknown> {
    for (;;) {
      try {
        await client.createPod({ ...buildPod('refused'), ...pod }, { signal, retryForMs: 3_000 });
      } catch (error) {
        return error;
      }
      await client.deletePod('refused', { signal, gracePeriodSeconds: 0 });
    }
  }

  const { spec } = buildPod('refused');
  const [container] = spec.containers;

  it('tells fields that a quota demands', async () => {
    await kubectl('create', 'quota', 'strict', '--hard=limits.memory=1Gi,limits.cpu=1', '-n', namespace);
    expect(await refuse({ spec: { ...spec, containers: [{ ...container, resources: {} }] } })).toMatchObject({
      code: 'quota_unspecified',
      fault: { kind: 'quota_unspecified', quota: 'strict', fields: ['limits.cpu', 'limits.memory'] },
    });
  });

  it('tells the amounts of a quota that is used up', async () => {
    await kubectl('create', 'quota', 'small', '--hard=limits.memory=16Mi,pods=5', '-n', namespace);
    expect(await refuse({})).toMatchObject({
      code: 'quota_exceeded',
      fault: {
        quota: 'small',
        requested: { 'limits.memory': '32Mi' },
        used: { 'limits.memory': '0' },
        limited: { 'limits.memory': '16Mi' },
      },
    });
  });

  it('tells what a LimitRange allows', async () => {
    const limits = [{ type: 'Container', min: { memory: '64Mi' }, max: { cpu: '20m' } }];
    await kubectlApply({
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'narrow', namespace },
      spec: { limits },
    });
    expect(await refuse({})).toMatchObject({
      code: 'limit_range',
      fault: {
        violations: expect.arrayContaining([
          'minimum memory usage per Container is 64Mi, but request is 16Mi',
          'maximum cpu usage per Container is 20m, but limit is 50m',
        ]),
      },
    });
  });

  it('names the containers that Pod Security refuses', async () => {
    const injected = { ...container, name: 'install-agent', securityContext: {} };
    expect(await refuse({ spec: { ...spec, containers: [container, injected] } })).toMatchObject({
      code: 'pod_security',
      fault: { policy: 'restricted:latest', containers: ['install-agent'] },
    });
  });

  it('names a ServiceAccount that does not exist', async () => {
    expect(await refuse({ spec: { ...spec, serviceAccountName: 'nobody' } })).toMatchObject({
      code: 'service_account_not_found',
      fault: { serviceAccount: 'nobody' },
    });
  });

  it('names a RuntimeClass that does not exist', async () => {
    expect(await refuse({ spec: { ...spec, runtimeClassName: 'kata' } })).toMatchObject({
      code: 'runtime_class_not_found',
      fault: { runtimeClass: 'kata' },
    });
  });

  it('passes on what other admission says', async () => {
    expect(await refuse({ spec: { ...spec, priorityClassName: 'no-such-class' } })).toMatchObject({
      code: 'admission_denied',
      message: expect.stringContaining('no-such-class'),
    });
  });

  it('tells a namespace that is being deleted', async () => {
    await kubectlApply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'held', namespace, finalizers: ['omnigent.ai/contract'] },
    });
    await kubectl('delete', 'namespace', namespace, '--wait=false');
    try {
      expect(await refuse({})).toMatchObject({ code: 'namespace_terminating', fault: { namespace } });
    } finally {
      await kubectl(
        'patch',
        'configmap',
        'held',
        '-n',
        namespace,
        '--type=merge',
        '-p',
        '{"metadata":{"finalizers":null}}',
      );
    }
  });

  it('names a webhook that is down', async () => {
    const webhook = {
      name: 'down.omnigent.test',
      clientConfig: { url: 'https://127.0.0.1:1/validate' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      timeoutSeconds: 2,
    };
    await kubectlApply({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: namespace },
      webhooks: [webhook],
    });
    try {
      expect(await refuse({})).toMatchObject({
        code: 'webhook_failed',
        transient: true,
        fault: { webhook: 'down.omnigent.test' },
      });
    } finally {
      await kubectl('delete', 'validatingwebhookconfiguration', namespace);
    }
  });

  it('passes on what an admission policy says', async () => {
    const selector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
    await kubectlApply(
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: namespace },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            namespaceSelector: selector,
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
            ],
          },
          validations: [{ expression: 'false', message: 'no Pods on Sundays' }],
        },
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: namespace },
        spec: {
          policyName: namespace,
          validationActions: ['Deny'],
          matchResources: { namespaceSelector: selector },
        },
      },
    );
    try {
      expect(await refuse({})).toMatchObject({
        code: 'admission_denied',
        fault: { webhook: namespace, text: 'no Pods on Sundays' },
      });
    } finally {
      await kubectl('delete', 'validatingadmissionpolicybinding,validatingadmissionpolicy', namespace);
    }
  });

  it('lists nothing of Pods that are not ours', async () => {
    await client.createPod({ ...buildPod('theirs'), metadata: { name: 'theirs' } }, { signal });
    const names: string[] = [];
    for await (const pod of client.listPods({ labels: MANAGED, signal })) names.push(pod.metadata.name);
    expect(names).toEqual([]);
  });
});
