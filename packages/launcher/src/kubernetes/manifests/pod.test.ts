import { describe, expect, it } from 'vitest';
import { parseRepository } from '@omnigent/protocol';
import { findAgentWarning } from './labels.ts';
import { buildTestPod, findTestContainer, readScript } from './testing/build-test-pod.ts';

describe('buildPodManifest', () => {
  it('makes the simplest Pod', () => {
    const { spec, ...rest } = buildTestPod();
    const { containers, ...pod } = spec;
    expect(rest).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'omnigent-demo-0a1b2c',
        namespace: 'omnigent-sandboxes',
        labels: {
          'app.kubernetes.io/managed-by': 'omnigent',
          'omnigent.ai/role': 'sandbox-host',
          'omnigent.ai/instance': 'test',
          'omnigent.ai/host-id': 'h0123456789ab',
        },
      },
    });
    expect(pod).toEqual({
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      serviceAccountName: 'omnigent-runner',
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      activeDeadlineSeconds: 3600,
      tolerations: [
        {
          key: 'node.kubernetes.io/not-ready',
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 60,
        },
        {
          key: 'node.kubernetes.io/unreachable',
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 60,
        },
      ],
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000660000,
        runAsGroup: 1000660000,
        fsGroup: 1000660000,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      volumes: [{ name: 'home', emptyDir: { sizeLimit: '8Gi' } }],
    });
    expect(
      containers.map(({ command, ...container }) => ({ ...container, shell: command?.slice(0, 2) })),
    ).toEqual([
      {
        name: 'host',
        image: 'ghcr.io/omnigent-ai/omnigent-host:latest',
        shell: ['bash', '-lc'],
        workingDir: '/home/omnigent',
        env: [
          { name: 'HOME', value: '/home/omnigent' },
          { name: 'IS_SANDBOX', value: '1' },
          { name: 'OMNIGENT_HOST_ID', value: 'h0123456789ab' },
          { name: 'OMNIGENT_HOST_NAME', value: 'demo' },
          {
            name: 'OMNIGENT_HOST_TOKEN',
            valueFrom: { secretKeyRef: { name: 'omnigent-demo-0a1b2c-token', key: 'OMNIGENT_HOST_TOKEN' } },
          },
        ],
        volumeMounts: [{ name: 'home', mountPath: '/home/omnigent' }],
        resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '2', memory: '4Gi' } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ]);
  });

  it('adds an init container that clones when that is chosen, with image, resources and security of the host', () => {
    const repositories = [parseRepository("https://git.example.com/a/it's.git#feat/x")];
    const section = { workspace_prep: 'init', secret_name: 'harness', git: { depth: 1 } };
    const pod = buildTestPod(section, { repositories });
    const host = findTestContainer(pod, 'host');
    const { command, ...prep } = findTestContainer(pod, 'workspace-prep');
    expect(command?.slice(0, 2)).toEqual(['bash', '-lc']);
    expect(prep).toEqual({
      name: 'workspace-prep',
      image: host.image,
      workingDir: '/home/omnigent',
      env: [
        { name: 'HOME', value: '/home/omnigent' },
        { name: 'GIT_TERMINAL_PROMPT', value: '0' },
        { name: 'GIT_HTTP_LOW_SPEED_LIMIT', value: '1000' },
        { name: 'GIT_HTTP_LOW_SPEED_TIME', value: '60' },
        { name: 'LC_ALL', value: 'C.UTF-8' },
      ],
      envFrom: [{ secretRef: { name: 'harness' } }],
      volumeMounts: [{ name: 'home', mountPath: '/home/omnigent' }],
      resources: host.resources,
      securityContext: host.securityContext,
    });
    expect(readScript(pod, 'workspace-prep')).toContain(
      String.raw`git clone --branch feat/x --single-branch --depth 1 -- 'https://git.example.com/a/it'\''s.git' '/home/omnigent/workspace/it'\''s'`,
    );
  });

  it('lets values reach the process as they are, although Kubernetes expands $(NAME)', () => {
    const { env } = findTestContainer(buildTestPod({ env_values: { A: '$(HOME) $$ $x' } }), 'host');
    expect(env).toContainEqual({ name: 'A', value: '$$(HOME) $$$$ $$x' });
  });

  it('sets a name that the launcher sets itself once, whatever a request says', () => {
    const env = { OMNIGENT_HOST_TOKEN: 'stolen', OMNIGENT_HOST_ID: 'other', HOME: '/', MINE: '1' };
    const plain = findTestContainer(buildTestPod(), 'host').env ?? [];
    expect(findTestContainer(buildTestPod({}, { env }), 'host').env).toEqual([
      ...plain,
      { name: 'MINE', value: '1' },
    ]);
  });

  it('lets the request win over configured variables', () => {
    const pod = buildTestPod({ env_values: { A: 'configured' } }, { env: { A: 'requested' } });
    const found = findTestContainer(pod, 'host').env?.filter(({ name }) => name === 'A');
    expect(found).toEqual([{ name: 'A', value: 'requested' }]);
  });

  it('gives proxies to clone and host in both spellings', () => {
    const section = { workspace_prep: 'init', proxy: { https: 'http://proxy:3128', no_proxy: '.svc' } };
    const pod = buildTestPod(section);
    for (const name of ['host', 'workspace-prep'])
      expect(findTestContainer(pod, name).env?.slice(-4)).toEqual([
        { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
        { name: 'https_proxy', value: 'http://proxy:3128' },
        { name: 'NO_PROXY', value: '.svc' },
        { name: 'no_proxy', value: '.svc' },
      ]);
  });

  it('mounts claims and Secrets in the host container only', () => {
    const pod = buildTestPod({
      workspace_prep: 'init',
      pvc_mounts: [
        { claim_name: 'models', mount_path: '/models' },
        { claim_name: 'cache', mount_path: '/cache', read_only: false },
      ],
      secret_mounts: [{ secret_name: 'cloud', mount_path: '/cloud' }],
    });
    expect(findTestContainer(pod, 'host').volumeMounts?.slice(1)).toEqual([
      { name: 'pvc-0', mountPath: '/models', readOnly: true },
      { name: 'pvc-1', mountPath: '/cache' },
      { name: 'secret-0', mountPath: '/cloud', readOnly: true },
    ]);
    expect(findTestContainer(pod, 'workspace-prep').volumeMounts).toEqual([
      { name: 'home', mountPath: '/home/omnigent' },
    ]);
    expect(pod.spec.volumes).toContainEqual({
      name: 'secret-0',
      secret: { secretName: 'cloud', defaultMode: 0o440 },
    });
  });

  it('mounts extra roots and the ssh key in both containers', () => {
    const pod = buildTestPod({
      workspace_prep: 'init',
      ca_bundle: { secret: 'roots', key: 'all.pem' },
      git: { ssh_secret: 'deploy-key' },
    });
    for (const name of ['host', 'workspace-prep'])
      expect(findTestContainer(pod, name).volumeMounts?.slice(1)).toEqual([
        { name: 'ca-bundle', mountPath: '/run/omnigent/ca', readOnly: true },
        { name: 'git-ssh', mountPath: '/run/omnigent/ssh', readOnly: true },
      ]);
  });

  it('sets every optional field of the Pod only when it is configured', () => {
    const section = {
      priority_class: 'p',
      runtime_class: 'gvisor',
      image_pull_secrets: ['a'],
      host_users: false,
      affinity: { nodeAffinity: {} },
    };
    expect(buildTestPod(section).spec).toMatchObject({
      priorityClassName: 'p',
      runtimeClassName: 'gvisor',
      imagePullSecrets: [{ name: 'a' }],
      hostUsers: false,
      affinity: { nodeAffinity: {} },
    });
    const fields = Object.keys(buildTestPod().spec);
    expect(fields).not.toContain('runtimeClassName');
    expect(fields).not.toContain('initContainers');
  });

  it('leaves the home unbounded when that is asked for', () => {
    expect(buildTestPod({ home_size_limit: null }).spec.volumes).toEqual([{ name: 'home', emptyDir: {} }]);
  });

  it('keeps the one-minute tolerations beside configured ones, unless those are of the same taint', () => {
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' };
    const spot = { key: 'spot', operator: 'Exists' };
    const { tolerations } = buildTestPod({ tolerations: [own, spot] }).spec;
    expect(tolerations).toEqual([
      own,
      spot,
      {
        key: 'node.kubernetes.io/unreachable',
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 60,
      },
    ]);
  });

  it('names the agent in a label exactly or not at all', () => {
    expect(buildTestPod({}, { agent: 'Claude-4.5' }).metadata.labels?.['omnigent.ai/agent']).toBe(
      'Claude-4.5',
    );
    expect(buildTestPod({}, { agent: 'a b' }).metadata.labels).not.toHaveProperty('omnigent.ai/agent');
    expect(findAgentWarning('a b')).toContain('"a b"');
    expect(findAgentWarning('ok')).toBeUndefined();
  });
});

