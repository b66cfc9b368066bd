import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildPodName, buildTokenSecretName, toSlug } from './object-names.ts';

const zeros = (size: number) => new Uint8Array(size);

describe('toSlug', () => {
  it.each([
    ['Team/App', 'team-app'],
    ['a--b__c', 'a-b-c'],
    ['-x-', 'x'],
    ['', 'host'],
    ['日本語', 'host'],
    [`${'a'.repeat(39)}-b`, 'a'.repeat(39)],
  ])('of %j is %j', (label, slug) => expect(toSlug(label)).toBe(slug));
});

describe('buildPodName', () => {
  it('is a valid RFC 1123 label of at most 63 characters for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (label) => {
        const name = buildPodName(label, zeros);
        expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
        expect(name).not.toContain('--');
        expect(name.length).toBeLessThanOrEqual(63);
        expect(buildTokenSecretName(name).length).toBeLessThanOrEqual(63);
      }),
    );
  });

  it('carries six random hexadecimal digits', () => {
    expect(buildPodName('A_B', () => Uint8Array.of(1, 171, 255))).toBe('omnigent-a-b-01abff');
  });
});
