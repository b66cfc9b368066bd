/** The control plane is killed while a sandbox is launched. Runs after all other tests of the cluster, which it would disturb. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CLUSTER, HAS_CLUSTER, kubectl } from '../harness/cluster.ts';
import { ensureImage } from '../harness/images.ts';
import { openLaunches } from '../harness/launches.ts';
import type { ClusterLaunches, LaunchFacts } from '../harness/launches.ts';
import { createNamespace, listLeft } from '../harness/namespace.ts';
import type { TestNamespace } from '../harness/namespace.ts';

const run = promisify(execFile);

async function kill(...parts: readonly string[]): Promise<void> {
  for (const part of parts) await run(CLUSTER, ['kill', part]);
}

/** A part that was just started may be found dead by those that depend on it; a later try finds it alive. */
async function bringUp(tries = 5): Promise<void> {
  // The parts belong to the cluster, not to this run of the tests, whose leftovers are found by their environment.
  const { OMNIGENT_CI_RUN: _, ...env } = process.env;
  try {
    await run(CLUSTER, ['up'], { env });
  } catch (error) {
    if (tries === 1) throw error;
    await bringUp(tries - 1);
  }
}

let bringing: Promise<void> = Promise.resolve();

/** One at a time: two at once would start each part twice. */
function bringBack(): Promise<void> {
  bringing = bringing.then(
    () => bringUp(),
    () => bringUp(),
  );
  return bringing;
}

describe.skipIf(!HAS_CLUSTER)('a launch whose control plane is killed', () => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let launches: ClusterLaunches;

  beforeAll(async () => {
    const image = await ensureImage('host');
    namespace = resources.use(await createNamespace());
    launches = resources.use(await openLaunches(namespace, { image }));
  });
  afterEach(bringBack);
  afterAll(async () => await resources.disposeAsync());

  /** Kills the parts at that point of the launch, brings them back, and expects a running host. */
  async function launchThrough(parts: readonly string[], at: 'before' | 'scheduling'): Promise<string[]> {
    const told: string[] = [];
    let outage: Promise<void> | null = null;
    const breakDown = () => {
      outage ??= kill(...parts).then(bringBack);
    };
    const onStage: LaunchFacts['onStage'] = (stage, message) => {
      told.push(message === undefined ? stage : `${stage}: ${message}`);
      // Secret and Pod exist, and nobody has placed the Pod yet.
      if (stage === at) breakDown();
    };
    if (at === 'before') await kill(...parts);
    const launching = launches.launch({ onStage });
    if (at === 'before') outage = bringBack();
    const [name] = await Promise.all([launching, outage]);
    await launches.terminate(name);
    await expect.poll(() => listLeft(namespace.name), { timeout: 60_000 }).toEqual([]);
    return told;
  }

  it('succeeds when the API server comes back within its budget', async () => {
    const told = await launchThrough(['apiserver'], 'scheduling');
    expect(told.at(-1)).toBe('starting');
  });

  it('succeeds when etcd comes back', async () => {
    const told = await launchThrough(['etcd'], 'scheduling');
    expect(told.at(-1)).toBe('starting');
  });

  it('succeeds when both and the scheduler come back, and loses neither Pod nor Secret', async () => {
    const told = await launchThrough(['scheduler', 'apiserver', 'etcd'], 'scheduling');
    expect(told.some((text) => text.includes('the Pod cannot be followed now'))).toBe(true);
    expect(told.at(-1)).toBe('starting');
  });

  it('that begins without an API server waits for it to create its objects', async () => {
    const told = await launchThrough(['apiserver'], 'before');
    expect(told.slice(0, 1)).toEqual(['scheduling']);
    expect(await kubectl(['get', 'events', '-n', namespace.name, '-o', 'name'])).not.toBe('');
  });
});
