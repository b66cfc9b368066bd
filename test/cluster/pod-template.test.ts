/** What operators add by `pod_template`, on a real node: a sidecar, one process namespace, a read-only root file system. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER, kubectl } from './harness/cluster.ts';
import { ensureImage } from './harness/images.ts';
import { Installation } from './harness/installation.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

describe.skipIf(!HAS_CLUSTER)('pod_template on a cluster', () => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let omnigent: Installation;

  beforeAll(async () => {
    const image = await ensureImage('host');
    namespace = resources.use(await createNamespace());
    const resourceLimits = { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } };
    const sidecar = { image, command: ['sleep', 'infinity'], resources: resourceLimits };
    const spec = {
      shareProcessNamespace: true,
      initContainers: [{ name: 'mesh', restartPolicy: 'Always', ...sidecar }],
      containers: [
        {
          name: 'host',
          securityContext: { readOnlyRootFilesystem: true },
          volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
        },
        { name: 'logs', ...sidecar },
      ],
      volumes: [{ name: 'tmp', emptyDir: {} }],
    };
    const metadata = { labels: { team: 'a' } };
    const { name, kubeconfig } = namespace;
    const kubernetes = { image, pod_template: { metadata, spec }, host_config: {} };
    omnigent = resources.use(await Installation.start({ namespace: name, kubeconfig, kubernetes }));
  });
  afterAll(async () => await resources.disposeAsync());

  it('runs the main job beside sidecars, and leaves nothing', async () => {
    const script = 'touch /usr/x 2>&1; touch /tmp/x ~/x && pwd; exit 7';
    const result = await omnigent.run(['run', '-q', '--', 'sh', '-c', script]);
    expect(result).toEqual({
      status: 7,
      stdout: "touch: cannot touch '/usr/x': Read-only file system\n/home/omnigent/workspace\n",
      stderr: '',
    });
    expect(await listLeft(namespace.name)).toEqual([]);
  });

  it('reaps orphans although PID 1 is not ours, and keeps every container restricted', async () => {
    await using sandbox = await omnigent.client.launch({});
    await sandbox.exec('for i in $(seq 50); do sh -c "(sleep 0.05 &)"; done; sleep 1');
    const processes = await sandbox.exec('cat /proc/1/comm; ps -eo stat= | grep -c ^Z');
    expect(processes.stdout).toBe('pause\n0\n');
    const path =
      '{range .spec.initContainers[*]}{.name} {end}{range .spec.containers[*]}{.name} {end}{.metadata.labels.team}';
    const podName = sandbox.resource.provider_id ?? '';
    const pod = ['get', 'pod', podName, '-n', namespace.name, '-o'];
    expect(await kubectl([...pod, `jsonpath=${path}`])).toBe('mesh host logs a');
    const profiles = await kubectl([...pod, 'jsonpath={..allowPrivilegeEscalation}']);
    expect(profiles).toBe('false false false');
  });
});
