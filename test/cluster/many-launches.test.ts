/** A hundred launches at once, of which the node carries a part: the others wait for room and launch when it comes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CLUSTER, kubectl } from './harness/cluster.ts';
import { ensureImage } from './harness/images.ts';
import { openLaunches } from './harness/launches.ts';
import type { ClusterLaunches } from './harness/launches.ts';
import { createNamespace, listLeft } from './harness/namespace.ts';
import type { TestNamespace } from './harness/namespace.ts';

const LAUNCHES = 100;
/** As many as a small node starts within a stage's budget. */
const ROOM = 20;

describe.skipIf(!HAS_CLUSTER)('a hundred launches at once', () => {
  const resources = new AsyncDisposableStack();
  let namespace: TestNamespace;
  let launches: ClusterLaunches;

  beforeAll(async () => {
    const image = await ensureImage('host');
    namespace = resources.use(await createNamespace());
    const section = { image, stage_timeouts: { scheduling: 150, pulling: 60, starting: 60 } };
    launches = resources.use(await openLaunches(namespace, section));
    await kubectl(['create', 'quota', 'room', `--hard=pods=${ROOM}`, '-n', namespace.name]);
    const used = ['wait', 'quota/room', '--for=jsonpath={.status.hard.pods}', '-n', namespace.name];
    await kubectl(used);
  });
  afterAll(async () => await resources.disposeAsync());

  it('all run in the end, and leave nothing', async () => {
    const waited = new Set<number>();
    const launch = async (index: number): Promise<void> => {
      const name = await launches.launch({
        onStage: (_stage, message = '') => {
          if (message.startsWith('waiting for room')) waited.add(index);
        },
      });
      await launches.terminate(name);
    };
    await Promise.all(Array.from({ length: LAUNCHES }, (_, index) => launch(index)));
    expect(waited.size).toBeGreaterThanOrEqual(LAUNCHES - 2 * ROOM);
    expect(await listLeft(namespace.name)).toEqual([]);
  });
});
