import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodManifest } from '../manifests/pod-manifest.ts';
import { buildTestPod, findTestContainer } from '../manifests/testing/build-test-pod.ts';
import { findTemplateFault } from './find-template-fault.ts';

const RESTRICTED = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const section = (template: unknown) => ({ workspace_prep: 'init', pod_template: template });
const plain = buildTestPod({ workspace_prep: 'init' });

/** What no template may change. */
function expectNothingWeakened(pod: PodManifest): void {
  expect(pod.spec.securityContext).toEqual(plain.spec.securityContext);
  expect(pod.spec.automountServiceAccountToken).toBe(false);
  expect(pod.spec.serviceAccountName).toBe('omnigent-runner');
  expect(pod.spec.hostNetwork ?? pod.spec.hostPID ?? pod.spec.hostIPC).toBeUndefined();
  const own = Object.entries(pod.metadata.labels ?? {}).filter(([key]) => key !== 'team');
  expect(Object.fromEntries(own)).toEqual(plain.metadata.labels);
  for (const name of ['host', 'workspace-prep']) {
    const [ours, theirs] = [findTestContainer(plain, name), findTestContainer(pod, name)];
    expect([theirs.image, theirs.command, theirs.args]).toEqual([ours.image, ours.command, undefined]);
    const names = new Set(ours.env?.map((variable) => variable.name));
    expect(theirs.env?.filter((variable) => names.has(variable.name))).toEqual(ours.env);
    expect(theirs.volumeMounts).toEqual(expect.arrayContaining(ours.volumeMounts ?? []));
    const { readOnlyRootFilesystem: _, ...security } = theirs.securityContext ?? {};
    expect(security).toEqual(RESTRICTED);
  }
  for (const container of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])])
    expect(container.securityContext).toMatchObject(RESTRICTED);
  expect(JSON.stringify(pod)).not.toMatch(/"hostPath"|"privileged":true|"hostPort"/);
}

