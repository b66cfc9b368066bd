import { describe, expect, it } from 'vitest';
import { assessPod, assessRunningHost } from './assess-pod.ts';
import type { Waiting } from './assessment.ts';
import type { Failure } from './failure.ts';
import { buildPod, buildWaitingPod } from './testing/build-pod.ts';
import { readSituation } from './testing/read-situation.ts';
import type { Pod } from '../api/objects/pod.ts';

function failureOf(pod: Pod): Failure | null {
  const assessment = assessPod(pod);
  return assessment.state === 'failed' ? assessment.failure : null;
}

function waitingOf(pod: Pod): Waiting {
  const assessment = assessPod(pod);
  if (assessment.state !== 'waiting') throw new Error(`expected a waiting Pod, found ${assessment.state}`);
  return assessment;
}

const running = { running: { startedAt: '2026-01-01T00:00:05Z' } };
const host = (state: object, more: object = {}) => ({ name: 'host', state, ...more });

describe('a Pod as a real cluster reports it', () => {
  it.each([
    ['host-exits-1', 'host_exited', 'the host exited with status 1 before it was connected', 'host'],
    ['host-exits-0', 'host_exited', 'the host exited with status 0 before it was connected', 'host'],
    ['host-out-of-memory', 'host_out_of_memory', 'the host ran out of memory (limit 48Mi)', 'host'],
    [
      'clone-out-of-memory',
      'clone_out_of_memory',
      'the clone ran out of memory (limit 48Mi)',
      'workspace-prep',
    ],
    ['clone-failed', 'clone_failed', 'the clone exited with status 128', 'workspace-prep'],
    ['lifetime-over', 'deadline_exceeded', 'the Pod reached its lifetime: Pod was active', 'host'],
    [
      'evicted-for-disk',
      'pod_evicted',
      'the Pod was evicted: Usage of EmptyDir volume "home" exceeds',
      'host',
    ],
    ['program-missing', 'container_start_failed', '"/no/such/program"', 'host'],
    ['image-name-invalid', 'image_name_invalid', 'repository name (App) must be lowercase', null],
  ])('%s fails at once with %s', (name, code, ...[message, container]) => {
    const failure = failureOf(readSituation(name).pod);
    expect(failure).toMatchObject({ code, container, isRelaunchable: false });
    expect(failure?.message).toContain(message);
  });

  it.each([
    ['secret-missing', 'secret_not_found', 'the Secret "harness" does not exist', 5_000],
    [
      'config-map-key-missing',
      'config_map_not_found',
      'the ConfigMap "kube-root-ca.crt" has no key "nokey"',
      5_000,
    ],
    ['image-never-pull', 'image_never_pull', 'docker.io/library/absent:1', 2_000],
    ['image-runs-as-root', 'container_config_invalid', 'set a numeric runAsUser', 5_000],
    ['registry-not-found', 'registry_unreachable', 'no such host', 15_000],
    ['registry-refuses-connection', 'registry_unreachable', 'connection refused', 15_000],
    ['volume-claim-missing', 'volume_failed', 'PersistentVolumeClaim "no-claim" does not exist', 5_000],
  ])('%s is a doubt of %s that lasts', (name, code, ...[message, graceMs]) => {
    const { doubt } = waitingOf(readSituation(name).pod);
    expect(doubt).toMatchObject({ graceMs, failure: { code } });
    expect(doubt?.failure.message).toContain(message);
  });

  it('is waited for while no node matches and while a volume is not there', () => {
    const unplaced = waitingOf(readSituation('node-selector-matches-nothing').pod);
    expect(unplaced).toMatchObject({ stage: 'scheduling', doubt: null });
    expect(unplaced.detail).toContain("didn't match Pod's node affinity/selector");
    expect(waitingOf(readSituation('config-map-volume-missing').pod)).toMatchObject({
      stage: 'pulling',
      doubt: null,
    });
  });

  it('runs when its container named host runs, whatever a sidecar does', () => {
    expect(assessPod(readSituation('host-running').pod)).toEqual({ state: 'running' });
    expect(assessPod(readSituation('sidecar-restarts').pod)).toEqual({ state: 'running' });
  });
});

