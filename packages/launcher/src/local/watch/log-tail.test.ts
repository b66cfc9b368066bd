import { describe, expect, it } from 'vitest';
import { cleanTail, readLogTail } from './log-tail.ts';

describe('cleanTail', () => {
  it('keeps the last 20 lines and 1,500 characters', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    expect(cleanTail(lines.join('\n'))).toBe(lines.slice(10).join('\n'));
    expect(cleanTail('x'.repeat(5_000))).toBe('x'.repeat(1_500));
  });

  it.each([
    ['a\u001b[31mred\u001b[0m\r\n', 'ared'],
    ['a\0b\u0007c', 'abc'],
    [`token=${'Ab_-'.repeat(10)}xyz end`, 'token=*** end'],
    ['', ''],
    ['a\n\n\n', 'a'],
  ])('of %j is %j', (text, tail) => expect(cleanTail(text)).toBe(tail));
});

describe('readLogTail', () => {
  it('of a log that is not there is empty', async () =>
    expect(await readLogTail('/nonexistent/host.log')).toBe(''));
});
