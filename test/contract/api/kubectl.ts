/** The other hand in a real cluster: kubectl with the ambient KUBECONFIG. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs kubectl and returns its output. */
export async function kubectl(...argv: string[]): Promise<string> {
  const { stdout } = await run('kubectl', argv, { timeout: 60_000 });
  return stdout;
}

/** Applies objects. */
export async function kubectlApply(...objects: object[]): Promise<void> {
  const child = run('kubectl', ['apply', '-f', '-'], { timeout: 60_000 });
  child.child.stdin?.end(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  await child;
}
