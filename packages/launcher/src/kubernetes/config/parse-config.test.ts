import { isSandboxError } from '@omnigent/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMountPathFault } from './mount-path.ts';
import { parseKubernetesConfig } from './parse-config.ts';
import { parseQuantity } from './quantity.ts';
import { kubernetesSectionSchema } from './schema.ts';
import { SETTINGS } from './settings-table.ts';

function messageOf(section: unknown, environment: Readonly<Record<string, string>> = {}): string {
  try {
    parseKubernetesConfig(section, environment);
  } catch (error) {
    expect(isSandboxError(error) && error.code).toBe('invalid_config');
    return error instanceof Error ? error.message : '';
  }
  return 'accepted';
}

describe('parseKubernetesConfig', () => {
  it('fills in every default', () => {
    expect(parseKubernetesConfig(undefined, {})).toEqual({
      image: 'ghcr.io/omnigent-ai/omnigent-host:latest',
      namespace: 'omnigent-sandboxes',
      service_account: 'omnigent-runner',
      passthrough: {},
      node_selector: { 'kubernetes.io/arch': 'amd64' },
      resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '2', memory: '4Gi' } },
      home_size_limit: '8Gi',
      pod_ready_timeout_s: 90,
      workspace_prep: 'host',
      inject_host: null,
    });
  });

  it('prefers the section, then the environment, then the default', () => {
    const environment = {
      OMNIGENT_KUBERNETES_NAMESPACE: 'from-env',
      OMNIGENT_KUBERNETES_HOST_IMAGE: 'image-from-env',
    };
    const config = parseKubernetesConfig({ namespace: 'explicit' }, environment);
    expect([config.namespace, config.image, config.service_account]).toEqual([
      'explicit',
      'image-from-env',
      'omnigent-runner',
    ]);
  });

  it('keeps the defaults of resource fields that are left out, and takes extended ones', () => {
    const { resources } = parseKubernetesConfig(
      { resources: { limits: { cpu: 4, 'example.com/gpu': 1 } } },
      {},
    );
    expect(resources).toEqual({
      requests: { cpu: '500m', memory: '1Gi' },
      limits: { cpu: '4', memory: '4Gi', 'example.com/gpu': '1' },
    });
  });

  it("lets the operator's own architecture win", () => {
    expect(
      parseKubernetesConfig({ node_selector: { 'kubernetes.io/arch': 'arm64', a: 'b' } }, {}).node_selector,
    ).toEqual({ 'kubernetes.io/arch': 'arm64', a: 'b' });
  });

  it('is deeply frozen, and leaves what it was given as it was', () => {
    const section = { affinity: { nodeAffinity: {} } };
    const config = parseKubernetesConfig(section, {});
    expect(Object.isFrozen(config.resources.limits)).toBe(true);
    expect(Object.isFrozen(config.affinity?.['nodeAffinity'])).toBe(true);
    expect(Object.isFrozen(section.affinity.nodeAffinity)).toBe(false);
  });

  it('takes any section or refuses it with a message that names its place', () => {
    const keys = Object.keys(kubernetesSectionSchema.shape);
    const value = fc.anything({
      maxDepth: 3,
      key: fc.constantFrom('spec', 'name', 'key', 'containers', 'x'),
    });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 3 }), (section) => {
        expect(messageOf(section)).toMatch(/^(accepted|sandbox\.kubernetes.*: )/);
      }),
    );
  });

  it('clones in an init container by default when the host is injected, where its git is', () => {
    const prep = (section: object) => parseKubernetesConfig(section, {}).workspace_prep;
    expect(prep({ inject_host: true })).toBe('init');
    expect(prep({ inject_host: true, workspace_prep: 'host' })).toBe('host');
    expect(prep({ inject_host: false })).toBe('host');
  });

  it('copies the values of passthrough variables', () => {
    expect(
      parseKubernetesConfig({ env: ['MONKEY', 'KEYBOARD'] }, { MONKEY: '$(x)', KEYBOARD: '' }).passthrough,
    ).toEqual({ MONKEY: '$(x)', KEYBOARD: '' });
    expect(
      parseKubernetesConfig({}, { OMNIGENT_KUBERNETES_SANDBOX_ENV: ' A , B', A: '1', B: '2' }).passthrough,
    ).toEqual({ A: '1', B: '2' });
  });

  it.each([
    [{ imagee: 'x' }, 'sandbox.kubernetes: unknown key imagee'],
    [{ resources: { limit: {} } }, 'sandbox.kubernetes.resources: unknown key limit'],
    [{ image: '' }, 'sandbox.kubernetes.image: expected an image'],
    [{ namespace: 'a.b' }, 'sandbox.kubernetes.namespace: expected an RFC 1123 label'],
    [{ namespace: 'a\n' }, 'sandbox.kubernetes.namespace: expected an RFC 1123 label'],
    [{ namespace: 'a'.repeat(64) }, 'sandbox.kubernetes.namespace: expected an RFC 1123 label'],
    [{ secret_name: 'A' }, 'sandbox.kubernetes.secret_name: expected an RFC 1123 subdomain'],
    [
      { resources: { limits: { memory: '4Gib' } } },
      'sandbox.kubernetes.resources.limits.memory: expected a quantity',
    ],
    [{ env: ['HOME'] }, 'sandbox.kubernetes.env: HOME is reserved'],
    [
      { env: ['API_KEY'] },
      'sandbox.kubernetes.env: API_KEY looks like a credential: put it into the Secret named by secret_name',
    ],
    [{ env: ['UNSET'] }, "sandbox.kubernetes.env: UNSET is not set in the server's environment"],
    [{ env: ['A=B'] }, 'sandbox.kubernetes.env: "A=B" is not a valid environment variable name'],
    [{ env_values: { IS_SANDBOX: '0' } }, 'sandbox.kubernetes.env_values: must not set'],
    [
      { pvc_mounts: [{ claim_name: 'a', mount_path: '/etc/x' }] },
      'lies at or under the system directory /etc',
    ],
    [
      {
        pvc_mounts: [{ claim_name: 'a', mount_path: '/data' }],
        secret_mounts: [{ secret_name: 'b', mount_path: '/data/b' }],
      },
      '/data and /data/b are the same or nested',
    ],
    [{ ca_bundle: {} }, 'sandbox.kubernetes.ca_bundle: expected exactly one of config_map and secret'],
    [{ pod_template: { status: {} } }, 'sandbox.kubernetes.pod_template: unknown key status'],
    [
      { pod_template: { spec: { hostPID: true } } },
      'sandbox.kubernetes.pod_template.spec.hostPID: is fixed by the launcher',
    ],
    [{ image: 'a b' }, 'sandbox.kubernetes.image: expected an image'],
    [{ image: 'a\n' }, 'sandbox.kubernetes.image: expected an image'],
    [{ inject_host: { image: '' } }, 'sandbox.kubernetes.inject_host'],
    [
      { resources: { limits: { memory: '512Mi' } } },
      'sandbox.kubernetes.resources.requests.memory: 1Gi (the default) is above the limit 512Mi',
    ],
    [
      { resources: { requests: { 'example.com/gpu': 1 } } },
      'sandbox.kubernetes.resources.requests.example.com/gpu: 1 needs the same amount under limits',
    ],
    [
      { resources: { requests: { 'example.com/gpu': 1 }, limits: { 'example.com/gpu': 2 } } },
      '1 differs from the limit 2',
    ],
    [{ labels: { 'omnigent.ai/agent': 'x' } }, 'sandbox.kubernetes.labels.omnigent.ai/agent: is set by'],
    [{ labels: { a: '_@x.io' } }, 'sandbox.kubernetes.labels.a: expected a label value'],
    [
      { tolerations: [{ effect: 'NoExecute' }] },
      'sandbox.kubernetes.tolerations.0: a toleration without a key',
    ],
    [{ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }, 'operator Exists takes no value'],
    [{ proxy: { https: 'http://u:hunter2@proxy' } }, 'sandbox.kubernetes.proxy.https: carries user info'],
    [{ ca_bundle: { secret: 's', key: '..' } }, 'sandbox.kubernetes.ca_bundle.key: expected a key'],
    [{ secret_mounts: [{ secret_name: 's', mount_path: '/run/omnigent/ca' }] }, 'system directory /run'],
  ])('refuses %j', (section, message) => expect(messageOf(section)).toContain(message));

  it.each([
    [{ OMNIGENT_KUBERNETES_NAMESPACE: 'A' }, 'OMNIGENT_KUBERNETES_NAMESPACE: expected an RFC 1123 label'],
    [{ OMNIGENT_KUBERNETES_HOST_IMAGE: '' }, 'OMNIGENT_KUBERNETES_HOST_IMAGE: expected an image'],
    [{ OMNIGENT_KUBERNETES_NAMESPACE: 'a\n' }, 'OMNIGENT_KUBERNETES_NAMESPACE: expected an RFC 1123 label'],
    [
      { OMNIGENT_KUBERNETES_SANDBOX_ENV: 'A,B\n', A: '1', B: '2' },
      'OMNIGENT_KUBERNETES_SANDBOX_ENV: "B\\n" is not a valid environment variable name',
    ],
    [{ OMNIGENT_KUBERNETES_WORKSPACE_PREP: 'sidecar' }, 'OMNIGENT_KUBERNETES_WORKSPACE_PREP: '],
    [
      { OMNIGENT_KUBERNETES_SANDBOX_ENV: 'MY_TOKEN' },
      'OMNIGENT_KUBERNETES_SANDBOX_ENV: MY_TOKEN looks like a credential',
    ],
  ])('names the variable of %j', (environment, message) =>
    expect(messageOf({}, environment)).toContain(message),
  );
});

