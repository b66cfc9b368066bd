import { expect, it } from 'vitest';
import { formatBytes } from './copy-progress.ts';
import { isContents, nameTarget } from './name-target.ts';

it.each([
  ['a', 'missing', 't', 't'],
  ['a', 'file', 't', 't'],
  ['a', 'directory', 't', 't/a'],
  ['x/a/', 'directory', 't/', 't/a'],
  ['x/a/.', 'directory', 't', 't'],
  ['.', 'directory', 't', 't'],
  ['/', 'directory', 't', 't'],
  ['..', 'directory', 't', 't'],
  ['...', 'directory', 't', 't/...'],
] as const)('%s goes to a %s %s as %s', (...row) => {
  const [source, targetKind, target, expected] = row;
  expect(nameTarget({ source, target, targetKind, mustBeDirectory: false })).toBe(expected);
});

it.each([
  ['dir/.', true],
  ['dir/..', true],
  ['dir/./', true],
  ['dir', false],
  ['dir/', false],
  ['.hidden', false],
])('whether %s stands for what is in it: %s', (source, expected) => {
  expect(isContents(source)).toBe(expected);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [99_940, '99.9 kB'],
  [99_960, '100 kB'],
  [4_200_000, '4.2 MB'],
  [7e15, '7000 TB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
