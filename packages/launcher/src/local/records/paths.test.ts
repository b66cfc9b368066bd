import { describe, expect, it } from 'vitest';
import { toProviderId, toSandboxPaths } from './paths.ts';

describe('toSandboxPaths', () => {
  it('keeps everything of a sandbox below its own directory', () => {
    const { leaving, identity, ...paths } = toSandboxPaths('/state', 'app-0a1b2c');
    const all = [...Object.values(paths), ...Object.values(identity)];
    expect(all.filter((path) => !path.startsWith('/state/sandboxes/app-0a1b2c'))).toEqual([]);
    expect(leaving).toBe('/state/sandboxes/app-0a1b2c.leaving');
  });

  it.each(['', '..', '../x', 'a/b', 'A', '-a', 'a.leaving', 'a\n', 'a'.repeat(64)])('refuses %j', (id) =>
    expect(() => toSandboxPaths('/state', id)).toThrow(expect.objectContaining({ code: 'invalid_request' })),
  );
});

describe('toProviderId', () => {
  it.each([
    ['app-0a1b2c', 'app-0a1b2c'],
    ['app-0a1b2c.leaving', 'app-0a1b2c'],
    ['.DS_Store', undefined],
    ['lost+found', undefined],
    ['.leaving', undefined],
  ])('of %j is %j', (name, id) => expect(toProviderId(name)).toBe(id));
});
