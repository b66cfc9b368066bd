/** A namespace for one test file: Pod Security restricted, the runner's ServiceAccount, a user with exactly the overlay's Role. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, buildUserKubeconfig, kubectl } from './cluster.ts';

const OVERLAY = join(ROOT, 'deploy/kubernetes/overlays/sandbox-runners');

export interface TestNamespace extends AsyncDisposable {
  readonly name: string;
  /** Kubeconfig of a user who has the rights of the server and no others. */
  readonly kubeconfig: string;
}

/** The overlay's own files, with the namespace and the user of the test put in. */
async function buildObjects(namespace: string, user: string): Promise<string> {
  const files = ['sandboxes-namespace.yaml', 'runner-service-account.yaml', 'sandbox-manager-role.yaml'];
  const texts = await Promise.all(files.map((file) => readFile(join(OVERLAY, file), 'utf8')));
  return texts
    .join('\n---\n')
    .replaceAll(/\bomnigent-sandboxes\b/g, namespace)
    .replace(
      /subjects:[\s\S]*$/m,
      `subjects:\n  - kind: User\n    name: ${user}\n    apiGroup: rbac.authorization.k8s.io\n`,
    );
}

export async function createNamespace(): Promise<TestNamespace> {
  const name = `omnigent-test-${randomBytes(4).toString('hex')}`;
  const user = `${name}-server`;
  await kubectl(['apply', '-f', '-'], await buildObjects(name, user));
  return {
    name,
    kubeconfig: buildUserKubeconfig(user),
    [Symbol.asyncDispose]: async () => void (await kubectl(['delete', 'namespace', name, '--wait=false'])),
  };
}

/** Names of the Pods and token Secrets in a namespace. */
export async function listLeft(namespace: string): Promise<string[]> {
  const text = await kubectl(['get', 'pods,secrets', '-n', namespace, '-o', 'name']);
  return text
    .split('\n')
    .filter((line) => line !== '' && (line.startsWith('pod/') || line.endsWith('-token')));
}
