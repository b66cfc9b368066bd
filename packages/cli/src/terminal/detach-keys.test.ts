import { describe, expect, it } from 'vitest';
import { DetachMatcher, parseDetachKeys } from './detach-keys.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const bytes = (value: string) => Buffer.from(value, 'latin1');

describe('detach keys', () => {
  it.each([
    ['ctrl-p,ctrl-q', '\x10\x11'],
    ['ctrl-@', '\0'],
    ['ctrl-[,x', '\x1bx'],
    ['Ctrl-A,d', '\x01d'],
    ['ctrl-],q', '\x1dq'],
    ['', ''],
  ])('%s are read as docker reads them', (written, expected) => {
    expect(text(parseDetachKeys(written))).toBe(expected);
  });

  it.each(['ctrl-1', 'ab', 'ctrl-', 'alt-x', ',', 'ctrl-p,'])('%s are refused', (written) => {
    expect(() => parseDetachKeys(written)).toThrow('--detach-keys');
  });

  it.each([
    [['abc'], 'abc', false],
    [['a\x10', '\x11b'], 'a', true],
    [['\x10x'], '\x10x', false],
    [['\x10', 'x'], '\x10x', false],
    [['\x10\x10\x11'], '\x10', true],
    [['x\x10'], 'x', false],
  ])('typed as %j, %j goes to the program', (typed, passed, isDetached) => {
    const matcher = new DetachMatcher(parseDetachKeys('ctrl-p,ctrl-q'));
    const results = typed.map((part) => matcher.push(bytes(part)));
    expect(results.map((result) => text(result.bytes)).join('')).toBe(passed);
    expect(results.at(-1)?.isDetached).toBe(isDetached);
  });

  it('that are empty never match', () => {
    expect(new DetachMatcher(parseDetachKeys('')).push(bytes('\x10\x11')).isDetached).toBe(false);
  });
});