describe('a Pod that is on its way', () => {
  it('is not running because its phase says so', () => {
    const pod = buildPod({
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
        containerStatuses: [
          { name: 'istio-proxy', ready: true, state: running },
          host({ waiting: { reason: 'PodInitializing' } }),
        ],
      },
    });
    expect(waitingOf(pod)).toMatchObject({ doubt: null, detail: null });
  });

  it('is diagnosed after another container runs', () => {
    const pod = buildPod({
      status: {
        phase: 'Running',
        containerStatuses: [
          { name: 'mesh', state: running },
          host({ waiting: { reason: 'ErrImagePull', message: 'manifest unknown' } }),
        ],
      },
    });
    expect(failureOf(pod)?.code).toBe('image_not_found');
  });

  it('is neither right nor wrong while its phase is unknown or its status empty', () => {
    for (const pod of [
      buildPod({ status: {} }),
      buildPod(),
      buildPod({ status: { phase: 'Unknown', reason: 'NodeLost' } }),
    ])
      expect(assessPod(pod).state).toBe('waiting');
  });

  it.each([
    ['pull QPS exceeded'],
    ['toomanyrequests: You have reached your pull rate limit'],
    ['failed to do request: Head "https://reg.example/v2/": net/http: TLS handshake timeout'],
    ['unexpected status code 503 Service Unavailable'],
    ['httpReadSeeker: failed open: unexpected EOF'],
  ])('is waited for while its pull fails with %s', (message) => {
    const waiting = waitingOf(buildWaitingPod('ErrImagePull', message));
    expect(waiting).toMatchObject({ doubt: null, stage: 'pulling', isUnexplained: false });
    expect(waiting.detail).toContain('still retrying');
  });

  it.each([
    ['failed to sync secret cache: timed out waiting for the condition'],
    ['object "ns"/"omnigent-s9-1a2b3c-token" not registered'],
  ])('is waited for while the kubelet cannot look: %s', (message) => {
    const waiting = waitingOf(buildWaitingPod('CreateContainerConfigError', message));
    expect(waiting.doubt).toBeNull();
    expect(waiting.detail).toContain('still trying to configure host');
  });

  it('asks for the events when the status does not say why a pull fails', () => {
    expect(
      waitingOf(buildWaitingPod('ImagePullBackOff', 'Back-off pulling image "reg.example/host:1"')),
    ).toMatchObject({ doubt: null, isUnexplained: true });
    expect(waitingOf(buildWaitingPod('ImagePullBackOff')).isUnexplained).toBe(true);
  });

  it.each([['CreateContainerError'], ['RunContainerError'], ['PostStartHookError'], ['PreStartHookError']])(
    'is given a short time when the runtime says %s',
    (reason) => {
      const { doubt } = waitingOf(buildWaitingPod(reason, 'context deadline exceeded'));
      expect(doubt?.failure).toMatchObject({ code: 'container_start_failed' });
      expect(doubt?.graceMs).toBeGreaterThan(0);
    },
  );

  it('is held up by an init container before the host', () => {
    const pod = buildPod({
      status: {
        phase: 'Pending',
        initContainerStatuses: [
          {
            name: 'workspace-prep',
            state: {
              waiting: { reason: 'InvalidImageName', message: 'couldn\'t parse ref "reg.example/x::1"' },
            },
          },
        ],
      },
    });
    expect(failureOf(pod)).toMatchObject({ code: 'image_name_invalid' });
    expect(failureOf(pod)?.message).toContain('workspace-prep');
  });

  it('fails by an init container that failed while its phase lags behind', () => {
    const pod = buildPod({
      status: {
        phase: 'Pending',
        initContainerStatuses: [
          { name: 'workspace-prep', state: { terminated: { exitCode: 128, reason: 'Error' } } },
        ],
      },
    });
    expect(failureOf(pod)).toMatchObject({ code: 'clone_failed', container: 'workspace-prep' });
  });

  it('names an init container that is not ours', () => {
    const pod = buildPod({
      spec: { initContainers: [{ name: 'istio-init' }, { name: 'workspace-prep' }] },
      status: {
        phase: 'Pending',
        initContainerStatuses: [
          { name: 'istio-init', state: { terminated: { exitCode: 1, reason: 'Error' } } },
        ],
      },
    });
    expect(failureOf(pod)).toMatchObject({ code: 'init_container_failed', container: 'istio-init' });
  });

  it('is held up by a sidecar whose image does not exist', () => {
    const pod = buildPod({
      spec: { initContainers: [{ name: 'mesh', image: 'reg.example/mesh:1', restartPolicy: 'Always' }] },
      status: {
        phase: 'Pending',
        initContainerStatuses: [
          { name: 'mesh', state: { waiting: { reason: 'ErrImagePull', message: 'manifest unknown' } } },
        ],
        containerStatuses: [host({ waiting: { reason: 'PodInitializing' } })],
      },
    });
    expect(failureOf(pod)?.message).toContain('image reg.example/mesh:1 of container mesh');
  });

  it('survives a restartable init container that ends', () => {
    const pod = buildPod({
      spec: { initContainers: [{ name: 'mesh', restartPolicy: 'Always' }] },
      status: {
        phase: 'Pending',
        initContainerStatuses: [{ name: 'mesh', state: { terminated: { exitCode: 1, reason: 'Error' } } }],
        containerStatuses: [host({ waiting: { reason: 'PodInitializing' } })],
      },
    });
    expect(waitingOf(pod).doubt).toBeNull();
  });

  it('names a sidecar that holds the host up by ending again and again', () => {
    const pod = buildPod({
      spec: { initContainers: [{ name: 'mesh', restartPolicy: 'Always' }] },
      status: {
        phase: 'Pending',
        initContainerStatuses: [
          {
            name: 'mesh',
            state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting' } },
            lastState: { terminated: { exitCode: 1, reason: 'Error' } },
          },
        ],
        containerStatuses: [host({ waiting: { reason: 'PodInitializing' } })],
      },
    });
    expect(waitingOf(pod)).toMatchObject({
      stage: 'starting',
      doubt: null,
      detail: 'container mesh ends before it is ready (Error, exit code 1)',
    });
  });

  it('passes from stage to stage and says so by its fingerprint', () => {
    const prep = (state: object) => [{ name: 'workspace-prep', state, imageID: 'sha256:1' }];
    const pods = [
      buildPod({ spec: { nodeName: undefined }, status: { phase: 'Pending' } }),
      buildPod({ status: { phase: 'Pending' } }),
      buildPod({ status: { phase: 'Pending', initContainerStatuses: prep(running) } }),
      buildPod({
        status: { phase: 'Pending', initContainerStatuses: prep({ terminated: { exitCode: 0 } }) },
      }),
    ];
    const waitings = pods.map(waitingOf);
    expect(waitings.map(({ stage }) => stage)).toEqual(['scheduling', 'pulling', 'cloning', 'starting']);
    expect(new Set(waitings.map(({ fingerprint }) => fingerprint)).size).toBe(4);
  });

  it('pulls after the clone when the host has an image of its own', () => {
    const stageOf = (status: object, image: string) =>
      waitingOf(
        buildPod({
          spec: {
            initContainers: [{ name: 'workspace-prep', image: 'reg.example/host:1' }],
            containers: [{ name: 'host', image }],
          },
          status: {
            phase: 'Pending',
            initContainerStatuses: [
              { name: 'workspace-prep', state: { terminated: { exitCode: 0 } }, imageID: 'sha256:1' },
            ],
            containerStatuses: [{ name: 'host', ...status }],
          },
        }),
      ).stage;
    const initializing = { state: { waiting: { reason: 'PodInitializing' } } };
    expect(stageOf(initializing, 'reg.example/host:1')).toBe('starting');
    expect(stageOf(initializing, 'alpine:3')).toBe('pulling');
    expect(stageOf({ ...initializing, imageID: 'sha256:2' }, 'alpine:3')).toBe('starting');
    const refused = { state: { waiting: { reason: 'ErrImagePull', message: 'pull QPS exceeded' } } };
    expect(stageOf(refused, 'reg.example/host:1')).toBe('pulling');
  });

  it('makes no progress by failing to pull in turns', () => {
    const [one, other] = [
      waitingOf(buildWaitingPod('ErrImagePull', 'pull QPS exceeded')),
      waitingOf(buildWaitingPod('ImagePullBackOff', 'Back-off pulling image "reg.example/host:1"')),
    ];
    expect(one.fingerprint).toBe(other.fingerprint);
  });
});

