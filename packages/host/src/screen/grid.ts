/**
 * The cells of one screen: what editing and scrolling do to them. It knows nothing of cursors and modes. A row holds no more
 * cells than were written to it, so that an empty one costs nothing.
 */
import { BLANK, toAsciiCell, toBlank } from './cell.ts';
import type { Cell, Pen } from './pen.ts';

/** A place in a row, and how many columns from there on. */
export interface Span {
  readonly row: number;
  readonly column: number;
  readonly count: number;
}

/** Rows from `top` to `bottom`, both included. */
export interface Region {
  readonly top: number;
  readonly bottom: number;
}

/** Bytes of printable ASCII. */
export interface AsciiText {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly pen: Pen;
}

type Line = Cell[];

export class Grid {
  #columns: number;
  readonly #lines: Line[];

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#lines = Array.from({ length: rows }, () => []);
  }

  get columns(): number {
    return this.#columns;
  }

  get rows(): number {
    return this.#lines.length;
  }

  /** The cells of a row up to the last one that was written; what follows is blank. */
  line(row: number): readonly Cell[] {
    return this.#lines[row] ?? [];
  }

  /** Writes a character of one or two columns. */
  put(row: number, column: number, cell: Cell): void {
    const line = this.#openLine(row, { column, count: cell.width });
    line[column] = cell;
    if (cell.width === 2 && column + 1 < this.#columns)
      line[column + 1] = { text: '', pen: cell.pen, width: 0 };
  }

  /** Writes what has room in the row. */
  putText(row: number, column: number, { bytes, from, to, pen }: AsciiText): void {
    const line = this.#openLine(row, { column, count: to - from });
    for (let at = from; at < to; at += 1) line[column + at - from] = toAsciiCell(bytes[at] ?? 0x20, pen);
  }

  /** Adds a mark to the character that ends before or at a column. */
  combine(row: number, column: number, mark: string): void {
    const line = this.#lines[row];
    const at = line?.[column]?.width === 0 ? column - 1 : column;
    const cell = line?.[at];
    // A heap of marks on one character is no text any more.
    if (line !== undefined && cell !== undefined && cell.text.length < 32)
      line[at] = { ...cell, text: cell.text + mark };
  }

  /** Blanks columns. */
  erase({ row, column, count }: Span, pen: Pen): void {
    const line = this.#lines[row];
    const end = Math.min(column + count, this.#columns);
    if (line === undefined || column >= end) return;
    split(line, column);
    split(line, end);
    const blank = toBlank(pen);
    if (blank === BLANK && end >= line.length) line.length = Math.min(line.length, column);
    else {
      pad(line, end);
      line.fill(blank, column, end);
    }
  }

  /** Shifts the rest of a row to the right. */
  insertCells({ row, column, count }: Span, pen: Pen): void {
    this.#shift(row, column, (line) => {
      line.splice(column, 0, ...buildCells(Math.min(count, this.#columns - column), toBlank(pen)));
    });
  }

  /** Shifts the rest of a row to the left. */
  deleteCells({ row, column, count }: Span, pen: Pen): void {
    this.#shift(row, column, (line) => {
      pad(line, this.#columns);
      const { length } = line.splice(column, count);
      line.push(...buildCells(length, toBlank(pen)));
    });
  }

  /** Moves a region up; what leaves at its top is gone. */
  scrollUp({ top, bottom }: Region, count: number, pen: Pen): void {
    for (let left = Math.min(count, bottom - top + 1); left > 0; left -= 1) {
      this.#lines.splice(top, 1);
      this.#lines.splice(bottom, 0, this.#blankLine(pen));
    }
  }

  /** Moves a region down; what leaves at its bottom is gone. */
  scrollDown({ top, bottom }: Region, count: number, pen: Pen): void {
    for (let left = Math.min(count, bottom - top + 1); left > 0; left -= 1) {
      this.#lines.splice(bottom, 1);
      this.#lines.splice(top, 0, this.#blankLine(pen));
    }
  }

  /** Takes another size; `row` stays on the grid. Returns how many rows went away above it. */
  resize(columns: number, rows: number, row: number): number {
    const above = Math.max(0, row + 1 - rows);
    this.#lines.splice(0, above);
    this.#lines.length = Math.min(this.#lines.length, rows);
    for (const line of this.#lines) {
      split(line, columns);
      line.length = Math.min(line.length, columns);
    }
    this.#columns = columns;
    while (this.#lines.length < rows) this.#lines.push([]);
    return above;
  }

  /** A row that has cells up to a place, where nothing is cut in two by what will be written. */
  #openLine(row: number, { column, count }: { readonly column: number; readonly count: number }): Line {
    const line = this.#lines[row] ?? [];
    split(line, column);
    split(line, column + count);
    pad(line, column);
    return line;
  }

  #shift(row: number, column: number, edit: (line: Line) => void): void {
    const line = this.#lines[row];
    if (line === undefined) return;
    split(line, column);
    pad(line, column);
    edit(line);
    line.length = Math.min(line.length, this.#columns);
    // A wide character whose right half was pushed over the edge, or whose left half went.
    for (const [at, { width, pen }] of line.entries()) {
      const isLoneLeft = width === 2 && line[at + 1]?.width !== 0;
      const isLoneRight = width === 0 && line[at - 1]?.width !== 2;
      if (isLoneLeft || isLoneRight) line[at] = { text: ' ', pen, width: 1 };
    }
  }

  #blankLine(pen: Pen): Line {
    const blank = toBlank(pen);
    return blank === BLANK ? [] : buildCells(this.#columns, blank);
  }
}

/** A wide character that an edit at a column would cut in two becomes blank. */
function split(line: Line, column: number): void {
  const right = line[column];
  const left = line[column - 1];
  if (right?.width !== 0 || left === undefined) return;
  line[column] = { text: ' ', pen: right.pen, width: 1 };
  line[column - 1] = { text: ' ', pen: left.pen, width: 1 };
}

function pad(line: Line, length: number): void {
  while (line.length < length) line.push(BLANK);
}

function buildCells(count: number, cell: Cell): Cell[] {
  return Array.from({ length: count }, () => cell);
}
