import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { podSchema } from '../objects/pod.ts';
import { createPodStore } from './pod-store.ts';
import type { PodChange } from './pod-store.ts';
import { isOlderVersion } from './resource-version.ts';

const buildPod = (uid: string, version: number, name = 's1') =>
  podSchema.parse({ metadata: { name, uid, resourceVersion: String(version) } });

const summarize = (changes: readonly PodChange[]) =>
  changes.map((change) => {
    const { uid, resourceVersion } = (change.type === 'present' ? change.pod : change.last).metadata;
    return `${change.type} ${uid}@${resourceVersion}`;
  });

describe('the store', () => {
  it('tells a state once, and never an older one', () => {
    const store = createPodStore();
    expect(summarize(store.apply(buildPod('a', 5)))).toEqual(['present a@5']);
    expect(store.apply(buildPod('a', 5))).toEqual([]);
    expect(store.apply(buildPod('a', 4))).toEqual([]);
    expect(summarize(store.apply(buildPod('a', 10)))).toEqual(['present a@10']);
  });

  it('takes a new uid for the end of the old one', () => {
    const store = createPodStore();
    store.apply(buildPod('a', 5));
    expect(summarize(store.apply(buildPod('b', 6)))).toEqual(['deleted a@5', 'present b@6']);
    expect(store.remove(buildPod('a', 7))).toEqual([]);
    expect(store.get('s1')?.metadata.uid).toBe('b');
    expect(store.apply(buildPod('a', 8))).toEqual([]);
  });

  it('takes what a list lacks for deleted, unless it is newer than the list', () => {
    const store = createPodStore();
    store.apply(buildPod('old', 5, 'old'));
    store.apply(buildPod('new', 9, 'new'));
    const changes = store.replace({ resourceVersion: '7', pods: [buildPod('other', 6, 'other')] });
    expect(summarize(changes)).toEqual(['deleted old@5', 'present other@6']);
    expect(store.get('new')).not.toBeNull();
  });

  it('takes a Pod that was read before a list that lacks it for deleted, once', () => {
    const store = createPodStore({ app: 'x' });
    const read = (uid: string, labels = { app: 'x' }) => {
      const pod = buildPod(uid, 5, uid);
      return { ...pod, metadata: { ...pod.metadata, labels } };
    };
    store.replace({ resourceVersion: '7', pods: [] });
    expect(summarize(store.apply(read('a')))).toEqual(['deleted a@5']);
    expect(store.apply(read('a'))).toEqual([]);
    expect(store.get('a')).toBeNull();
    // The list says nothing of a Pod that it would not hold.
    expect(summarize(store.apply(read('b', { app: 'y' })))).toEqual(['present b@5']);
    expect(summarize(store.replace({ resourceVersion: '6', pods: [buildPod('c', 4, 'c')] }))).toEqual([
      'deleted b@5',
      'present c@4',
    ]);
  });

  it('remembers how a Pod was seen last', () => {
    const store = createPodStore();
    store.apply(buildPod('a', 5));
    store.remove(buildPod('a', 6));
    expect(store.getDeleted('a')?.metadata.resourceVersion).toBe('6');
    for (let index = 0; index < 1_000; index += 1) store.remove(buildPod(`x${index}`, 7, `x${index}`));
    expect(store.getDeleted('a')).toBeNull();
  });

  it('says deleted once at most, and nothing of a Pod afterwards, in whatever order news arrive', () => {
    const step = fc.record({
      kind: fc.constantFrom('apply', 'remove', 'list', 'empty list'),
      uid: fc.constantFrom('a', 'b'),
      version: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const store = createPodStore();
        const told = steps.flatMap(({ kind, uid, version }) => {
          const pod = buildPod(uid, version);
          if (kind === 'apply') return store.apply(pod);
          if (kind === 'remove') return store.remove(pod);
          return store.replace({ resourceVersion: String(version), pods: kind === 'list' ? [pod] : [] });
        });
        for (const uid of ['a', 'b']) {
          const own = told.filter(
            (change) => (change.type === 'present' ? change.pod : change.last).metadata.uid === uid,
          );
          expect(own.filter(({ type }) => type === 'deleted').length).toBeLessThanOrEqual(1);
          expect(own.slice(0, -1).map(({ type }) => type)).not.toContain('deleted');
          const seen = own.flatMap((change) => (change.type === 'present' ? [change.pod.metadata] : []));
          const versions = seen.map(({ resourceVersion }) => Number(resourceVersion));
          expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other));
        }
      }),
    );
  });
});

describe('resource versions', () => {
  it('are compared as numbers of any length', () => {
    expect(isOlderVersion('9', '10')).toBe(true);
    expect(isOlderVersion('10', '9')).toBe(false);
    expect(isOlderVersion('9007199254740993', '9007199254740994')).toBe(true);
    expect(isOlderVersion('7', '7')).toBe(false);
  });

  it('that are no numbers hold nothing back', () => {
    expect(isOlderVersion('abc', '10')).toBe(false);
    expect(isOlderVersion('', '10')).toBe(false);
  });
});
