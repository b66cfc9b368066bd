/** Every form of the Pod against the API server's own validation and Pod Security `restricted`. Nothing is created. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLauncher } from '@omnigent/launcher';
import type { LaunchRequest, SandboxLauncher } from '@omnigent/launcher';
import { parseRepository, systemClock, systemRandomBytes } from '@omnigent/protocol';
import type { Plan } from '@omnigent/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER } from './harness/cluster.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

const REQUEST: LaunchRequest = {
  sandboxId: 's1',
  hostId: 'h0123456789ab',
  hostName: 'Team/Größe $(x)',
  token: 'a-launch-token',
  serverUrl: 'https://omnigent.example.com/',
  repositories: [parseRepository("https://git.example.com/a/it's.git#feat/x")],
  owner: 'o',
  agent: 'claude-4.5',
  env: { REQUESTED: '$(HOME) "quoted"\nsecond line' },
  hostConfig: { a: { b: [1] } },
  lifetimeSeconds: 3600,
};

const SIDECAR = {
  image: 'mesh:1',
  securityContext: { runAsUser: 1337, seccompProfile: { type: 'RuntimeDefault' } },
};

/** Forms of the Pod by what they are for; every key of the section is in one of them. */
const FORMS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'the default': {},
  'a clone in an init container': {
    workspace_prep: 'init',
    secret_name: 'harness',
    git: { depth: 1, submodules: true },
  },
  'an injected host': {
    image: 'alpine:3',
    inject_host: { image: 'omnigent-host:1' },
    image_pull_policy: 'IfNotPresent',
  },
  'an injected host that clones itself': { image: 'alpine:3', inject_host: true, workspace_prep: 'host' },
  'mounts of every kind': {
    workspace_prep: 'init',
    pvc_mounts: [
      { claim_name: 'models', mount_path: '/models' },
      { claim_name: 'cache', mount_path: '/cache', read_only: false },
    ],
    secret_mounts: [{ secret_name: 'cloud', mount_path: '/cloud' }],
    ca_bundle: { config_map: 'roots' },
    git: { ssh_secret: 'deploy-key', known_hosts: 'git.example.com ssh-ed25519 AAAA' },
    home_size_limit: null,
  },
  'placement and resources': {
    node_selector: { 'kubernetes.io/arch': 'arm64', 'example.com/pool': 'a' },
    tolerations: [
      { key: 'spot', operator: 'Exists' },
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    ],
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: {
              topologyKey: 'kubernetes.io/hostname',
              labelSelector: { matchLabels: { 'omnigent.ai/role': 'sandbox-host' } },
            },
          },
        ],
      },
    },
    topology_spread_constraints: [
      { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
    ],
    resources: {
      requests: { 'ephemeral-storage': '1Gi', 'example.com/gpu': 1, 'hugepages-2Mi': '4Mi' },
      limits: { cpu: 4, 'ephemeral-storage': '2Gi', 'example.com/gpu': 1, 'hugepages-2Mi': '4Mi' },
    },
  },
  'the rest': {
    env_values: { LITERAL: '$$ $(A)' },
    host_config: { agent: { model: "it's" } },
    image_pull_secrets: ['registry'],
    labels: { team: 'a' },
    annotations: { 'example.com/note': 'any text' },
    host_users: false,
    proxy: { http: 'http://proxy:3128', https: 'http://proxy:3128', no_proxy: '.svc,10.0.0.0/8' },
  },
  'a template': {
    workspace_prep: 'init',
    pod_template: {
      metadata: { labels: { team: 'a' }, annotations: { 'example.com/note': 'x' } },
      spec: {
        terminationGracePeriodSeconds: 60,
        shareProcessNamespace: true,
        dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
        initContainers: [{ name: 'mesh', restartPolicy: 'Always', ...SIDECAR }],
        containers: [
          { name: 'logs', ...SIDECAR },
          {
            name: 'host',
            securityContext: { readOnlyRootFilesystem: true },
            volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
            env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
          },
        ],
        volumes: [
          { name: 'tmp', emptyDir: {} },
          {
            name: 'vault',
            projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'vault' } }] },
          },
        ],
      },
    },
  },
};

describe.skipIf(!HAS_CLUSTER)('the Pod as the API server takes it', () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  let namespace: TestNamespace;
  let directory: string;

  beforeAll(async () => {
    namespace = resources.use(await createNamespace());
    directory = await mkdtemp(join(tmpdir(), 'omnigent-manifests-'));
    resources.defer(() => rm(directory, { recursive: true, force: true }));
    await writeFile(join(directory, 'kubeconfig'), namespace.kubeconfig, { mode: 0o600 });
  });
  afterAll(async () => await resources.disposeAsync());

  async function open(section: object): Promise<SandboxLauncher> {
    const kubeconfig = join(directory, 'kubeconfig');
    return await createLauncher({
      provider: 'kubernetes',
      config: { namespace: namespace.name, in_cluster: false, kubeconfig, ...section },
      environment: {},
      instance: 'test',
      stateDirectory: directory,
      nodePath: process.execPath,
      hostBundle: '',
      clock: systemClock,
      randomBytes: systemRandomBytes,
    });
  }

  async function plan(section: object): Promise<Plan> {
    const launcher = await open(section);
    try {
      return await launcher.plan(REQUEST, { signal, dryRun: 'server' });
    } finally {
      await launcher.close();
    }
  }

  it.each(Object.entries(FORMS))('is valid and restricted as %s', async (_, section) => {
    const { manifests, changes } = await plan(section);
    expect(manifests.map(({ kind }) => kind)).toEqual(['Secret', 'Pod']);
    expect(JSON.stringify(manifests)).not.toContain(REQUEST.token);
    // Admission fills in defaults; it takes nothing of ours away and replaces nothing.
    expect(changes?.filter(({ sent }) => sent !== undefined)).toEqual([]);
    expect(await listLeft(namespace.name)).toEqual([]);
  });

  it('is refused by name of a priority class that does not exist, before anything is created', async () => {
    await expect(plan({ priority_class: 'no-such-class' })).rejects.toThrow(
      'no PriorityClass with name no-such-class',
    );
  });
});
