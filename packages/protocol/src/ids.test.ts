import { describe, expect, it } from 'vitest';
import { buildId, hostIdSchema, sandboxIdSchema } from './index.ts';

describe('buildId', () => {
  it('makes ids that its schemas accept, for any random bytes', () => {
    const counting = (size: number) => Uint8Array.from({ length: size }, (_, index) => 250 + index);
    expect(sandboxIdSchema.parse(buildId('s', counting))).toHaveLength(13);
    expect(hostIdSchema.parse(buildId('h', (size) => new Uint8Array(size)))).toBe('h000000000000');
  });
});
