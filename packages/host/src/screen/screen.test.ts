import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Screen } from './screen.ts';

const SIZE = { columns: 10, rows: 4 };

function show(...parts: (string | Uint8Array)[]): Screen {
  const screen = new Screen(SIZE);
  for (const part of parts) screen.push(Buffer.from(part));
  return screen;
}

/** The rows of the main screen as text, out of its image. */
function rows(screen: Screen): string[] {
  return screen.dump().split('\n');
}

const ESC = '\x1b';

describe('a screen', () => {
  it.each([
    ['text and lines', 'ab\r\ncd', ['ab', 'cd', '', '']],
    ['a line feed that keeps the column', 'ab\nc', ['ab', '  c', '', '']],
    ['wrapping at the edge', '0123456789x', ['0123456789', 'x', '', '']],
    ['the edge without a next character', '0123456789\ry', ['y123456789', '', '', '']],
    ['no wrapping when that is off', `${ESC}[?7l0123456789xy`, ['012345678y', '', '', '']],
    ['scrolling', 'a\r\nb\r\nc\r\nd\r\ne', ['b', 'c', 'd', 'e']],
    ['a scroll region', `a\r\nb\r\nc\r\nd${ESC}[2;3r${ESC}[3;1H\nx`, ['a', 'c', 'x', 'd']],
    ['reverse line feeds', `a\r\nb${ESC}[H${ESC}Mz`, ['z', 'a', 'b', '']],
    ['moves', `${ESC}[2;3Hx${ESC}[Ay${ESC}[2Dz${ESC}[5Gw`, ['  zyw', '  x', '', '']],
    ['erasing', `abcdef${ESC}[3D${ESC}[K`, ['abc', '', '', '']],
    ['erasing before', `abcdef${ESC}[3D${ESC}[1K`, ['    ef', '', '', '']],
    ['erasing all', `abc\r\ndef${ESC}[2Jx`, ['', '   x', '', '']],
    ['inserting and deleting', `abcdef${ESC}[4D${ESC}[2@${ESC}[1P`, ['ab cdef', '', '', '']],
    ['insert mode', `abc${ESC}[4h\rX`, ['Xabc', '', '', '']],
    ['lines in and out', `a\r\nb\r\nc${ESC}[2;1H${ESC}[L${ESC}[HX${ESC}[M`, ['', 'b', 'c', '']],
    ['tabs', 'a\tb', ['a       b', '', '', '']],
    ['lines and corners', `${ESC}(0lqk${ESC}(Bq`, ['┌─┐q', '', '', '']],
    ['wide characters', '日本x', ['日本x', '', '', '']],
    ['half of a wide one overwritten', `日本${ESC}[2Gx`, [' x本', '', '', '']],
    ['a wide one that does not fit', '012345678日', ['012345678', '日', '', '']],
    ['marks', 'e\u0301x', ['e\u0301x', '', '', '']],
    ['repetition', `a${ESC}[3b`, ['aaaa', '', '', '']],
    ['the alternate screen and back', `ab${ESC}[?1049hXY${ESC}[?1049lc`, ['abc', '', '', '']],
    [
      'what it does not know',
      `${ESC}[>4;2m${ESC}]52;c;eHg=\x07${ESC}P1$r0m${ESC}\\${ESC}[6na`,
      ['a', '', '', ''],
    ],
    ['a sequence that is broken off', `${ESC}[12\x18a${ESC}[3${ESC}[1Cb`, ['a b', '', '', '']],
  ])('shows %s', (_what, text, expected) => {
    expect(rows(show(text))).toEqual(expected);
  });

  it('takes another size and keeps the cursor on it', () => {
    const screen = show('a\r\nb\r\nc\r\nd');
    screen.resize({ columns: 5, rows: 2 });
    screen.push(Buffer.from('!'));
    expect(rows(screen)).toEqual(['c', 'd!']);
    screen.resize({ columns: 6, rows: 3 });
    expect(rows(screen)).toEqual(['c', 'd!', '']);
  });

  it('tells the title, the modes and the shape of the cursor to the next viewer', () => {
    const image = Buffer.from(
      show(`${ESC}]0;vi file\x07${ESC}[?2004;1002h${ESC}[?25l${ESC}[5 q`).render(),
    ).toString();
    for (const part of [']2;vi file\x07', '[?2004h', '[?1002h', '[?25l', '[5 q'])
      expect(image).toContain(ESC + part);
  });
});

const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.string({
      unit: fc.constantFrom('a', 'b', 'Z', ' ', 'q', 'x', '日', 'é', '🚀', 'e\u0301'),
      maxLength: 14,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '\r',
      '\n',
      '\b',
      '\t',
      '\x0e',
      '\x0f',
      '\r\n',
      `${ESC}7`,
      `${ESC}8`,
      `${ESC}M`,
      `${ESC}D`,
      `${ESC}E`,
      `${ESC}H`,
      `${ESC}=`,
      `${ESC}>`,
      `${ESC}(0`,
      `${ESC}(B`,
      `${ESC})0`,
      `${ESC}#8`,
    ),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 0, max: 12 }),
        fc.constantFrom(...'A B C D E F G H f d a e J K L M P S T X @ I Z g r s u'.split(' ')),
      )
      .map(([a, b, final]) => `${ESC}[${a};${b}${final}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        '0',
        '1',
        '31',
        '42;4',
        '38;5;200',
        '48;2;1;2;3',
        '4:3',
        '7',
        '22',
        '39',
        '49',
        '38:2::9:8:7',
      )
      .map((sgr) => `${ESC}[${sgr}m`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(1, 6, 7, 25, 47, 1047, 1048, 1049, 1000, 1006, 2004), fc.constantFrom('h', 'l'))
      .map(([mode, on]) => `${ESC}[?${mode}${on}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      `${ESC}[4h`,
      `${ESC}[4l`,
      `${ESC}[20h`,
      `${ESC}[20l`,
      `${ESC}[!p`,
      `${ESC}c`,
      `${ESC}[3 q`,
      `${ESC}]2;t\x07`,
    ),
  },
);
const program = fc.array(piece, { maxLength: 30 }).map((parts) => Buffer.from(parts.join('')));

describe('the image of a screen', () => {
  it('makes any terminal show it, wherever the output is cut, and go on as the program expects', () => {
    fc.assert(
      fc.property(program, program, fc.nat(400), (before, other, cut) => {
        const first = before.subarray(0, cut);
        const original = show(first);
        // A viewer whose terminal is in any state.
        const viewer = show(other, '\x18', original.render());
        expect(viewer.dump()).toBe(original.dump());
        const rest = Buffer.concat([before.subarray(cut), Buffer.from(`${ESC}[4lx`), other]);
        original.push(rest);
        viewer.push(rest);
        expect(viewer.dump()).toBe(original.dump());
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the same however the output came in chunks', () => {
    fc.assert(
      fc.property(program, fc.integer({ min: 1, max: 9 }), (bytes, size) => {
        const screen = new Screen(SIZE);
        for (let at = 0; at < bytes.length; at += size) screen.push(bytes.subarray(at, at + size));
        expect(Buffer.from(screen.render())).toEqual(Buffer.from(show(bytes).render()));
      }),
      { numRuns: 300 },
    );
  });

  it('comes out of any bytes, and never grows past what the screen holds', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
        expect(show(bytes).render().length).toBeLessThan(20_000);
      }),
      { numRuns: 300 },
    );
  });
});
