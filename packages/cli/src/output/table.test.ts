import { describe, expect, it } from 'vitest';
import { renderAge, renderTable } from './table.ts';

describe('renderTable', () => {
  it('aligns columns', () =>
    expect(
      renderTable(
        ['ID', 'NAME'],
        [
          ['a', 'first'],
          ['bbbb', ''],
        ],
      ),
    ).toBe('ID    NAME\na     first\nbbbb\n'));

  it('lets nothing through that a terminal would obey', () =>
    expect(renderTable(['PROGRAM'], [['\u001b]0;owned\u0007'], ['größe']])).toBe(
      'PROGRAM\n?]0;owned?\ngröße\n',
    ));
});

describe('renderAge', () => {
  it.each([
    [-1, '0s'],
    [119_999, '119s'],
    [120_000, '2m'],
    [7_200_000, '2h'],
    [172_800_000, '2d'],
  ])('of %d ms is %s', (milliseconds, text) => expect(renderAge(milliseconds)).toBe(text));
});
