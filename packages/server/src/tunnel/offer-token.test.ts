import { describe, expect, it } from 'vitest';
import { offerToken } from './offer-token.ts';

const launch = { current: 'l', next: null, kind: 'launch', expiresAt: 9 } as const;

describe('the tokens of a host', () => {
  it('are the one that it came with and the one that it is offered', () => {
    expect(offerToken(launch, 'l', 'a')).toEqual({ ...launch, next: 'a' });
  });

  it('follow it through exchanges whose answers were lost', () => {
    const first = offerToken(launch, 'l', 'a');
    const second = offerToken(first ?? null, 'a', 'b');
    expect(second).toEqual({ current: 'a', next: 'b', kind: 'connection', expiresAt: 9 });
    // Neither answer came: the host may hold either.
    expect(offerToken(second ?? null, 'a', 'c')).toMatchObject({ current: 'a', next: 'c' });
    expect(offerToken(second ?? null, 'b', 'c')).toMatchObject({ current: 'b', next: 'c' });
  });

  it('are not offered to one that came with an old token', () => {
    expect(offerToken({ ...launch, current: 'b', next: 'c' }, 'a', 'd')).toBeUndefined();
    expect(offerToken(null, 'a', 'd')).toBeUndefined();
  });
});
