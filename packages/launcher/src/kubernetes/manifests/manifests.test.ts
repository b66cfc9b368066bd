import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRepository } from '@omnigent/protocol';
import { parseKubernetesConfig } from '../config/parse-config.ts';
import { findAgentWarning } from './labels.ts';
import { buildPodManifest } from './pod.ts';
import type { PodOptions } from './pod-options.ts';
import { checkPodTemplate } from './pod-template.ts';
import { PYTHON_REAPER } from './reaper.ts';
import { escapeExpansion, quoteShell } from './shell.ts';
import { buildTokenSecretManifest } from './token-secret.ts';

const TOKEN = 'a-very-secret-launch-token';

function build(section: unknown = {}, more: Partial<PodOptions> = {}) {
  return buildPodManifest({
    config: parseKubernetesConfig(section, {}),
    podName: 'omnigent-demo-0a1b2c',
    hostId: 'h0123456789ab',
    hostName: 'demo',
    instance: 'test',
    serverUrl: 'http://server:8080/',
    repositories: [],
    env: {},
    lifetimeSeconds: 3600,
    ...more,
  });
}

const hostOf = (pod: ReturnType<typeof build>) => pod.spec.containers.find(({ name }) => name === 'host');
const scriptOf = (container: { command?: string[] } | undefined) => container?.command?.[2] ?? '';

describe('buildPodManifest', () => {
  it('makes the simplest Pod', () => {
    const { spec, ...rest } = build();
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

  it('prepares the workspace in an init container when that is chosen, with every value quoted', () => {
    const repositories = [parseRepository("https://git.example.com/a/it's.git#feat/x")];
    const pod = build(
      { workspace_prep: 'init', secret_name: 'harness', git: { depth: 1 } },
      { repositories },
    );
    const [prep] = pod.spec.initContainers ?? [];
    expect(prep?.name).toBe('workspace-prep');
    expect(prep?.envFrom).toEqual([{ secretRef: { name: 'harness' } }]);
    expect(prep?.env).toContainEqual({ name: 'GIT_TERMINAL_PROMPT', value: '0' });
    expect(scriptOf(prep)).toContain(
      String.raw`git clone --branch feat/x --single-branch --depth 1 -- 'https://git.example.com/a/it'\''s.git' '/home/omnigent/workspace/it'\''s'`,
    );
    expect(scriptOf(prep).split('\n')[0]).toBe('set -e');
  });

  it('lets values reach the process as they are, although Kubernetes expands $(NAME)', () => {
    const env = hostOf(build({ env_values: { A: '$(HOME) $$ $x' } }))?.env;
    expect(env).toContainEqual({ name: 'A', value: '$$(HOME) $$$$ $$x' });
  });

  it('carries host_config byte for byte, merged with that of the request', () => {
    const pod = build({ host_config: { a: "it's $(x) `y`", b: 1 } }, { hostConfig: { b: 2 } });
    const value = hostOf(pod)?.env?.find(({ name }) => name === 'OMNIGENT_HOST_CONFIG')?.value ?? '';
    expect(JSON.parse(Buffer.from(value, 'base64').toString())).toEqual({ a: "it's $(x) `y`", b: 2 });
  });

  it('mounts claims and Secrets in the host container only', () => {
    const pod = build({
      workspace_prep: 'init',
      pvc_mounts: [{ claim_name: 'models', mount_path: '/models' }],
      secret_mounts: [{ secret_name: 'cloud', mount_path: '/cloud' }],
    });
    expect(hostOf(pod)?.volumeMounts?.slice(1)).toEqual([
      { name: 'pvc-0', mountPath: '/models', readOnly: true },
      { name: 'secret-0', mountPath: '/cloud', readOnly: true },
    ]);
    expect(pod.spec.initContainers?.[0]?.volumeMounts).toEqual([
      { name: 'home', mountPath: '/home/omnigent' },
    ]);
    expect(pod.spec.volumes).toContainEqual({
      name: 'secret-0',
      secret: { secretName: 'cloud', defaultMode: 0o440 },
    });
  });

  it('sets every optional scheduling field only when it is configured', () => {
    const { spec } = build({
      priority_class: 'p',
      runtime_class: 'gvisor',
      image_pull_secrets: ['a'],
      host_users: false,
      affinity: { nodeAffinity: {} },
      home_size_limit: null,
    });
    expect(spec).toMatchObject({
      priorityClassName: 'p',
      runtimeClassName: 'gvisor',
      imagePullSecrets: [{ name: 'a' }],
      hostUsers: false,
      affinity: { nodeAffinity: {} },
    });
    expect(spec.volumes).toEqual([{ name: 'home', emptyDir: {} }]);
    expect(Object.keys(build().spec)).not.toContain('runtimeClassName');
  });

  it('names the agent in a label exactly or not at all', () => {
    expect(build({}, { agent: 'Claude-4.5' }).metadata.labels?.['omnigent.ai/agent']).toBe('Claude-4.5');
    expect(build({}, { agent: 'a b' }).metadata.labels).not.toHaveProperty('omnigent.ai/agent');
    expect(findAgentWarning('a b')).toContain('"a b"');
    expect(findAgentWarning('ok')).toBeUndefined();
  });
});

describe('pod_template', () => {
  const anything = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(true, false, 0, 1, 'x', 'host', 'home', null),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc.dictionary(
      fc.constantFrom(
        'name',
        'securityContext',
        'env',
        'containers',
        'volumes',
        'labels',
        'runAsUser',
        'valueFrom',
        'privileged',
        'drop',
        'value',
        'image',
      ),
      tie('value'),
      { maxKeys: 4 },
    ),
  }));
  const container = fc.record({
    name: fc.constantFrom('host', 'sidecar'),
    env: fc.array(
      fc.record({ name: fc.constantFrom('OMNIGENT_HOST_TOKEN', 'HOME', 'X'), value: fc.string() }),
      { maxLength: 2 },
    ),
  });
  const template = fc.record(
    {
      metadata: fc.record({
        labels: fc.dictionary(
          fc.constantFrom('omnigent.ai/host-id', 'omnigent.ai/instance', 'team'),
          fc.string(),
        ),
      }),
      spec: fc.oneof(
        anything.map,
        fc.record({ containers: fc.array(container, { maxLength: 3 }), schedulerName: fc.string() }),
      ),
    },
    { requiredKeys: [] },
  );

  it('never weakens security context, identity labels, token reference or the service account token', () => {
    fc.assert(
      fc.property(template, (fragment) => {
        let pod: ReturnType<typeof build>;
        try {
          pod = build({ pod_template: fragment });
        } catch {
          return;
        }
        const plain = build();
        expect(pod.spec.securityContext).toEqual(plain.spec.securityContext);
        expect(pod.spec.automountServiceAccountToken).toBe(false);
        expect(pod.metadata.labels).toMatchObject(plain.metadata.labels ?? {});
        const token = hostOf(pod)?.env?.filter(({ name }) => name === 'OMNIGENT_HOST_TOKEN');
        expect(token).toEqual(hostOf(plain)?.env?.filter(({ name }) => name === 'OMNIGENT_HOST_TOKEN'));
        for (const { securityContext } of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]) {
          expect(securityContext).toMatchObject({
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
          });
        }
      }),
    );
  });

  it('adds sidecars, labels and unknown fields', () => {
    const pod = build({
      pod_template: {
        metadata: { labels: { team: 'a' } },
        spec: {
          schedulerName: 's',
          containers: [
            { name: 'mesh', image: 'm' },
            { name: 'host', env: [{ name: 'X', value: '1' }] },
          ],
        },
      },
    });
    expect(pod.metadata.labels).toMatchObject({ team: 'a' });
    expect(pod.spec.schedulerName).toBe('s');
    expect(pod.spec.containers.map(({ name }) => name)).toEqual(['host', 'mesh']);
    expect(hostOf(pod)?.env?.at(-1)).toEqual({ name: 'X', value: '1' });
  });

  it.each([
    [{ spec: { hostNetwork: true } }, 'spec.hostNetwork'],
    [{ spec: { securityContext: {} } }, 'spec.securityContext'],
    [{ spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } }, 'spec.volumes.v.hostPath'],
    [
      { spec: { containers: [{ name: 'c', securityContext: { privileged: true } }] } },
      'spec.containers.c.securityContext.privileged',
    ],
    [
      {
        spec: { initContainers: [{ name: 'c', securityContext: { capabilities: { add: ['NET_ADMIN'] } } }] },
      },
      'capabilities.add',
    ],
  ])('refuses %j by the name of the field', (fragment, field) =>
    expect(() => checkPodTemplate(fragment)).toThrow(field),
  );
});

