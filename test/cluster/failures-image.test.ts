/** A registry that is busy, broken or silent, and comes round or does not. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER } from './harness/cluster.ts';
import { ensureImage } from './harness/images.ts';
import { openLaunches } from './harness/launches.ts';
import type { ClusterLaunches } from './harness/launches.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';
import { openRegistry } from './harness/registry.ts';
import type { Registry, RegistryMood } from './harness/registry.ts';

describe.skipIf(!HAS_CLUSTER)('an image whose registry', () => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let launches: ClusterLaunches;
  let registry: Registry;

  beforeAll(async () => {
    const host = await ensureImage('host');
    namespace = resources.use(await createNamespace());
    registry = resources.use(await openRegistry());
    // The image of the registry has a shell only; the host comes out of ours.
    launches = resources.use(await openLaunches(namespace, { inject_host: { image: host } }));
  });
  afterAll(async () => await resources.disposeAsync());

  interface Comeback {
    readonly mood: RegistryMood;
    /** What is told meanwhile. */
    readonly told: RegExp;
  }

  it.concurrent.each<readonly [string, Comeback]>([
    ['limits the rate', { mood: 429, told: /still retrying the image of host: .*429 Too Many Requests/ }],
    ['is broken', { mood: 500, told: /still retrying the image of host: .*500 Internal Server Error/ }],
  ])('%s is waited for, and launches once it serves', async (title, { mood, told }) => {
    const repository = title.replaceAll(' ', '-');
    const image = registry.reference(repository, mood);
    const messages: string[] = [];
    const name = await launches.launch({
      section: { image },
      onStage: (_stage, message = '') => {
        messages.push(message);
        if (told.test(message)) registry.setMood(repository, 'serve');
      },
    });
    expect(messages.join('\n')).toMatch(told);
    await launches.terminate(name);
  });

  it.concurrent('says nothing for a while launches once it speaks', async () => {
    const image = registry.reference('silent', 'silence');
    const launching = launches.launch({ section: { image } });
    await expect.poll(() => registry.count('silent'), { timeout: 30_000 }).toBeGreaterThan(0);
    registry.setMood('silent', 'serve');
    registry.hangUp('silent');
    await launches.terminate(await launching);
  });

  it.concurrent('never speaks fails when the budget of its stage is spent, with its name', async () => {
    const image = registry.reference('dead', 'silence');
    const diagnosis = await launches.fail({ section: { image, stage_timeouts: { pulling: 8 } } });
    expect(diagnosis).toMatchObject({ code: 'pull_timeout', stage: 'pulling' });
    expect(diagnosis.message).toMatch(/the image was not there within 8 s/);
    // A kubelet that waits for an answer does not end its Pod.
    registry.setMood('dead', 404);
    registry.hangUp('dead');
  });

  it.concurrent('limits the rate for too long fails with what it said', async () => {
    const image = registry.reference('stingy', 429);
    const diagnosis = await launches.fail({ section: { image, stage_timeouts: { pulling: 8 } } });
    expect(diagnosis).toMatchObject({ code: 'pull_timeout', stage: 'pulling' });
    expect(diagnosis.message).toContain('429 Too Many Requests');
  });

  it.concurrent.each<readonly [string, RegistryMood, string]>([
    ['denies', 403, 'image_unauthorized'],
    ['asks for credentials', 401, 'image_unauthorized'],
    ['has no such image', 404, 'image_not_found'],
  ])('%s fails at once', async (title, mood, code) => {
    const repository = title.replaceAll(' ', '-');
    const image = registry.reference(repository, mood);
    const diagnosis = await launches.fail({ section: { image } });
    expect(diagnosis).toMatchObject({ code, stage: 'pulling' });
    expect(diagnosis.message).toContain(image);
    expect(diagnosis.message).toContain('of container host');
  });

  it('leaves nothing', async () => {
    await expect.poll(() => listLeft(namespace.name), { timeout: 60_000 }).toEqual([]);
  });
});
