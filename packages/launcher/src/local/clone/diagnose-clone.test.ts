import { describe, expect, it } from 'vitest';
import { diagnoseClone, toCloneError } from './diagnose-clone.ts';

describe('diagnoseClone', () => {
  it.each([
    [
      'warning: Could not find remote branch x to clone.\nfatal: Remote branch x not found in upstream origin',
      'clone_branch_not_found',
    ],
    ["fatal: repository '/x' does not exist", 'clone_repository_not_found'],
    ["fatal: '/x' does not appear to be a git repository", 'clone_repository_not_found'],
    ['fatal: write error: No space left on device', 'disk_full'],
    [
      "fatal: could not open '/x/.git/objects/pack/p.pack' for reading: Permission denied",
      'clone_unauthorized',
    ],
    ['fatal: Out of memory, malloc failed', 'clone_out_of_memory'],
    ['fatal: something new', 'clone_failed'],
    ['', 'clone_failed'],
  ])('of %j is %s', (errors, code) => expect(diagnoseClone({ errors })).toBe(code));
});

describe('toCloneError', () => {
  const failed = {
    status: 128,
    killedBy: null,
    output: '',
    errors: 'hint: x\nfatal: bad object HEAD\nhint: y',
  };

  it("carries git's own text", () =>
    expect(toCloneError({ url: '/src/app' }, failed)).toMatchObject({
      message: 'cannot clone /src/app: git ended with 128: fatal: bad object HEAD',
      details: { output: failed.errors },
    }));

  it('names the signal of a git that was killed', () =>
    expect(
      toCloneError({ url: '/src/app' }, { ...failed, status: null, killedBy: 'SIGKILL', errors: '' }).message,
    ).toContain('git was killed by SIGKILL'));
});
