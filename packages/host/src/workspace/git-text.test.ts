import { describe, expect, it } from 'vitest';
import { redactGitText } from './git-text.ts';

describe('redactGitText', () => {
  it('removes user info and control characters', () => {
    expect(redactGitText('fatal: https://u:hunter2@h/a\u001b[31m')).toBe('fatal: https://***@h/a[31m');
  });
});
