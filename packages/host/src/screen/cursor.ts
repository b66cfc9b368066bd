/** Where the next character goes and how it will look; what a program can save and restore as a whole. */
import { Pen } from './pen.ts';

/** The characters that letters stand for: ASCII, or the lines and corners of DEC's set. */
export type Charset = 'ascii' | 'lines';

export interface Cursor {
  row: number;
  column: number;
  /** The last column was written; the next character begins a new line. */
  isWrapping: boolean;
  pen: Pen;
  /** What the two sets hold. */
  charsets: readonly [Charset, Charset];
  /** Which of the two is in use. */
  charset: 0 | 1;
  /** Rows are counted from the top of the scroll region. */
  isOrigin: boolean;
}

/** A cursor in the first column of the first row. */
export function createCursor(): Cursor {
  return {
    row: 0,
    column: 0,
    isWrapping: false,
    pen: Pen.plain,
    charsets: ['ascii', 'ascii'],
    charset: 0,
    isOrigin: false,
  };
}

/** What is kept of a cursor; it does not wait for a new line when it comes back. */
export function saveCursor(cursor: Cursor): Cursor {
  return { ...cursor, isWrapping: false };
}

/** `_` to `~` of DEC's set of lines and corners. */
const LINES = ' ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·';

/** Whether characters stand for themselves. */
export function isPlain({ charsets, charset }: Cursor): boolean {
  return charsets[charset] === 'ascii';
}

/** What a character stands for. */
export function translateCharacter(character: string, cursor: Cursor): string {
  if (isPlain(cursor)) return character;
  const code = character.charCodeAt(0);
  return code >= 0x5f && code <= 0x7e ? (LINES[code - 0x5f] ?? character) : character;
}
