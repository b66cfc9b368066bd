/** Pods as a launch makes them, created and watched and nothing more: the floor that a launch stands on. */
import { randomBytes } from 'node:crypto';
import type { ClusterClient, PodObservation } from '@omnigent/launcher';
import { z } from 'zod';

/** Pods of the baseline carry an instance of their own, so that no server takes them for its sandboxes. */
export const BARE_LABELS = { 'omnigent.ai/instance': 'bench-bare' } as const;

/** How long a Pod may take to run or to be deleted. */
const WAIT_MS = 60_000;

const podSchema = z.looseObject({
  kind: z.literal('Pod'),
  apiVersion: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    containers: z.array(
      z.looseObject({
        command: z.array(z.string()),
        env: z.array(z.looseObject({ name: z.string() })),
      }),
    ),
  }),
});
type PodTemplate = z.infer<typeof podSchema>;

/** The Pod among the manifests of a plan. */
export function pickPod(manifests: readonly unknown[]): PodTemplate {
  const [pod] = manifests.flatMap((manifest) => podSchema.safeParse(manifest).data ?? []);
  if (pod === undefined) throw new Error('expected a Pod in the plan, found none');
  return pod;
}

/** The same Pod under a fresh name. Its host starts as any other, but has no server: it dials a port that nobody listens on. */
function buildBarePod(template: PodTemplate): PodTemplate {
  const name = `bench-${randomBytes(4).toString('hex')}`;
  const containers = template.spec.containers.map(({ command, env, ...container }) => ({
    ...container,
    command: command.map((part) => part.replaceAll(/--server [^\s;]+/g, '--server http://127.0.0.1:9')),
    env: env.map((variable) =>
      'valueFrom' in variable ? { name: variable.name, value: 'x'.repeat(43) } : variable,
    ),
  }));
  return {
    ...template,
    metadata: { ...template.metadata, name, labels: BARE_LABELS },
    spec: { ...template.spec, containers },
  };
}

/** Creates a Pod and resolves to its name once its container `host` runs. */
export async function runBarePod(cluster: ClusterClient, template: PodTemplate): Promise<string> {
  const manifest = buildBarePod(template);
  const { name } = manifest.metadata;
  const signal = AbortSignal.timeout(WAIT_MS);
  const running = waitUntilRunning(cluster, { name, signal });
  await Promise.all([cluster.createPod(manifest, { signal }), running]);
  return name;
}

function waitUntilRunning(
  cluster: ClusterClient,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onObservation = (observation: PodObservation): void => {
    if (observation.type !== 'present') return;
    const state = observation.pod.status.containerStatuses.find((status) => status.name === 'host')?.state;
    if (state?.running) resolve();
    if (state?.terminated) reject(new Error(`Pod ${name} was expected to run; it ended`));
  };
  const subscription = cluster.podWatch.subscribe({ name, onObservation });
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise.finally(() => subscription.close());
}

/** Removes Pods of the baseline at once. */
export async function removeBarePods(cluster: ClusterClient, names: readonly string[]): Promise<void> {
  const signal = AbortSignal.timeout(WAIT_MS);
  await Promise.all(names.map((name) => cluster.deletePod(name, { signal, gracePeriodSeconds: 0 })));
}