describe('a Pod that ends as a whole', () => {
  it.each([
    ['OutOfcpu', "Pod was rejected: Node didn't have enough resource: cpu"],
    [
      'OutOfpods',
      "Pod was rejected: Node didn't have enough resources: pods, requested: 1, used: 16, capacity: 16",
    ],
    ['NodeAffinity', 'Pod was rejected: Predicate NodeAffinity failed'],
    ['NodePorts', 'Pod was rejected: Predicate NodePorts failed'],
    ['UnexpectedAdmissionError', 'Allocate failed due to device plugin'],
    ['SomethingNew', 'Pod was rejected: a reason of the future'],
  ])('is rejected by the kubelet with %s, which a fresh launch may escape', (reason, message) => {
    const failure = failureOf(buildPod({ status: { phase: 'Failed', reason, message } }));
    expect(failure).toMatchObject({ code: 'pod_rejected', isRelaunchable: true, container: null });
    expect(failure?.message).toContain(reason);
    expect(failure?.message).toContain(message);
  });

  it('is not launched again where every node would say the same', () => {
    const failure = failureOf(
      buildPod({ status: { phase: 'Failed', reason: 'SysctlForbidden', message: 'no' } }),
    );
    expect(failure).toMatchObject({ code: 'pod_rejected', isRelaunchable: false });
  });

  it('is evicted without any container status', () => {
    const pod = buildPod({
      status: { phase: 'Failed', reason: 'Evicted', message: 'The node had condition: [DiskPressure]. ' },
    });
    expect(failureOf(pod)).toMatchObject({
      code: 'pod_evicted',
      isRelaunchable: true,
      message: 'the Pod was evicted: The node had condition: [DiskPressure].',
    });
  });

  it('goes with its node, also while its phase says that it runs', () => {
    const pod = buildPod({
      status: {
        phase: 'Running',
        reason: 'Terminated',
        message: 'Pod was terminated in response to imminent node shutdown.',
        containerStatuses: [host(running)],
      },
    });
    expect(failureOf(pod)).toMatchObject({ code: 'node_lost', isRelaunchable: false });
  });

  it.each([
    ['TerminationTarget', 'Preempted', 'pod_preempted'],
    ['DisruptionTarget', 'PreemptionByScheduler', 'pod_preempted'],
    ['DisruptionTarget', 'EvictionByEvictionAPI', 'pod_evicted'],
    ['DisruptionTarget', 'DeletionByTaintManager', 'node_lost'],
    ['DisruptionTarget', 'DeletionByPodGC', 'node_lost'],
  ])('is deleted because of %s %s', (type, reason, code) => {
    const pod = buildPod({
      metadata: { deletionTimestamp: '2026-01-01T00:00:09Z' },
      status: { phase: 'Pending', conditions: [{ type, status: 'True', reason }] },
    });
    expect(failureOf(pod)).toMatchObject({ code, isRelaunchable: true });
  });

  it('is deleted by another hand when nothing says why', () => {
    const pod = buildPod({
      metadata: { deletionTimestamp: '2026-01-01T00:00:09Z' },
      status: { phase: 'Pending' },
    });
    expect(failureOf(pod)).toMatchObject({ code: 'pod_deleted', isRelaunchable: false });
  });

  it('fails with what little there is when nothing else is known', () => {
    const pod = buildPod({ status: { phase: 'Failed', reason: 'Odd', message: 'something' } });
    expect(failureOf(pod)).toMatchObject({ code: 'pod_failed' });
    expect(failureOf(pod)?.message).toContain('Failed (Odd)');
  });
});

describe('a host that ran', () => {
  it('is dead when its container has ended, whatever the phase', () => {
    const pod = buildPod({
      status: {
        phase: 'Running',
        containerStatuses: [
          { name: 'istio-proxy', state: running },
          host({ terminated: { exitCode: 137, reason: 'OOMKilled' } }),
        ],
      },
    });
    expect(assessRunningHost(pod, 'after')).toMatchObject({
      code: 'host_out_of_memory',
      message: 'the host ran out of memory (limit 4Gi)',
    });
  });

  it('is lost, not failed to launch, when it exits later', () => {
    const pod = buildPod({
      status: {
        phase: 'Failed',
        containerStatuses: [host({ terminated: { exitCode: 77, reason: 'Error' } })],
      },
    });
    expect(assessRunningHost(pod, 'after')).toMatchObject({
      code: 'host_lost',
      message: 'the host exited with status 77',
    });
  });

  it('lives while nobody can tell', () => {
    const pod = buildPod({
      status: { phase: 'Unknown', reason: 'NodeLost', containerStatuses: [host(running)] },
    });
    expect(assessRunningHost(pod, 'after')).toBeNull();
  });
});
