import { createFakeClock } from '@omnigent/testkit';
import type { FakeClock } from '@omnigent/testkit';
import { describe, expect, it } from 'vitest';
import { ClusterError } from '../api/cluster-error.ts';
import { clusterEventSchema } from '../api/objects/event.ts';
import type { Pod } from '../api/objects/pod.ts';
import { buildPod, buildWaitingPod } from '../status/testing/build-pod.ts';
import { readSituation } from '../status/testing/read-situation.ts';
import { resolveBudgets } from './budgets.ts';
import type { BudgetSettings } from './budgets.ts';
import { createScriptedCluster } from './testing/scripted-cluster.ts';
import type { ScriptedCluster } from './testing/scripted-cluster.ts';
import { waitForHost } from './wait-for-host.ts';
import type { WaitOutcome } from './wait-for-host.ts';

const SECOND = 1_000;
const NEW = buildPod({ spec: { nodeName: undefined }, status: { phase: 'Pending' } });
const UNSCHEDULABLE = buildUnschedulable('0/3 nodes are available: 3 Insufficient cpu.');
const SCHEDULED = buildPod({ status: { phase: 'Pending' } });
const RUNNING = buildPod({
  status: { phase: 'Running', containerStatuses: [{ name: 'host', state: { running: {} } }] },
});

function buildUnschedulable(message: string): Pod {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
  return buildPod({ spec: { nodeName: undefined }, status: { phase: 'Pending', conditions: [condition] } });
}

function buildEvent(reason: string, message = reason, type = 'Normal') {
  return clusterEventSchema.parse({
    metadata: { name: 'e', creationTimestamp: '2026-01-01T00:00:02Z' },
    involvedObject: { uid: 'uid-1' },
    type,
    reason,
    message,
  });
}

interface Scene {
  readonly clock: FakeClock;
  readonly cluster: ScriptedCluster;
  readonly progress: string[];
  readonly controller: AbortController;
  /** Null while it waits. */
  outcome: WaitOutcome | null;
  error: unknown;
  show(pod: Pod): Promise<void>;
  advance(seconds: number): Promise<void>;
}

function startWaiting(settings: Partial<BudgetSettings> = {}, pod = NEW, connected?: Promise<void>): Scene {
  const clock = createFakeClock();
  const cluster = createScriptedCluster();
  cluster.pod = pod;
  const controller = new AbortController();
  const progress: string[] = [];
  const scene: Scene = {
    clock,
    cluster,
    progress,
    controller,
    outcome: null,
    error: undefined,
    async show(shown) {
      cluster.tell({ type: 'present', pod: shown });
      await clock.advance(0);
    },
    advance: (seconds) => clock.advance(seconds * SECOND),
  };
  waitForHost(pod, {
    client: cluster.client,
    clock,
    budgets: resolveBudgets({ pod_ready_timeout_s: 90, ...settings }),
    signal: controller.signal,
    onProgress: (stage, detail) => progress.push(detail === null ? stage : `${stage}: ${detail}`),
    ...(connected === undefined ? {} : { connected }),
  }).then(
    (outcome) => (scene.outcome = outcome),
    (error: unknown) => (scene.error = error),
  );
  return scene;
}

const failureOf = ({ outcome }: Scene) => (outcome?.type === 'failed' ? outcome.failure : null);

