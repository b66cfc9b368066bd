import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseByteRange } from './byte-range.ts';

it.each([
  [undefined, 10, 'whole'],
  ['bytes=0-', 10, { start: 0, end: 10 }],
  ['bytes=3-5', 10, { start: 3, end: 6 }],
  ['bytes=3-500', 10, { start: 3, end: 10 }],
  ['bytes=-4', 10, { start: 6, end: 10 }],
  ['bytes=-40', 10, { start: 0, end: 10 }],
  ['bytes=10-', 10, 'outside'],
  ['bytes=-0', 10, 'outside'],
  ['bytes=0-', 0, 'outside'],
  ['bytes=5-3', 10, 'whole'],
  ['bytes=-', 10, 'whole'],
  ['bytes=0-1,3-4', 10, 'whole'],
  ['lines=1-2', 10, 'whole'],
  [`bytes=${'9'.repeat(40)}-`, 10, 'whole'],
])('%s of %i bytes is %o', (header, size, range) => {
  expect(parseByteRange(header, size)).toEqual(range);
});

it('a range is never empty and never leaves the file', () => {
  const bound = fc.option(fc.nat(300), { nil: '' });
  fc.assert(
    fc.property(bound, bound, fc.nat(200), (first, last, size) => {
      const range = parseByteRange(`bytes=${first}-${last}`, size);
      if (typeof range === 'string') return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.end).toBeGreaterThan(range.start);
      expect(range.end).toBeLessThanOrEqual(size);
    }),
  );
});
