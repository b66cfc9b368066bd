/** A fake API server in a process of its own, so that what is measured here is ours; with a launcher and a bare client before it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createLauncher, openClusterClient } from '@omnigent/launcher';
import type { ClusterClient, SandboxLauncher } from '@omnigent/launcher';
import { systemClock, systemRandomBytes } from '@omnigent/protocol';
import { BARE_LABELS } from '../kubernetes/bare-pods.ts';

const NAMESPACE = 'omnigent-sandboxes';
const SERVER = fileURLToPath(new URL('fake-server.ts', import.meta.url));

export interface FakeCluster extends AsyncDisposable {
  readonly launcher: SandboxLauncher;
  /** A client that watches the Pods of the baseline only. */
  readonly bare: ClusterClient;
}

async function startServer(): Promise<AsyncDisposable & { readonly kubeconfig: string }> {
  const child = spawn(process.execPath, ['--conditions=source', SERVER], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [kubeconfig] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

export async function openFakeCluster(): Promise<FakeCluster> {
  await using stack = new AsyncDisposableStack();
  const { kubeconfig: text } = stack.use(await startServer());
  const directory = await mkdtemp(join(tmpdir(), 'omnigent-load-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, text, { mode: 0o600 });
  const launcher = await createLauncher({
    provider: 'kubernetes',
    config: { kubeconfig, in_cluster: false, namespace: NAMESPACE, image: 'registry.test/host:1' },
    environment: {},
    instance: 'load',
    stateDirectory: directory,
    nodePath: '',
    hostBundle: '',
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
  stack.defer(() => launcher.close());
  const options = {
    environment: {},
    kubeconfig,
    inCluster: false,
    namespace: NAMESPACE,
    watchLabels: BARE_LABELS,
  };
  const bare = stack.adopt(await openClusterClient(options), (client) => client.close());
  const owned = stack.move();
  return { launcher, bare, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