describe('waiting for a host', () => {
  it('ends when the host runs, without a single request and with nothing left behind', async () => {
    const scene = startWaiting();
    await scene.show(SCHEDULED);
    await scene.advance(1);
    await scene.show(RUNNING);
    expect(scene.outcome).toMatchObject({ type: 'running' });
    expect(scene.cluster.reads).toEqual({ pod: 0, events: 0 });
    expect(scene.cluster.subscribers).toBe(0);
    expect(scene.clock.pending()).toEqual([]);
    expect(scene.progress).toEqual(['scheduling', 'pulling']);
  });

  it('ends when the host has dialled back, whatever the node reports by then, and leaves nothing behind', async () => {
    const dialled = Promise.withResolvers<void>();
    const scene = startWaiting({}, NEW, dialled.promise);
    await scene.show(SCHEDULED);
    expect(scene.outcome).toBeNull();
    dialled.resolve();
    await scene.advance(0);
    expect(scene.outcome).toEqual({ type: 'running', pod: SCHEDULED });
    expect(scene.cluster.subscribers).toBe(0);
    expect(scene.clock.pending()).toEqual([]);
    expect(scene.error).toBeUndefined();
  });

  it('fails as ever when the host has not dialled back', async () => {
    const scene = startWaiting({}, NEW, new Promise(() => undefined));
    await scene.advance(91);
    expect(failureOf(scene)?.code).toBe('schedule_timeout');
    expect(scene.clock.pending()).toEqual([]);
  });

  it('ends at once when the Pod runs already', async () => {
    const scene = startWaiting({}, RUNNING);
    await scene.advance(0);
    expect(scene.outcome?.type).toBe('running');
  });

  it('rejects with the reason when it is aborted, and leaves nothing behind', async () => {
    const scene = startWaiting();
    await scene.advance(1);
    scene.controller.abort(new Error('enough'));
    await scene.advance(0);
    expect(scene.error).toEqual(new Error('enough'));
    expect(scene.cluster.subscribers).toBe(0);
    expect(scene.clock.pending()).toEqual([]);
  });
});

describe('a Pod without a node', () => {
  it('is waited for as long as the budget lasts, and taken at its last moment', async () => {
    const scene = startWaiting();
    await scene.show(UNSCHEDULABLE);
    await scene.advance(89);
    expect(scene.outcome).toBeNull();
    // The watch is late: only the direct read at the end shows it.
    scene.cluster.pod = SCHEDULED;
    await scene.advance(2);
    expect(scene.outcome).toBeNull();
    await scene.show(RUNNING);
    expect(scene.outcome?.type).toBe('running');
  });

  it('fails with what the scheduler said once the budget is spent', async () => {
    const scene = startWaiting();
    await scene.show(UNSCHEDULABLE);
    await scene.advance(91);
    expect(failureOf(scene)).toMatchObject({
      code: 'schedule_timeout',
      message: 'no node took the Pod within 90 s: 0/3 nodes are available: 3 Insufficient cpu.',
    });
  });

  it('gets more time when an autoscaler is making a node', async () => {
    const scene = startWaiting();
    scene.cluster.events = [buildEvent('TriggeredScaleUp')];
    await scene.show(UNSCHEDULABLE);
    await scene.advance(600);
    expect(scene.outcome).toBeNull();
    await scene.show(RUNNING);
    expect(scene.outcome?.type).toBe('running');
  });

  it('gets less when an autoscaler says that no node would help', async () => {
    const scene = startWaiting();
    scene.cluster.events = [
      buildEvent('NotTriggerScaleUp', "pod didn't trigger scale-up: 1 max size reached"),
    ];
    await scene.show(UNSCHEDULABLE);
    await scene.advance(31);
    expect(failureOf(scene)?.message).toContain('max size reached');
  });

  it('gets less when no node has the labels, unless the operator chose the time', async () => {
    const nowhere = readSituation('node-selector-matches-nothing').pod;
    const scene = startWaiting({}, nowhere);
    const patient = startWaiting({ stage_timeouts: { scheduling: 60 } }, nowhere);
    await scene.advance(31);
    await patient.advance(59);
    expect(failureOf(scene)?.code).toBe('schedule_timeout');
    expect(patient.outcome).toBeNull();
  });

  it('is asked about a few times only', async () => {
    const scene = startWaiting();
    await scene.show(UNSCHEDULABLE);
    await scene.advance(91);
    expect(scene.cluster.reads.events).toBeLessThanOrEqual(4);
    expect(scene.cluster.reads.pod).toBe(1);
  });

  it('keeps its time when the events may not be read', async () => {
    const scene = startWaiting();
    await scene.show(UNSCHEDULABLE);
    const list = scene.cluster.client.listEvents;
    scene.cluster.client.listEvents = async () => {
      await list({ uid: '', signal: scene.controller.signal });
      throw new Error('forbidden');
    };
    await scene.advance(89);
    expect(scene.outcome).toBeNull();
    await scene.advance(2);
    expect(failureOf(scene)?.code).toBe('schedule_timeout');
  });
});