describe('buildTokenSecretManifest', () => {
  it('holds the token and nothing else does', () => {
    const secret = buildTokenSecretManifest({
      namespace: 'n',
      podName: 'omnigent-demo-0a1b2c',
      hostId: 'h0123456789ab',
      instance: 'test',
      token: TOKEN,
    });
    expect(secret).toMatchObject({
      type: 'Opaque',
      immutable: true,
      metadata: { name: 'omnigent-demo-0a1b2c-token' },
    });
    expect(Buffer.from(secret.data?.['OMNIGENT_HOST_TOKEN'] ?? '', 'base64').toString()).toBe(TOKEN);
  });
});

describe('quoteShell', () => {
  it('gives a shell back every text as it was', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((word) => !word.includes('\0'));
    fc.assert(
      fc.property(text, (word) => {
        expect(
          execFileSync('sh', ['-c', `printf %s ${word === '' ? "''" : quoteShell(word)}`], {
            encoding: 'utf8',
          }),
        ).toBe(word);
      }),
      { numRuns: 40 },
    );
  });
});

describe('escapeExpansion', () => {
  it('doubles every dollar', () => expect(escapeExpansion('$(A) $$')).toBe('$$(A) $$$$'));
});

describe('the python reaper', () => {
  it('exits with the status of its command and with 128 + n for a signal', () => {
    const run = (script: string) => {
      try {
        execFileSync('python3', ['-c', PYTHON_REAPER, 'sh', '-c', script]);
        return 0;
      } catch (error) {
        return error instanceof Error && 'status' in error ? error.status : error;
      }
    };
    expect(run('exit 7')).toBe(7);
    expect(run('kill -9 $$')).toBe(137);
    expect(run('(sleep 0 &) ; exit 3')).toBe(3);
  });
});
