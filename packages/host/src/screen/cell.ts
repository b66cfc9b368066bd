/** Places of a screen that look alike share one cell. */
import { Pen } from './pen.ts';
import type { Cell } from './pen.ts';

/** An empty place. */
export const BLANK: Cell = { text: ' ', pen: Pen.plain, width: 1 };

/** What is left of a place that was erased with a pen. */
export function toBlank(pen: Pen): Cell {
  const { erased } = pen;
  return erased.sgr === '' ? BLANK : { text: ' ', pen: erased, width: 1 };
}

/** The cell of an ASCII character; most of what programs print is in few pens, which keep theirs. */
export function toAsciiCell(code: number, pen: Pen): Cell {
  return (pen.cells[code] ??= { text: String.fromCharCode(code), pen, width: 1 });
}
