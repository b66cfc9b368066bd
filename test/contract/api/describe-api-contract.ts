/** What the cluster client promises, whatever stands behind it. */
import type { ClusterClient, Pod, PodObservation } from '@omnigent/launcher';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGED, buildPod, buildSecret } from './api-subject.ts';
import type { ApiSubject } from './api-subject.ts';

const signal = AbortSignal.timeout(120_000);

async function list(client: ClusterClient, pageSize: number): Promise<string[]> {
  const names: string[] = [];
  for await (const pod of client.listPods({ labels: MANAGED, pageSize, signal }))
    names.push(pod.metadata.name);
  return names;
}

interface Following {
  readonly observations: PodObservation[];
  /** Resolves once one of that type was told. */
  until(type: PodObservation['type']): Promise<PodObservation>;
  close(): void;
}

function follow(
  client: ClusterClient,
  name: string,
  options: { known?: Pod; lookUp?: boolean } = {},
): Following {
  const observations: PodObservation[] = [];
  const subscription = client.podWatch.subscribe({
    name,
    onObservation: (observation) => observations.push(observation),
    ...options,
  });
  return {
    observations,
    async until(type) {
      const find = () => observations.find((observation) => observation.type === type);
      await expect.poll(find, { timeout: 20_000 }).toBeDefined();
      const found = find();
      if (found === undefined) throw new Error(`no observation ${type}`);
      return found;
    },
    close: () => subscription.close(),
  };
}

export interface ContractOptions {
  /** Makes a subject with an empty namespace. */
  readonly open: () => Promise<ApiSubject>;
  /** Why it cannot run here; null where it can. */
  readonly obstacle: string | null;
}