describe('an image', () => {
  const busy = buildWaitingPod('ErrImagePull', 'pull QPS exceeded');

  it('that is pulled at the second try launches', async () => {
    const scene = startWaiting();
    await scene.advance(2);
    await scene.show(busy);
    await scene.advance(23);
    await scene.show(RUNNING);
    expect(scene.outcome?.type).toBe('running');
    expect(scene.progress.at(-1)).toContain('still retrying');
  });

  it('that never comes fails with what the registry said', async () => {
    const scene = startWaiting();
    await scene.show(busy);
    for (let turn = 0; turn < 10; turn += 1) {
      await scene.show(turn % 2 === 0 ? busy : buildWaitingPod('ImagePullBackOff', 'pull QPS exceeded'));
      await scene.advance(10);
    }
    expect(failureOf(scene)).toMatchObject({ code: 'pull_timeout' });
    expect(failureOf(scene)?.message).toContain('QPS exceeded');
  });

  it('whose status does not say why it fails is explained by the events, at once', async () => {
    const scene = startWaiting();
    scene.cluster.events = [buildEvent('Failed', 'Failed to pull image "x": manifest unknown', 'Warning')];
    await scene.show(buildWaitingPod('ImagePullBackOff', 'Back-off pulling image "reg.example/host:1"'));
    await scene.advance(0);
    expect(failureOf(scene)?.code).toBe('image_not_found');
  });

  it('that a node is pulling is waited for longer', async () => {
    const scene = startWaiting();
    scene.cluster.events = [buildEvent('Pulling')];
    await scene.show(SCHEDULED);
    await scene.advance(400);
    expect(scene.outcome).toBeNull();
    await scene.show(RUNNING);
    expect(scene.outcome?.type).toBe('running');
  });

  it('is waited for anew once the node has set the Pod up', async () => {
    const scene = startWaiting({}, SCHEDULED);
    await scene.advance(80);
    const conditions = [{ type: 'PodReadyToStartContainers', status: 'True' }];
    await scene.show(buildPod({ status: { phase: 'Pending', conditions } }));
    await scene.advance(80);
    expect(scene.outcome).toBeNull();
    await scene.advance(11);
    expect(failureOf(scene)?.code).toBe('pull_timeout');
  });

  it('that fails in turns fails as soon as if it always failed alike', async () => {
    const turn = 'failed to do request: dial tcp: lookup images.invalid: no such host';
    const scene = startWaiting({}, buildWaitingPod('ErrImagePull', turn));
    for (const reason of ['ErrImagePull', 'ImagePullBackOff', 'ErrImagePull']) {
      await scene.advance(4);
      await scene.show(buildWaitingPod(reason, `${reason} ${turn}`));
    }
    await scene.advance(2);
    expect(scene.outcome).toBeNull();
    await scene.advance(1);
    expect(failureOf(scene)?.code).toBe('registry_unreachable');
  });

  it('whose registry cannot be reached fails after the second try', async () => {
    const scene = startWaiting();
    await scene.show(readSituation('registry-not-found').pod);
    await scene.advance(14);
    expect(scene.outcome).toBeNull();
    await scene.advance(2);
    expect(failureOf(scene)?.code).toBe('registry_unreachable');
  });
});