describe('SETTINGS', () => {
  it('lists every key of the schema', () => {
    expect(SETTINGS.map(({ key }) => key).sort()).toEqual(Object.keys(kubernetesSectionSchema.shape).sort());
  });
});

describe('findMountPathFault', () => {
  it.each([
    '/',
    '/data/',
    '/data/../x',
    '//data',
    'data',
    '/home',
    '/home/omnigent/x',
    '/home/other',
    '/lib64',
    '/libfoo/x',
    '/usr',
    '/proc/1',
    '/a:b',
  ])('refuses %s', (path) => expect(findMountPathFault(path)).toBeDefined());
  it.each(['/data', '/mnt/models', '/etcetera', '/homework', '/srv/lib'])('accepts %s', (path) =>
    expect(findMountPathFault(path)).toBeUndefined(),
  );
});

describe('parseQuantity', () => {
  it.each([
    ['500m', 0.5],
    ['4Gi', 2 ** 32],
    ['1e3', 1000],
    ['2', 2],
    ['.5', 0.5],
    ['1k', 1000],
  ])('of %s is %d', (text, value) => expect(parseQuantity(text)).toBe(value));
  it.each(['', '1GiB', '-1', '1 Gi', '1Gi\n', 'x'])('refuses %j', (text) =>
    expect(parseQuantity(text)).toBeUndefined(),
  );
});