const flag = fc.boolean();
const security = fc.record(
  {
    privileged: flag,
    allowPrivilegeEscalation: flag,
    runAsNonRoot: flag,
    runAsUser: fc.constantFrom(0, 1000),
    readOnlyRootFilesystem: flag,
    capabilities: fc.constantFrom({ add: ['SYS_ADMIN'] }, { drop: [] }),
    seccompProfile: fc.constantFrom({ type: 'Unconfined' }, { type: 'RuntimeDefault' }),
    procMount: fc.constant('Unmasked'),
  },
  { requiredKeys: [] },
);
const container = fc.record(
  {
    name: fc.constantFrom('host', 'workspace-prep', 'mesh'),
    image: fc.constant('other'),
    command: fc.constant(['sh']),
    args: fc.constant(['x']),
    env: fc.array(
      fc.record({ name: fc.constantFrom('OMNIGENT_HOST_TOKEN', 'HOME', 'X'), value: fc.string() }),
      { maxLength: 2 },
    ),
    volumeMounts: fc.constant([{ name: 'v', mountPath: '/home/omnigent' }]),
    securityContext: security,
    ports: fc.constant([{ containerPort: 1, hostPort: 1 }]),
  },
  { requiredKeys: ['name'] },
);
const volume = fc.constantFrom(
  { name: 'home', emptyDir: { medium: 'Memory' } },
  { name: 'v', hostPath: { path: '/' } },
  { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
  { name: 'v', emptyDir: {} },
);
const spec = fc.record(
  {
    containers: fc.array(container, { maxLength: 2 }),
    initContainers: fc.array(container, { maxLength: 2 }),
    volumes: fc.array(volume, { maxLength: 2 }),
    hostNetwork: flag,
    securityContext: security,
    automountServiceAccountToken: flag,
    serviceAccountName: fc.constant('default'),
    schedulerName: fc.string(),
    enableServiceLinks: flag,
  },
  { requiredKeys: [] },
);
const labels = fc.dictionary(
  fc.constantFrom('omnigent.ai/host-id', 'omnigent.ai/agent', 'app.kubernetes.io/managed-by', 'team'),
  fc.constant('other'),
);
const template = fc.record({ metadata: fc.record({ labels }), spec: fc.oneof(spec, fc.object()) });

describe('pod_template', () => {
  it('is refused, or weakens nothing', () => {
    fc.assert(
      fc.property(template, (fragment) => {
        if (findTemplateFault(fragment) === undefined) expectNothingWeakened(buildTestPod(section(fragment)));
        else expect(() => buildTestPod(section(fragment))).toThrow('sandbox.kubernetes.pod_template.');
      }),
      { numRuns: 500 },
    );
  });

  it('weakens nothing in any field that is not refused', () => {
    const harmless = fc.record(
      {
        name: fc.constantFrom('host', 'mesh'),
        image: fc.constant('other'),
        command: fc.constant(['sh']),
        env: fc.array(fc.record({ name: fc.constantFrom('OMNIGENT_HOST_TOKEN', 'X'), value: fc.string() })),
        volumeMounts: fc.constant([{ name: 'v', mountPath: '/home/omnigent' }]),
        securityContext: fc.record({ readOnlyRootFilesystem: flag }, { requiredKeys: [] }),
      },
      { requiredKeys: ['name', 'image'] },
    );
    const fragment = fc.record({
      spec: fc.record({ containers: fc.array(harmless), enableServiceLinks: flag }),
    });
    fc.assert(
      fc.property(fragment, (each) => {
        expect(findTemplateFault(each)).toBeUndefined();
        expectNothingWeakened(buildTestPod(section(each)));
      }),
    );
  });

  it('adds sidecars, labels, variables and fields that the launcher does not know', () => {
    const pod = buildTestPod(
      section({
        metadata: { labels: { team: 'a' } },
        spec: {
          schedulerName: 's',
          containers: [
            { name: 'logs', image: 'l' },
            { name: 'host', env: [{ name: 'X', value: '1' }], livenessProbe: { periodSeconds: 5 } },
          ],
          tolerations: [{ key: 'spot', operator: 'Exists' }],
        },
      }),
    );
    expect(pod.metadata.labels).toMatchObject({ team: 'a' });
    expect(pod.spec.schedulerName).toBe('s');
    expect(pod.spec.containers.map(({ name }) => name)).toEqual(['host', 'logs']);
    expect(findTestContainer(pod, 'host').env?.at(-1)).toEqual({ name: 'X', value: '1' });
    expect(findTestContainer(pod, 'host').livenessProbe).toEqual({ periodSeconds: 5 });
    expect(pod.spec.tolerations?.map(({ key }) => key)).toEqual([
      'spot',
      'node.kubernetes.io/not-ready',
      'node.kubernetes.io/unreachable',
    ]);
  });

  it('starts sidecars before the clone, which may need their network, and other init containers after it', () => {
    const initContainers = [
      { name: 'check', image: 'c' },
      { name: 'mesh', image: 'm', restartPolicy: 'Always' },
    ];
    const pod = buildTestPod(section({ spec: { initContainers } }));
    expect(pod.spec.initContainers?.map(({ name }) => name)).toEqual(['mesh', 'workspace-prep', 'check']);
  });

  it('says nothing of an init container that this configuration does without', () => {
    const initContainers = [{ name: 'workspace-prep', env: [{ name: 'X', value: '1' }] }];
    const pod = buildTestPod({ pod_template: { spec: { initContainers } } });
    expect(pod).toEqual(buildTestPod());
  });

  it('may make the root file system of the host read-only', () => {
    const containers = [{ name: 'host', securityContext: { readOnlyRootFilesystem: true } }];
    const host = findTestContainer(buildTestPod(section({ spec: { containers } })), 'host');
    expect(host.securityContext).toEqual({ ...RESTRICTED, readOnlyRootFilesystem: true });
  });

  const inContainer = (fields: object) => ({ spec: { containers: [{ name: 'c', image: 'i', ...fields }] } });
  const token = (audience: object) => ({
    spec: {
      volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't', ...audience } }] } }],
    },
  });

  it.each([
    [{ spec: { hostNetwork: true } }, 'spec.hostNetwork'],
    [{ spec: { securityContext: {} } }, 'spec.securityContext'],
    [{ spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } }, 'spec.volumes.v.hostPath'],
    [{ spec: { volumes: {} } }, 'spec.volumes'],
    [{ spec: { containers: [{ image: 'x' }] } }, 'spec.containers'],
    [{ spec: { containers: [{ name: 'c' }] } }, 'spec.containers.c.image: expected an image'],
    [{ spec: { initContainers: [{ name: 'host' }] } }, 'spec.initContainers.host'],
    [{ spec: { containers: [{ name: 'workspace-prep' }] } }, 'spec.containers.workspace-prep'],
    [{ spec: { containers: [{ name: 'host', args: ['x'] }] } }, 'spec.containers.host.args'],
    [
      { spec: { containers: [{ name: 'host', securityContext: { runAsUser: 1 } }] } },
      'spec.containers.host.securityContext',
    ],
    [inContainer({ securityContext: { privileged: true } }), 'spec.containers.c.securityContext.privileged'],
    [
      inContainer({ securityContext: { capabilities: { add: ['NET_ADMIN'] } } }),
      'spec.containers.c.securityContext.capabilities.add',
    ],
    [
      inContainer({ securityContext: { seccompProfile: { type: 'Unconfined' } } }),
      'spec.containers.c.securityContext.seccompProfile',
    ],
    [inContainer({ ports: [{ hostPort: 80 }] }), 'spec.containers.c.ports.hostPort'],
    [token({}), 'spec.volumes.v.projected.serviceAccountToken'],
    [token({ audience: 'https://kubernetes.default.svc' }), 'spec.volumes.v.projected.serviceAccountToken'],
    [{ metadata: { finalizers: ['x'] } }, 'metadata.finalizers'],
    [{ metadata: { labels: { 'omnigent.ai/instance': 'x' } } }, 'metadata.labels.omnigent.ai/instance'],
    [
      { metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/host': 'unconfined' } } },
      'metadata.annotations',
    ],
  ])('of %j is refused by the name of the field', (fragment, field) =>
    expect(() => buildTestPod(section(fragment))).toThrow(`sandbox.kubernetes.pod_template.${field}`),
  );

  it('may give the sandbox a token for another service', () => {
    expect(findTemplateFault(token({ audience: 'vault' }))).toBeUndefined();
  });
});
