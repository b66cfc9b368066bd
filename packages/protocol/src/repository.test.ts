import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBranchFault, parseRepository, renderRepository } from './index.ts';

describe('parseRepository', () => {
  it.each([
    [
      'https://git.example.com/team/app.git#main',
      { url: 'https://git.example.com/team/app.git', branch: 'main', directory: 'app' },
    ],
    ['https://git.example.com/team/app', { url: 'https://git.example.com/team/app', directory: 'app' }],
    [
      'https://git.example.com:8443/a/b%20c.git',
      { url: 'https://git.example.com:8443/a/b%20c.git', directory: 'b c' },
    ],
    [
      'git@git.example.com:team/app.git#feature/x',
      { url: 'git@git.example.com:team/app.git', branch: 'feature/x', directory: 'app' },
    ],
    ['ssh://git@git.example:2222/a/b.git', { url: 'ssh://git@git.example:2222/a/b.git', directory: 'b' }],
  ])('reads %s', (text, expected) => {
    expect(parseRepository(text)).toEqual(expected);
    expect(renderRepository(parseRepository(text))).toBe(text);
  });

  it.each([
    ['', 'is empty'],
    ['https://git.example.com/a/b\n', 'control character'],
    ['--upload-pack=touch /tmp/x', 'looks like an option'],
    ['https://user:pass@git.example.com/a/b', 'carries user info'],
    ['https://user@git.example.com/a/b', 'carries user info'],
    ['http://git.example.com/a/b', 'unsupported scheme http'],
    ['file:///etc', 'unsupported scheme file'],
    ['ext::sh -c id', 'white space'],
    ['ext::id', 'unsupported scheme ext'],
    ['/srv/app', 'is a path of this machine'],
    ['app', 'is not a repository address'],
    ['git@host:-x', 'looks like an option'],
    ['git@host:a/..', 'no usable name'],
    ['https://git.example.com/', 'no usable name'],
    ['https://git.example.com/a/%ff', 'broken % escape'],
    ['https://git.example.com/a/b?x=1', 'carries a query'],
    ['https://git.example.com/a/b#', 'empty branch'],
    ['https://git.example.com/a/b#-x', 'looks like an option'],
    ['https://git.example.com/a/b#a..b', 'git does not allow'],
    ['https://git.example.com/a/b#0123456789abcdef0123456789abcdef01234567', 'commit id'],
  ])('refuses %j', (text, problem) => {
    expect(() => parseRepository(text)).toThrow(problem);
  });

  it('never repeats user info of any kind of address', () => {
    for (const text of [
      'https://u:hunter2@h/a/b',
      'ssh://u:hunter2@h/a/b',
      'https://u:hunter2@/x',
      'https://u:hun/ter2@h/b c',
    ]) {
      expect(() => parseRepository(text)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('ter2') }),
      );
    }
  });
});

describe('findBranchFault', () => {
  it('agrees with git check-ref-format about any name that it lets pass', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      '1',
      '.',
      '/',
      '-',
      '@',
      '{',
      '~',
      '^',
      ':',
      '?',
      '*',
      '[',
      '\\',
      '.lock',
      ' ',
      'é',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const branch = pieces.join('');
        if (branch === '' || branch.startsWith('-')) return;
        const git = spawnSync('git', ['check-ref-format', `refs/heads/${branch}`]);
        const isAllowed = git.status === 0 && branch !== '@';
        expect(findBranchFault(branch) === undefined).toBe(isAllowed);
      }),
      { numRuns: 60 },
    );
  });
});
