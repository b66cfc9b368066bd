import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toLogTail } from './log-tail.ts';

describe('the end of a log', () => {
  it('is twenty lines of at most 1,500 characters', () => {
    const many = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n');
    expect(toLogTail(`${many}\n`).split('\n')).toEqual(
      Array.from({ length: 20 }, (_, index) => `line ${index + 30}`),
    );
    expect(toLogTail('x '.repeat(5_000))).toHaveLength(1_500);
  });

  it('shows the last state of a progress line', () => {
    expect(toLogTail('Receiving objects:  1%\rReceiving objects: 99%\rfatal: early EOF\r\n')).toBe(
      'fatal: early EOF',
    );
  });

  it('carries no escape sequence and no control character', () => {
    expect(toLogTail('\u001b[31merror\u001b[0m:\u0007 \u001b]0;title\u0007no\u0000 luck')).toBe(
      'error: no luck',
    );
  });

  it.each([
    ['fatal: unable to access https://user:hunter2@git.example/a.git', 'hunter2'],
    ['Authorization: Bearer abcdefghijklmnop', 'abcdefghijklmnop'],
    ['Authorization: Basic dXNlcjpodW50ZXIy', 'dXNlcjpodW50ZXIy'],
    ['remote: ghp_0123456789abcdefghij is not valid', '0123456789abcdefghij'],
    ['GIT_TOKEN=hunter2 git clone', 'hunter2'],
    ['password: hunter2', 'hunter2'],
    [
      'token qQ0wWeErRtTyYuUiIoOpPaAsSdDfFgGhHjJkKlLzZxX refused',
      'qQ0wWeErRtTyYuUiIoOpPaAsSdDfFgGhHjJkKlLzZxX',
    ],
    ['eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln is expired', 'eyJzdWIiOiJ4In0'],
  ])('does not show the credential of: %s', (line, secret) => {
    expect(toLogTail(line)).not.toContain(secret);
    expect(toLogTail(line)).toContain('***');
  });

  it('never contains a text that must not appear, whatever it looks like', () => {
    const secret = fc
      .string({ minLength: 4, maxLength: 30, unit: 'grapheme-ascii' })
      .filter((text) => !/[\s*]/.test(text));
    fc.assert(
      fc.property(fc.string(), secret, fc.string(), (before, token, after) => {
        expect(toLogTail(`${before}${token}${after}`, [token])).not.toContain(token);
      }),
    );
  });

  it('is bounded and clean for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 4_000 }), (text) => {
        const tail = toLogTail(text);
        expect(tail.length).toBeLessThanOrEqual(1_500);
        expect(tail).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
    );
  });
});
