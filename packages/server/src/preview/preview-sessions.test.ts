import { createFakeClock } from '@omnigent/testkit';
import { systemRandomBytes } from '@omnigent/protocol';
import { describe, expect, it } from 'vitest';
import { PreviewSessions, SESSION_MS } from './preview-sessions.ts';

const GRANT = { owner: 'me', sandboxId: 's1', port: 80 };

function createSessions() {
  const clock = createFakeClock();
  return { clock, sessions: new PreviewSessions({ clock, randomBytes: systemRandomBytes }) };
}

describe('a ticket', () => {
  it('opens a session once', () => {
    const { sessions } = createSessions();
    const { secret } = sessions.issueTicket(GRANT);
    const session = sessions.redeem(secret, 's1', 80);
    expect(sessions.findOwner([session?.secret ?? ''], 's1', 80)).toBe('me');
    expect(sessions.redeem(secret, 's1', 80)).toBeUndefined();
  });

  it('is kept by a visit of another preview, which it does not open', () => {
    const { sessions } = createSessions();
    const { secret } = sessions.issueTicket(GRANT);
    expect(sessions.redeem(secret, 's2', 80)).toBeUndefined();
    expect(sessions.redeem(secret, 's1', 81)).toBeUndefined();
    expect(sessions.redeem(secret, 's1', 80)).toBeDefined();
  });

  it('is worth nothing when its time is over', async () => {
    const { clock, sessions } = createSessions();
    const { secret, expiresAt } = sessions.issueTicket(GRANT);
    await clock.advance(expiresAt - clock.now());
    expect(sessions.redeem(secret, 's1', 80)).toBeUndefined();
  });
});

describe('a session', () => {
  it('is for one preview, and found among false ones', () => {
    const { sessions } = createSessions();
    const secret = sessions.redeem(sessions.issueTicket(GRANT).secret, 's1', 80)?.secret ?? '';
    expect(sessions.findOwner(['planted', secret], 's1', 80)).toBe('me');
    expect(sessions.findOwner([secret], 's1', 81)).toBeUndefined();
    expect(sessions.findOwner([secret], 's2', 80)).toBeUndefined();
    expect(sessions.findOwner([], 's1', 80)).toBeUndefined();
  });

  it('ends', async () => {
    const { clock, sessions } = createSessions();
    const secret = sessions.redeem(sessions.issueTicket(GRANT).secret, 's1', 80)?.secret ?? '';
    await clock.advance(SESSION_MS - 1);
    expect(sessions.findOwner([secret], 's1', 80)).toBe('me');
    await clock.advance(1);
    expect(sessions.findOwner([secret], 's1', 80)).toBeUndefined();
  });
});
