import { describe, expect, it } from 'vitest';
import { findChanges } from './plan.ts';

describe('what admission changes', () => {
  it('is nothing when only the order of fields differs', () => {
    expect(findChanges({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 })).toEqual([]);
  });

  it('is told field by field, with items of a list by their names', () => {
    const sent = { containers: [{ name: 'host', image: 'a' }] };
    const admitted = { containers: [{ name: 'mesh' }, { name: 'host', image: 'a', tty: true }] };
    expect(findChanges(sent, admitted)).toEqual([
      { path: '/containers/host/tty', sent: undefined, admitted: true },
      { path: '/containers/mesh', sent: undefined, admitted: { name: 'mesh' } },
    ]);
  });

  it('tells what was taken away', () => {
    expect(findChanges({ a: 1, b: 2 }, { a: 1 })).toEqual([{ path: '/b', sent: 2, admitted: undefined }]);
  });
});
