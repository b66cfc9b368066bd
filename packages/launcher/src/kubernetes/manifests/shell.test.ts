import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeExpansion, quoteShell } from './shell.ts';

describe('quoteShell', () => {
  it('gives a shell back every text as it was', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((word) => !word.includes('\0'));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (words) => {
        const script = `printf '%s\\0' ${words.map(quoteShell).join(' ')}`;
        const shown = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
        expect(shown.split('\0').slice(0, -1)).toEqual(words);
      }),
      { numRuns: 40 },
    );
  });
});

describe('escapeExpansion', () => {
  it('doubles every dollar', () => expect(escapeExpansion('$(A) $$')).toBe('$$(A) $$$$'));
});
