import { describe, expect, it } from 'vitest';
import { clusterEventSchema } from '../api/objects/event.ts';
import type { ClusterEvent } from '../api/objects/event.ts';
import { assessEvents, countEvent, selectOwnEvents } from './assess-events.ts';
import { buildPod } from './testing/build-pod.ts';
import { readSituation } from './testing/read-situation.ts';

const pod = buildPod();

function buildEvent(reason: string, message: string, more: object = {}): ClusterEvent {
  return clusterEventSchema.parse({
    metadata: { name: 'e', creationTimestamp: '2026-01-01T00:00:02Z' },
    involvedObject: { kind: 'Pod', uid: 'uid-1' },
    type: 'Warning',
    reason,
    message,
    lastTimestamp: '2026-01-01T00:00:03Z',
    ...more,
  });
}

describe('the events of a Pod', () => {
  it('name a ConfigMap that a volume needs', () => {
    const { pod: real, events } = readSituation('config-map-volume-missing');
    const assessment = assessEvents(events, real);
    expect(assessment).toMatchObject({
      trouble: 'volume',
      doubt: { failure: { code: 'config_map_not_found' } },
    });
    expect(assessment.doubt?.failure.message).toContain('"extra-roots"');
  });

  it('explain a pull whose status does not', () => {
    const events = [buildEvent('Failed', 'Failed to pull image "reg.example/host:1": manifest unknown')];
    expect(assessEvents(events, pod).doubt).toMatchObject({
      graceMs: 0,
      failure: { code: 'image_not_found' },
    });
  });

  it('are patient with a mount that races', () => {
    const events = [buildEvent('FailedMount', 'object "ns"/"omnigent-s9-1a2b3c-token" not registered')];
    expect(assessEvents(events, pod)).toMatchObject({ doubt: null, trouble: 'volume' });
  });

  it('give up on a node that cannot set the Pod up, and only after many tries', () => {
    const event = (count: number) =>
      buildEvent('FailedCreatePodSandBox', 'rpc error: DeadlineExceeded', { count });
    expect(assessEvents([event(3)], pod)).toMatchObject({ doubt: null, trouble: 'pod_sandbox' });
    expect(assessEvents([event(8)], pod).doubt?.failure).toMatchObject({
      code: 'pod_sandbox_failed',
      isRelaunchable: true,
    });
  });

  it.each([['TriggeredScaleUp'], ['Nominated']])('say by %s that a node is being made', (reason) => {
    const events = [buildEvent('FailedScheduling', '0/3'), buildEvent(reason, 'more', { type: 'Normal' })];
    expect(assessEvents(events, pod).isScalingUp).toBe(true);
  });

  it('say that no node would help', () => {
    const events = [
      buildEvent('NotTriggerScaleUp', "pod didn't trigger scale-up: 1 max size", { type: 'Normal' }),
    ];
    expect(assessEvents(events, pod)).toMatchObject({
      isScalingUp: false,
      noScaleUp: expect.stringContaining('scale-up'),
    });
  });

  it('tell a pull that goes on from one that failed', () => {
    const pulling = buildEvent('Pulling', 'Pulling image', { type: 'Normal' });
    const failed = buildEvent('Failed', 'Failed to pull image "x": pull QPS exceeded');
    expect(assessEvents([failed, pulling], pod).isPulling).toBe(true);
    expect(assessEvents([pulling, failed], pod).isPulling).toBe(false);
  });

  it('are those of this very Pod', () => {
    const ours = buildEvent('Failed', 'ours');
    const namesake = buildEvent('Failed', 'of a namesake', { involvedObject: { kind: 'Pod', uid: 'uid-0' } });
    const older = buildEvent('Failed', 'from before', { lastTimestamp: '2025-12-31T23:59:00Z' });
    expect(selectOwnEvents([namesake, ours, older], pod)).toEqual([ours]);
  });

  it('are counted in both forms', () => {
    expect(countEvent(buildEvent('BackOff', 'x', { count: 11_643 }))).toBe(11_643);
    expect(countEvent(buildEvent('BackOff', 'x', { series: { count: 7 } }))).toBe(7);
    expect(countEvent(buildEvent('BackOff', 'x'))).toBe(1);
  });
});