describe('inject_host', () => {
  const section = { image: 'alpine:3', inject_host: { image: 'hosts/omnigent:1' } };

  it('copies the host out of its image before any image runs it from a volume that it cannot change', () => {
    const pod = buildTestPod(section);
    const host = findTestContainer(pod, 'host');
    expect(pod.spec.initContainers?.map(({ name, image }) => [name, image])).toEqual([
      ['inject-host', 'hosts/omnigent:1'],
      ['workspace-prep', 'hosts/omnigent:1'],
    ]);
    expect(findTestContainer(pod, 'inject-host')).toEqual({
      name: 'inject-host',
      image: 'hosts/omnigent:1',
      command: ['/opt/omnigent/inject', '/run/omnigent/host'],
      volumeMounts: [{ name: 'omnigent-host', mountPath: '/run/omnigent/host' }],
      resources: host.resources,
      securityContext: host.securityContext,
    });
    expect(host.image).toBe('alpine:3');
    expect(host.command?.slice(0, 2)).toEqual(['sh', '-c']);
    expect(host.volumeMounts).toContainEqual({
      name: 'omnigent-host',
      mountPath: '/run/omnigent/host',
      readOnly: true,
    });
    expect(readScript(pod, 'host')).toContain(
      'exec tini -s -- /run/omnigent/host/bin/omnigent host --server http://server:8080/',
    );
  });

  it('leaves cloning to the host when that is chosen', () => {
    const pod = buildTestPod({ ...section, workspace_prep: 'host' });
    expect(pod.spec.initContainers?.map(({ name }) => name)).toEqual(['inject-host']);
  });

  it('takes the default host image when it is only switched on', () => {
    const pod = buildTestPod({ image: 'alpine:3', inject_host: true });
    expect(findTestContainer(pod, 'inject-host').image).toBe('ghcr.io/omnigent-ai/omnigent-host:latest');
  });
});