/** Runs the contract against a subject. */
export function describeApiContract(name: string, { open, obstacle }: ContractOptions): void {
  describe.skipIf(obstacle !== null)(`the cluster client against ${name} ${obstacle ?? ''}`, () => {
    let subject: ApiSubject;
    let client: ClusterClient;
    beforeAll(async () => {
      subject = await open();
      client = subject.client;
    });
    afterAll(async () => await subject.close());

    describe('objects', () => {
      it('creates, reads, lists in pages and deletes Pods', async () => {
        const names = ['p1', 'p2', 'p3', 'p4', 'p5'];
        for (const pod of names) await client.createPod(buildPod(pod), { signal });
        const read = await client.getPod('p1', { signal });
        expect(read).toMatchObject({
          metadata: { name: 'p1', labels: MANAGED },
          status: { phase: 'Pending' },
        });
        expect(await list(client, 2)).toEqual(names);
        for (const pod of names) expect(await client.deletePod(pod, { signal })).toBe('accepted');
        await expect.poll(() => client.getPod('p1', { signal })).toBeNull();
        expect(await client.deletePod('p1', { signal })).toBe('gone');
        expect(await list(client, 2)).toEqual([]);
      });

      it('refuses a second Pod of the same name', async () => {
        await client.createPod(buildPod('twice'), { signal });
        await expect(client.createPod(buildPod('twice'), { signal })).rejects.toMatchObject({
          code: 'object_conflict',
          status: 409,
          fault: { kind: 'already_exists', beingDeleted: false, unsure: false },
        });
        await client.deletePod('twice', { signal });
      });

      it('deletes a Pod only when it is the one of the uid', async () => {
        const pod = await client.createPod(buildPod('of-uid'), { signal });
        expect(await client.deletePod('of-uid', { signal, uid: 'another' })).toBe('replaced');
        expect(await client.deletePod('of-uid', { signal, uid: pod.metadata.uid })).toBe('accepted');
      });

      it('forces the deletion of a Pod that is ending on its node', async () => {
        const pod = await client.createPod(buildPod('forced', 'no-such-node'), { signal });
        expect(await client.deletePod('forced', { signal })).toBe('accepted');
        const ending = await client.getPod('forced', { signal });
        expect(ending?.metadata.deletionTimestamp).toEqual(expect.any(String));
        expect(ending?.metadata.deletionGracePeriodSeconds).toBe(3);
        await expect(client.createPod(buildPod('forced'), { signal })).rejects.toMatchObject({
          fault: { kind: 'already_exists', beingDeleted: true },
        });
        const options = { signal, gracePeriodSeconds: 0, uid: pod.metadata.uid };
        expect(await client.deletePod('forced', options)).toBe('accepted');
        expect(await client.getPod('forced', { signal })).toBeNull();
      });

      it('shows what admission makes of a Pod without creating it', async () => {
        const admitted = await client.dryRunPod(buildPod('dry'), { signal });
        expect(admitted).toMatchObject({
          kind: 'Pod',
          metadata: { name: 'dry', namespace: client.namespace },
        });
        expect(await client.getPod('dry', { signal })).toBeNull();
      });

      it('gives a Secret an owner, with which it goes', async () => {
        const pod = await client.createPod(buildPod('owner'), { signal });
        await client.createSecret(buildSecret('owner-token'), { signal });
        const owner = { name: 'owner', uid: pod.metadata.uid };
        expect(await client.setSecretOwner('owner-token', owner, { signal })).toBe(true);
        expect(await client.setSecretOwner('no-such-secret', owner, { signal })).toBe(false);
        await client.deletePod('owner', { signal, uid: pod.metadata.uid });
        await expect
          .poll(() => client.setSecretOwner('owner-token', owner, { signal }), { timeout: 30_000 })
          .toBe(false);
        expect(await client.deleteSecret('owner-token', { signal })).toBe('gone');
      });

      it('knows whether there is a Secret without reading any', async () => {
        expect(await client.hasSecret('not-there', { signal })).toBe(false);
        await client.createSecret(buildSecret('there'), { signal });
        expect(await client.hasSecret('there', { signal })).toBe(true);
        await client.deleteSecret('there', { signal });
      });

      it('refuses a second Secret of the same name, and deletes one', async () => {
        await client.createSecret(buildSecret('token'), { signal });
        await expect(client.createSecret(buildSecret('token'), { signal })).rejects.toMatchObject({
          fault: { kind: 'already_exists' },
        });
        expect(await client.deleteSecret('token', { signal })).toBe('accepted');
        expect(await client.deleteSecret('token', { signal })).toBe('gone');
      });

      it('names the field of an object that is not valid', async () => {
        await expect(client.createPod(buildPod('Not_Valid'), { signal })).rejects.toMatchObject({
          code: 'cluster_rejected',
          status: 422,
          fault: { kind: 'invalid', fields: ['metadata.name'] },
        });
      });
    });

    describe('evidence', () => {
      it('lists the events of one Pod', async () => {
        const pod = await client.createPod(buildPod('unschedulable'), { signal });
        await expect
          .poll(
            async () =>
              (await client.listEvents({ uid: pod.metadata.uid, signal })).map(({ reason }) => reason),
            {
              timeout: 20_000,
            },
          )
          .toContain('FailedScheduling');
        expect(await client.listEvents({ uid: 'another', signal })).toEqual([]);
        await client.deletePod('unschedulable', { signal });
      });

      it('has no log of a container that never ran, nor of a Pod that never was', async () => {
        await client.createPod(buildPod('silent'), { signal });
        const options = { container: 'host', tailLines: 20, limitBytes: 1_500, signal };
        expect(await client.readPodLog('silent', options)).toBeNull();
        expect(await client.readPodLog('never', options)).toBeNull();
        await client.deletePod('silent', { signal });
      });
    });

    describe('watching', () => {
      it('tells how a Pod comes, changes and goes', async () => {
        const following = follow(client, 'watched');
        const created = await client.createPod(buildPod('watched'), { signal });
        const present = await following.until('present');
        expect(present).toMatchObject({ pod: { metadata: { uid: created.metadata.uid } } });
        await subject.annotatePod('watched', 'changed');
        await expect
          .poll(() => following.observations.at(-1), { timeout: 20_000 })
          .toMatchObject({ pod: { metadata: { annotations: { 'omnigent.ai/contract': 'changed' } } } });
        await client.deletePod('watched', { signal });
        expect(await following.until('deleted')).toMatchObject({
          last: { metadata: { uid: created.metadata.uid } },
        });
        expect(client.podWatch.health()).toEqual({ state: 'watching' });
        following.close();
      });

      it('tells a late subscriber what it missed', async () => {
        const keeping = follow(client, 'another');
        const known = await client.createPod(buildPod('late'), { signal });
        await subject.annotatePod('late', 'missed');
        const following = follow(client, 'late', { known });
        await expect
          .poll(() => following.observations.at(-1), { timeout: 20_000 })
          .toMatchObject({ pod: { metadata: { annotations: { 'omnigent.ai/contract': 'missed' } } } });
        await client.deletePod('late', { signal });
        await following.until('deleted');
        const afterwards = follow(client, 'late', { known });
        await afterwards.until('deleted');
        for (const one of [keeping, following, afterwards]) one.close();
      });

      it('says that there is no such Pod when it is asked to look', async () => {
        const following = follow(client, 'never', { lookUp: true });
        expect(await following.until('absent')).toEqual({ type: 'absent' });
        following.close();
      });
    });

    describe('refusals', () => {
      it('names verb and resource of a right that is missing', async () => {
        const { powerless } = subject;
        await expect(powerless.createPod(buildPod('p1'), { signal })).rejects.toMatchObject({
          code: 'cluster_forbidden',
          fault: { kind: 'forbidden', verb: 'create', resource: 'pods' },
        });
        await expect(powerless.getPod('p1', { signal })).rejects.toMatchObject({
          fault: { kind: 'forbidden', verb: 'get', resource: 'pods' },
        });
        await expect(
          powerless.readPodLog('p1', { container: 'host', tailLines: 1, limitBytes: 10, signal }),
        ).rejects.toMatchObject({ fault: { kind: 'forbidden', verb: 'get', resource: 'pods/log' } });
        await expect(powerless.listEvents({ uid: 'x', signal })).rejects.toMatchObject({
          fault: { kind: 'forbidden', verb: 'list', resource: 'events' },
        });
      });

      it('answers questions about rights', async () => {
        const question = { verb: 'create', resource: 'pods' };
        expect(await client.checkAccess(question, { signal })).toMatchObject({ allowed: true });
        expect(await subject.powerless.checkAccess(question, { signal })).toMatchObject({ allowed: false });
        const log = { verb: 'get', resource: 'pods/log' };
        expect(await subject.powerless.checkAccess(log, { signal })).toMatchObject({ allowed: false });
      });

      it('tells credentials that are not accepted', async () => {
        await expect(subject.unauthenticated.getPod('p1', { signal })).rejects.toMatchObject({
          code: 'cluster_unauthorized',
          status: 401,
        });
      });

      it('names a namespace that does not exist', async () => {
        await expect(subject.elsewhere.createPod(buildPod('p1'), { signal })).rejects.toMatchObject({
          code: 'namespace_not_found',
          fault: { kind: 'namespace_not_found', namespace: subject.elsewhere.namespace },
        });
        await expect(subject.elsewhere.createSecret(buildSecret('s1'), { signal })).rejects.toMatchObject({
          code: 'namespace_not_found',
        });
        expect(await subject.elsewhere.readNamespace({ signal })).toBeNull();
      });

      it('tells a quota that is used up, with its numbers', async () => {
        await subject.limitPods(1);
        await client.createPod(buildPod('q1'), { signal });
        await expect
          .poll(() => client.createPod(buildPod('q2'), { signal }).catch((error: unknown) => error), {
            timeout: 20_000,
          })
          .toMatchObject({
            code: 'quota_exceeded',
            fault: {
              kind: 'quota_exceeded',
              quota: 'contract',
              requested: { pods: '1' },
              used: { pods: '1' },
              limited: { pods: '1' },
            },
          });
        await client.deletePod('q1', { signal });
        expect(await client.listResourceQuotas({ signal })).toMatchObject([
          { status: { hard: { pods: '1' } } },
        ]);
      });
    });

    describe('preflight', () => {
      it('reads version, namespace and what does not exist', async () => {
        expect(await client.readVersion({ signal })).toMatchObject({
          major: '1',
          gitVersion: expect.any(String),
        });
        expect(await client.readNamespace({ signal })).toMatchObject({
          metadata: { name: client.namespace },
          status: { phase: 'Active' },
        });
        expect(await client.readServiceAccount('no-such-account', { signal })).toBeNull();
        expect(await client.readNode('no-such-node', { signal })).toBeNull();
        expect(await client.listLimitRanges({ signal })).toEqual([]);
      });
    });
  });
}
