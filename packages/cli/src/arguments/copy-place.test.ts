import { expect, it } from 'vitest';
import { parseCopyArguments, parseCopyPlace } from './copy-place.ts';

it.each([
  ['demo:a/b', { kind: 'remote', sandbox: 'demo', path: 'a/b' }],
  ['demo:', { kind: 'remote', sandbox: 'demo', path: '.' }],
  ['demo:/etc/a:b', { kind: 'remote', sandbox: 'demo', path: '/etc/a:b' }],
  ['./a:b', { kind: 'local', path: './a:b' }],
  ['/a:b', { kind: 'local', path: '/a:b' }],
  ['.x:b', { kind: 'local', path: '.x:b' }],
  ['dir/a:b', { kind: 'local', path: 'dir/a:b' }],
  [':b', { kind: 'local', path: ':b' }],
  ['a', { kind: 'local', path: 'a' }],
  ['-', { kind: 'stream' }],
])('%s is %o', (text, place) => {
  expect(parseCopyPlace(text)).toEqual(place);
});

it('the last place is the target, the others are sources in their order', () => {
  expect(parseCopyArguments(['a', 'b', 'demo:c'])).toEqual({
    direction: 'in',
    sources: [
      { kind: 'local', path: 'a' },
      { kind: 'local', path: 'b' },
    ],
    target: { kind: 'remote', sandbox: 'demo', path: 'c' },
  });
});

it.each([
  [['a']],
  [['', 'demo:x']],
  [['a', 'b']],
  [['x:a', 'y:b']],
  [['-', '-']],
  [['-', 'a', 'x:b']],
  [['x:a', 'b', 'c']],
])('%j is refused', (texts) => {
  expect(() => parseCopyArguments(texts)).toThrow(/^expected /);
});
