import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSandboxPaths } from './paths.ts';
import { buildProviderId } from './provider-id.ts';

describe('buildProviderId', () => {
  it.each([
    ['Team App', 'team-app-01abff'],
    ['a--b__c', 'a-b-c-01abff'],
    ['日本語', 'host-01abff'],
    ['', 'host-01abff'],
    [`${'a'.repeat(39)}-b`, `${'a'.repeat(39)}-01abff`],
  ])('of %j is %j', (name, id) => expect(buildProviderId(name, () => Uint8Array.of(1, 171, 255))).toBe(id));

  it('is an id of a sandbox directory for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        const id = buildProviderId(name, (size) => new Uint8Array(size));
        expect(toSandboxPaths('/state', id).root).toBe(`/state/sandboxes/${id}`);
      }),
    );
  });
});
