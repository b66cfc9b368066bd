import { describe, expect, it } from 'vitest';
import { toDelayMs } from './backoff.ts';
import { isCertificateError, isFinal, isRefusal } from './refusal.ts';

const MINUTE = 60_000;

describe('isFinal', () => {
  it.each([
    [401, false, 0, true],
    [403, false, 0, true],
    [409, false, 0, true],
    [410, false, 0, true],
    [401, true, MINUTE, false],
    [401, true, 10 * MINUTE, true],
    [410, true, 0, true],
  ])(
    'of %d, connected before: %s, refused for %d ms, is %s',
    (...[status, hasConnectedBefore, refusedForMs, expected]) => {
      expect(isFinal({ kind: 'refused', status, message: '' }, { hasConnectedBefore, refusedForMs })).toBe(
        expected,
      );
    },
  );

  it('is never so for what passes by itself', () => {
    for (const status of [302, 429, 500, 502, 503, 504]) expect(isRefusal(status)).toBe(false);
    expect(isFinal({ kind: 'transient', message: '' }, { hasConnectedBefore: false, refusedForMs: 0 })).toBe(
      false,
    );
  });

  it('knows a certificate that does not verify by its code', () => {
    expect(isCertificateError(Object.assign(new Error(''), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }))).toBe(
      true,
    );
  });

  it.each([
    [false, 0, true],
    [true, 0, false],
    [true, 9 * MINUTE, false],
    [true, 10 * MINUTE, true],
  ])(
    'of a certificate that does not verify, connected before: %s, for %d ms, is %s',
    (hasConnectedBefore, refusedForMs, expected) => {
      expect(isFinal({ kind: 'certificate', message: '' }, { hasConnectedBefore, refusedForMs })).toBe(
        expected,
      );
    },
  );
});

describe('toDelayMs', () => {
  it('dials at once after a healthy connection, then with full jitter up to ten seconds', () => {
    expect([0, 1, 2, 6, 7, 50].map((failures) => toDelayMs(failures, 1))).toEqual([
      0, 250, 500, 8_000, 10_000, 10_000,
    ]);
    expect(toDelayMs(5, 0)).toBe(0);
  });
});
