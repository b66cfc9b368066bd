import { describe, expect, it } from 'vitest';
import { ClusterError } from '../api/cluster-error.ts';
import { clusterEventSchema } from '../api/objects/event.ts';
import { buildFailure } from '../status/failure.ts';
import { buildPod } from '../status/testing/build-pod.ts';
import { readSituation } from '../status/testing/read-situation.ts';
import { assessPod } from '../status/assess-pod.ts';
import { collectEvidence } from './collect-evidence.ts';
import { buildContainerEvidence } from './container-evidence.ts';
import { buildEventEvidence } from './event-evidence.ts';

interface Answers {
  readonly events?: Parameters<typeof buildEventEvidence>[0];
  readonly log?: string | null;
  readonly error?: Error;
}

function createClient({ events = [], log = null, error }: Answers) {
  const answer = async <T>(value: T): Promise<T> => {
    if (error !== undefined) throw error;
    return value;
  };
  return { namespace: 'ns', listEvents: () => answer(events), readPodLog: () => answer(log) };
}

function failureOf(name: string) {
  const { pod, events } = readSituation(name);
  const assessment = assessPod(pod);
  if (assessment.state !== 'failed') throw new Error(`${name} has not failed`);
  return { pod, events, failure: assessment.failure, stage: assessment.stage };
}

describe('the evidence of a failure', () => {
  it('is code, container, events, log and what to do next', async () => {
    const { pod, events, failure, stage } = failureOf('host-exits-1');
    const client = createClient({ events, log: 'cannot reach server\n' });
    expect(await collectEvidence(client, { pod, failure, stage })).toMatchObject({
      code: 'host_exited',
      stage: 'starting',
      provider_id: 'sandbox',
      containers: [{ name: 'host', exit_code: 1, reason: 'Error', memory_limit: null }],
      log: { container: 'host', text: 'cannot reach server' },
      advice: "Read the host's log above. See also: kubectl describe pod sandbox -n ns",
      notes: [],
    });
  });

  it('says with the limit which container ran out of memory', async () => {
    const { pod, failure, stage } = failureOf('clone-out-of-memory');
    const diagnosis = await collectEvidence(createClient({}), { pod, failure, stage });
    expect(diagnosis.containers[0]).toMatchObject({
      name: 'workspace-prep',
      reason: 'OOMKilled',
      exit_code: 137,
      memory_limit: '48Mi',
    });
    expect(diagnosis.notes).toEqual(['the log of container workspace-prep is empty or gone']);
  });

  it('names what may not be read and what could not be read, and shows the rest', async () => {
    const { pod, failure, stage } = failureOf('host-exits-1');
    const target = { verb: 'list', resource: 'events', namespace: 'ns', name: null } as const;
    const fault = { kind: 'forbidden', user: null, verb: 'list', resource: 'events' } as const;
    const forbidden = createClient({ error: new ClusterError('no', { target, fault }) });
    const broken = createClient({ error: new Error('socket hang up') });
    expect((await collectEvidence(forbidden, { pod, failure, stage })).notes).toEqual([
      'no permission to read events',
      'no permission to read the log of container host',
    ]);
    expect(await collectEvidence(broken, { pod, failure, stage })).toMatchObject({
      code: 'host_exited',
      notes: ['events could not be read: socket hang up', expect.stringContaining('socket hang up')],
    });
  });

  it('tells by the text of git why a clone failed', async () => {
    const { pod, failure, stage } = failureOf('clone-failed');
    const log = "Cloning into 'app'...\nfatal: Remote branch nope not found in upstream origin\n";
    const diagnosis = await collectEvidence(createClient({ log }), { pod, failure, stage });
    expect(diagnosis).toMatchObject({
      code: 'clone_branch_not_found',
      message: 'the clone exited with status 128: fatal: Remote branch nope not found in upstream origin',
    });
    expect(diagnosis.advice).toContain('Check the name after #.');
  });

  it('asks for no log of a container that has never run', async () => {
    const client = createClient({ log: 'must not be asked for' });
    const failure = buildFailure('image_not_found', 'no image', { container: 'host' });
    const diagnosis = await collectEvidence(client, { pod: buildPod(), failure, stage: 'pulling' });
    expect(diagnosis).toMatchObject({ log: null, notes: [] });
  });

  it('hints at a mesh that redirects traffic before its proxy runs', async () => {
    const pod = buildPod({
      spec: { initContainers: [{ name: 'istio-init' }, { name: 'workspace-prep' }] },
      status: {
        initContainerStatuses: [
          { name: 'istio-init', state: { terminated: { exitCode: 0 } } },
          { name: 'workspace-prep', state: { terminated: { exitCode: 128 } } },
        ],
      },
    });
    const failure = buildFailure('clone_failed', 'the clone failed', { container: 'workspace-prep' });
    const log = 'fatal: Failed to connect to git.example port 443: Connection refused';
    const request = { pod, failure, stage: 'cloning' } as const;
    expect((await collectEvidence(createClient({ log }), request)).advice).toContain('service mesh');
    expect((await collectEvidence(createClient({ log: 'fatal: not found' }), request)).advice).not.toContain(
      'mesh',
    );
  });
});

describe('events as evidence', () => {
  const warn = (message: string, more: object = {}) =>
    clusterEventSchema.parse({
      metadata: { name: 'e', creationTimestamp: '2026-01-01T00:00:02Z' },
      involvedObject: { uid: 'uid-1' },
      type: 'Warning',
      reason: 'BackOff',
      message,
      ...more,
    });

  it('are grouped by reason and message, with their count and the latest last', () => {
    const events = [warn('again', { count: 3 }), warn('other'), warn('again', { series: { count: 11_643 } })];
    expect(buildEventEvidence(events, buildPod())).toEqual([
      { reason: 'BackOff', message: 'other', count: 1, last_seen: '2026-01-01T00:00:02Z' },
      { reason: 'BackOff', message: 'again', count: 11_646, last_seen: '2026-01-01T00:00:02Z' },
    ]);
  });

  it('are warnings only, of this Pod only, and at most ten groups', () => {
    const normal = warn('fine', { type: 'Normal' });
    const theirs = warn('theirs', { involvedObject: { uid: 'uid-0' } });
    const many = Array.from({ length: 30 }, (_, index) => warn(`message ${index}`));
    const evidence = buildEventEvidence([normal, theirs, ...many], buildPod());
    expect(evidence).toHaveLength(10);
    expect(evidence.at(-1)?.message).toBe('message 29');
  });
});

describe('containers as evidence', () => {
  it('begin with the one concerned and leave out those that are well', () => {
    const pod = buildPod({
      status: {
        containerStatuses: [
          { name: 'mesh', state: { running: {} } },
          {
            name: 'logger',
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
          },
          { name: 'host', state: { terminated: { exitCode: 3, reason: 'Error' } } },
        ],
      },
    });
    expect(buildContainerEvidence(pod, 'host').map(({ name, reason }) => [name, reason])).toEqual([
      ['host', 'Error'],
      ['logger', 'OOMKilled'],
    ]);
  });
});