describe('what may just be late', () => {
  it('is waited for: a Secret that arrives in time launches', async () => {
    const scene = startWaiting();
    await scene.show(readSituation('secret-missing').pod);
    await scene.advance(4);
    await scene.show(RUNNING);
    expect(scene.outcome?.type).toBe('running');
  });

  it('fails when it does not come', async () => {
    const scene = startWaiting();
    await scene.show(readSituation('secret-missing').pod);
    await scene.advance(5);
    expect(failureOf(scene)).toMatchObject({ code: 'secret_not_found' });
  });

  it('is found in the events where the status is silent', async () => {
    const { pod, events } = readSituation('config-map-volume-missing');
    const scene = startWaiting({}, pod);
    scene.cluster.events = events;
    await scene.advance(17);
    expect(failureOf(scene)).toMatchObject({ code: 'config_map_not_found' });
  });

  it('gives a mount that races its whole time', async () => {
    const scene = startWaiting({}, SCHEDULED);
    scene.cluster.events = [buildEvent('FailedMount', 'object "ns"/"token" not registered', 'Warning')];
    await scene.advance(60);
    expect(scene.outcome).toBeNull();
    await scene.advance(31);
    expect(failureOf(scene)).toMatchObject({ code: 'volume_failed' });
  });
});

describe('a clone', () => {
  const cloning = buildPod({
    status: {
      phase: 'Pending',
      initContainerStatuses: [{ name: 'workspace-prep', state: { running: {} } }],
    },
  });

  it('may take many minutes', async () => {
    const scene = startWaiting({}, cloning);
    await scene.advance(720);
    expect(scene.outcome).toBeNull();
    await scene.show(RUNNING);
    expect(scene.outcome?.type).toBe('running');
    expect(scene.cluster.reads.events).toBe(0);
  });

  it('ends with its own budget, and its container is the one to ask', async () => {
    const scene = startWaiting({ stage_timeouts: { cloning: 30 } }, cloning);
    await scene.advance(31);
    expect(failureOf(scene)).toMatchObject({ code: 'clone_timeout', container: 'workspace-prep' });
  });
});

describe('a Pod that goes', () => {
  it('ends the wait with the reason of its conditions', async () => {
    const scene = startWaiting();
    const preempted = buildPod({
      metadata: { deletionTimestamp: '2026-01-01T00:00:09Z' },
      status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
    });
    await scene.show(preempted);
    expect(failureOf(scene)).toMatchObject({ code: 'pod_preempted', isRelaunchable: true });
  });

  it('ends the wait when only its absence is seen', async () => {
    const scene = startWaiting({}, SCHEDULED);
    scene.cluster.tell({ type: 'deleted', last: SCHEDULED });
    await scene.advance(0);
    expect(failureOf(scene)?.code).toBe('pod_deleted');
  });

  it('ends the wait when a namesake stands in its place at the last look', async () => {
    const scene = startWaiting();
    scene.cluster.pod = buildPod({ metadata: { uid: 'uid-2' } });
    await scene.advance(91);
    expect(failureOf(scene)?.code).toBe('pod_deleted');
  });
});

describe('a cluster that cannot be observed', () => {
  const toTrouble = (kind: 'unavailable' | 'forbidden') => {
    const target = { verb: 'watch', resource: 'pods', namespace: 'ns', name: null } as const;
    const fault =
      kind === 'forbidden'
        ? ({ kind, user: null, verb: 'list', resource: 'pods' } as const)
        : ({ kind } as const);
    return { type: 'trouble', error: new ClusterError('cannot list pods', { target, fault }) } as const;
  };

  it('is waited for', async () => {
    const scene = startWaiting();
    scene.cluster.tell(toTrouble('unavailable'));
    await scene.advance(30);
    expect(scene.progress.at(-1)).toContain('cannot be followed now');
    await scene.show(RUNNING);
    expect(scene.outcome?.type).toBe('running');
  });

  it('fails the launch when it is gone at the end of the budget', async () => {
    const scene = startWaiting();
    scene.cluster.error = new Error('ECONNREFUSED');
    await scene.advance(91);
    expect(failureOf(scene)).toMatchObject({ code: 'cluster_unreachable' });
  });

  it('fails at once when the right to follow Pods is missing', async () => {
    const scene = startWaiting();
    scene.cluster.tell(toTrouble('forbidden'));
    await scene.advance(0);
    expect(failureOf(scene)).toMatchObject({ code: 'cluster_forbidden' });
  });
});
