import { createFakeClock } from '@omnigent/testkit';
import { describe, expect, it } from 'vitest';
import { ClusterError } from '../cluster-error.ts';
import type { ClusterFault } from '../fault/cluster-fault.ts';
import { createOutageMemory } from './outage-memory.ts';

const TARGET = { verb: 'list', resource: 'pods', namespace: 'ns', name: null } as const;
const build = (fault: ClusterFault, status: number | null = null) =>
  new ClusterError('no', { target: TARGET, fault, status });

const REFUSED = build({ kind: 'unreachable', systemCode: 'ECONNREFUSED' });
const FORBIDDEN = build({ kind: 'forbidden', user: 'u', verb: 'list', resource: 'pods' }, 403);
const UNAUTHORIZED = build({ kind: 'unauthorized' }, 401);

describe('the memory of an outage', () => {
  it('takes a refusal for what it is when there was none', async () => {
    const memory = createOutageMemory(createFakeClock());
    expect(memory.judge(FORBIDDEN)).toBe(FORBIDDEN);
    memory.judge(build({ kind: 'unavailable' }, 500));
    expect(memory.judge(UNAUTHORIZED)).toBe(UNAUTHORIZED);
  });

  it('takes a refusal for passing until ten seconds after the first answer, however long the outage was', async () => {
    const clock = createFakeClock();
    const memory = createOutageMemory(clock);
    expect(memory.judge(REFUSED)).toBe(REFUSED);
    await clock.advance(60_000);
    expect(memory.judge(FORBIDDEN)).toMatchObject({ transient: true, fault: { kind: 'unavailable' } });
    await clock.advance(9_999);
    expect(memory.judge(UNAUTHORIZED).message).toBe(
      'cannot list pods in namespace "ns": the API server has just come back and still refuses (status 401)',
    );
    await clock.advance(1);
    expect(memory.judge(FORBIDDEN)).toBe(FORBIDDEN);
  });

  it.each([502, 503, 504])('counts a %i of what stands before the server as an outage', async (status) => {
    const clock = createFakeClock();
    const memory = createOutageMemory(clock);
    memory.judge(build({ kind: 'unavailable' }, status));
    memory.noteAnswer();
    expect(memory.judge(FORBIDDEN)).toMatchObject({ transient: true });
    await clock.advance(10_000);
    memory.noteAnswer();
    expect(memory.judge(FORBIDDEN)).toBe(FORBIDDEN);
  });
});
