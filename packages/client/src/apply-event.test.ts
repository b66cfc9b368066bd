import { describe, expect, it } from 'vitest';
import type { Condition, Sandbox } from '@omnigent/protocol';
import { applyEvent } from './apply-event.ts';

const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-01T00:00:01.000Z';
const RESOURCE: Sandbox = {
  id: 's0123456789ab',
  name: null,
  owner: 'local',
  provider: 'local',
  operating_mode: 'Running',
  conditions: [],
  host_id: 'h0123456789ab',
  host_name: 'demo',
  provider_id: null,
  workspace: null,
  repositories: [],
  agent: null,
  labels: {},
  stage: 'provisioning',
  stages: [{ stage: 'provisioning', at: AT }],
  diagnosis: null,
  host: { connected: false, version: null, boot_id: null, capabilities: [] },
  lifetime_seconds: 60,
  idle_timeout_seconds: null,
  expires_at: LATER,
  created_at: AT,
  updated_at: AT,
  deleting: false,
};

function toCondition(type: Condition['type'], status: Condition['status']): Condition {
  return { type, status, reason: 'Test', message: '', last_transition_time: LATER };
}

describe('applyEvent', () => {
  it('adds a stage with what it tells', () =>
    expect(
      applyEvent(RESOURCE, {
        type: 'stage',
        at: LATER,
        stage: 'ready',
        workspace: '/w',
        provider_id: 'demo-1',
      }),
    ).toEqual({
      ...RESOURCE,
      stage: 'ready',
      stages: [...RESOURCE.stages, { stage: 'ready', at: LATER }],
      workspace: '/w',
      provider_id: 'demo-1',
    }));

  it('keeps what a stage does not tell, and no stage twice', () => {
    const known = { ...RESOURCE, workspace: '/w' };
    expect(applyEvent(known, { type: 'stage', at: LATER, stage: 'provisioning' })).toEqual({
      ...known,
      stages: [{ stage: 'provisioning', at: LATER }],
    });
  });

  it('replaces a condition', () => {
    const before = {
      ...RESOURCE,
      conditions: [toCondition('Ready', 'False'), toCondition('Finished', 'False')],
    };
    const ready = toCondition('Ready', 'True');
    expect(applyEvent(before, { type: 'condition', at: LATER, condition: ready }).conditions).toEqual([
      toCondition('Finished', 'False'),
      ready,
    ]);
  });

  it('knows from a condition whether the host is connected', () => {
    const connected = applyEvent(RESOURCE, {
      type: 'condition',
      at: AT,
      condition: toCondition('HostConnected', 'True'),
    });
    expect(connected.host.connected).toBe(true);
    const ready = applyEvent(connected, {
      type: 'condition',
      at: AT,
      condition: toCondition('Ready', 'True'),
    });
    expect(ready.host.connected).toBe(true);
    const lost = applyEvent(ready, {
      type: 'condition',
      at: AT,
      condition: toCondition('HostConnected', 'Unknown'),
    });
    expect(lost.host.connected).toBe(false);
  });

  it('is the same resource after progress', () =>
    expect(applyEvent(RESOURCE, { type: 'progress', at: AT, stage: 'cloning', message: '50 %' })).toBe(
      RESOURCE,
    ));

  it('knows of the deletion', () =>
    expect(applyEvent(RESOURCE, { type: 'deleted', at: AT }).deleting).toBe(true));
});
