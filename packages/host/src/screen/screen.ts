/**
 * What a program's terminal shows, followed byte by byte, so that whoever comes later can be shown it. Knows what xterm knows as
 * far as it stays on the screen; questions to the terminal and the clipboard are passed over.
 */
import type { TerminalSize } from '@omnigent/protocol';
import { measureCharacter } from './character-width.ts';
import { createCursor, isPlain, saveCursor, translateCharacter } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { EDITS } from './edits.ts';
import { renderScreen } from './render-screen.ts';
import { createScreenState, isModeOn } from './screen-state.ts';
import type { Page, ScreenState } from './screen-state.ts';
import { SequenceParser } from './sequence-parser.ts';
import type { SequenceListener } from './sequence-parser.ts';
import { selectModes } from './select-modes.ts';

const MAX_TITLE_CHARACTERS = 1024;
/** More than any screen holds. */
const MAX_REPEAT = 65_535;

export class Screen implements SequenceListener {
  readonly #parser = new SequenceParser(this);
  #state: ScreenState;
  #size: TerminalSize;

  constructor(size: TerminalSize) {
    this.#size = size;
    this.#state = createScreenState(size);
  }

  /** Follows what the program wrote. */
  push(bytes: Uint8Array): void {
    this.#parser.push(bytes);
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    const { main, alternate } = this.#state;
    for (const page of [main, alternate]) {
      const above = page.grid.resize(size.columns, size.rows, page.cursor.row);
      page.region = { top: 0, bottom: size.rows - 1 };
      page.cursor = clamp({ ...saveCursor(page.cursor), row: page.cursor.row - above }, size);
      page.saved = clamp({ ...page.saved, row: page.saved.row - above }, size);
    }
  }

  /** Escape sequences that bring any terminal of this size to what is shown now, ready for the program's next bytes. */
  render(): Uint8Array {
    return Buffer.concat([Buffer.from(renderScreen(this.#state)), this.#parser.unfinished]);
  }

  /** The rows as text, without trailing blanks. */
  dump(): string {
    const { grid } = this.#page;
    const lines = Array.from({ length: grid.rows }, (_, row) => grid.line(row).map(({ text }) => text));
    return lines.map((line) => line.join('').trimEnd()).join('\n');
  }

  print(text: string): void {
    for (const character of text) {
      const code = character.charCodeAt(0);
      // Control characters of the upper half mean nothing in UTF-8.
      if (code >= 0x80 && code < 0xa0) continue;
      this.#printCharacter(translateCharacter(character, this.#page.cursor));
    }
  }

  printAscii(bytes: Uint8Array, from: number, to: number): void {
    const { grid, cursor } = this.#page;
    if (this.#state.isInserting || !isPlain(cursor) || !isModeOn(this.#state, 7))
      return this.print(Buffer.from(bytes.subarray(from, to)).toString('latin1'));
    for (let at = from; at < to; ) {
      if (cursor.isWrapping) this.#beginLine();
      const end = Math.min(to, at + grid.columns - cursor.column);
      grid.putText(cursor.row, cursor.column, { bytes, from: at, to: end, pen: cursor.pen });
      this.#advance(end - at);
      at = end;
    }
    this.#state.lastCharacter = String.fromCharCode(bytes[to - 1] ?? 0x20);
  }

  control(code: number): void {
    this.#state.lastCharacter = '';
    const { cursor } = this.#page;
    if (code === 0x08) this.#move({ column: cursor.column - 1 });
    else if (code === 0x09) EDITS.apply(this.#state, 'I', []);
    else if (code >= 0x0a && code <= 0x0c) {
      this.#lineFeed();
      if (this.#state.isNewLine) cursor.column = 0;
    } else if (code === 0x0d) this.#move({ column: 0 });
    else if (code === 0x0e || code === 0x0f) cursor.charset = code === 0x0e ? 1 : 0;
  }

  escape(intermediates: string, final: string): void {
    this.#state.lastCharacter = '';
    const page = this.#page;
    if (intermediates === '(' || intermediates === ')') {
      const set = final === '0' ? 'lines' : 'ascii';
      const [g0, g1] = page.cursor.charsets;
      page.cursor.charsets = intermediates === '(' ? [set, g1] : [g0, set];
    } else if (intermediates === '#' && final === '8') EDITS.fillWithE(page);
    if (intermediates !== '') return;
    if (final === '7') page.saved = saveCursor(page.cursor);
    else if (final === '8') page.cursor = clamp(page.saved, this.#size);
    else if (final === 'D') this.#lineFeed();
    else if (final === 'E') {
      this.#lineFeed();
      this.#move({ column: 0 });
    } else if (final === 'M') this.#reverseLineFeed();
    else if (final === 'H') this.#state.tabStops.add(page.cursor.column);
    else if (final === '=' || final === '>') this.#state.isKeypad = final === '=';
    else if (final === 'c') this.#state = createScreenState(this.#size);
  }

  sequence(mark: string, parameters: readonly string[], final: string): void {
    const state = this.#state;
    const page = this.#page;
    const { lastCharacter } = state;
    state.lastCharacter = '';
    if (mark === '?' && (final === 'h' || final === 'l'))
      return selectModes(state, this.#size, { parameters, isOn: final === 'h' });
    if (mark === ' ' && final === 'q') state.cursorShape = parameters[0] ?? '';
    else if (mark === '!' && final === 'p') this.#softReset();
    if (mark !== '') return;
    if (final === 'm') page.cursor.pen = page.cursor.pen.select(parameters);
    else if (final === 'h' || final === 'l') {
      if (parameters.includes('4')) state.isInserting = final === 'h';
      if (parameters.includes('20')) state.isNewLine = final === 'h';
    } else if (final === 'b') this.#repeat(lastCharacter, count(parameters));
    else if (final === 's') page.saved = saveCursor(page.cursor);
    else if (final === 'u') page.cursor = clamp(page.saved, this.#size);
    else if (final in MOVES)
      this.#move(MOVES[final as keyof typeof MOVES](page, count(parameters), parameters));
    else EDITS.apply(state, final, parameters);
  }

  command(text: string): void {
    const [, number, title] = /^([02]);([^\u0000-\u001f\u007f-\u009f]*)$/.exec(text) ?? [];
    if (number !== undefined && title !== undefined) this.#state.title = title.slice(0, MAX_TITLE_CHARACTERS);
  }

  get #page(): Page {
    return this.#state.isAlternate ? this.#state.alternate : this.#state.main;
  }

  #printCharacter(text: string): void {
    const page = this.#page;
    const { grid } = page;
    const width = measureCharacter(text);
    if (width === 0) {
      const { row, column, isWrapping } = page.cursor;
      if (isWrapping || column > 0) grid.combine(row, isWrapping ? column : column - 1, text);
      return;
    }
    const doesWrap = isModeOn(this.#state, 7);
    if (page.cursor.isWrapping && doesWrap) this.#beginLine();
    if (page.cursor.column + width > grid.columns) {
      if (!doesWrap || grid.columns < width) return;
      this.#beginLine();
    }
    const { row, column, pen } = page.cursor;
    if (this.#state.isInserting) grid.insertCells({ row, column, count: width }, pen);
    grid.put(row, column, { text, pen, width });
    this.#state.lastCharacter = text;
    this.#advance(width);
  }

  #advance(columns: number): void {
    const { cursor, grid } = this.#page;
    cursor.column += columns;
    cursor.isWrapping = cursor.column >= grid.columns;
    if (cursor.isWrapping) cursor.column = grid.columns - 1;
  }

  #repeat(character: string, times: number): void {
    if (character === '') return;
    for (let left = Math.min(times, MAX_REPEAT); left > 0; left -= 1) this.#printCharacter(character);
    this.#state.lastCharacter = '';
  }

  #beginLine(): void {
    this.#lineFeed();
    this.#page.cursor.column = 0;
  }

  #lineFeed(): void {
    const { cursor, region, grid } = this.#page;
    if (cursor.row === region.bottom) grid.scrollUp(region, 1, cursor.pen);
    else if (cursor.row < grid.rows - 1) cursor.row += 1;
    cursor.isWrapping = false;
  }

  #reverseLineFeed(): void {
    const { cursor, region, grid } = this.#page;
    if (cursor.row === region.top) grid.scrollDown(region, 1, cursor.pen);
    else if (cursor.row > 0) cursor.row -= 1;
    cursor.isWrapping = false;
  }

  #move({ row, column }: Place): void {
    const { cursor } = this.#page;
    const { rows, columns } = this.#size;
    cursor.row = Math.max(0, Math.min(row ?? cursor.row, rows - 1));
    cursor.column = Math.max(0, Math.min(column ?? cursor.column, columns - 1));
    cursor.isWrapping = false;
  }

  #softReset(): void {
    const state = this.#state;
    const page = this.#page;
    for (const mode of [1, 6, 7, 25]) state.modes.delete(mode);
    state.isInserting = false;
    state.isKeypad = false;
    const { row, column } = page.cursor;
    page.cursor = { ...createCursor(), row, column };
    page.saved = createCursor();
    page.region = { top: 0, bottom: this.#size.rows - 1 };
  }
}

interface Place {
  readonly row?: number;
  readonly column?: number;
}

type Move = (page: Page, count: number, parameters: readonly string[]) => Place;

/** Where each sequence that moves the cursor takes it. */
const MOVES = {
  A: ({ cursor, region }, n) => ({
    row: Math.max(cursor.row - n, cursor.row >= region.top ? region.top : 0),
  }),
  B: (page, n) => ({ row: moveDown(page, n) }),
  C: ({ cursor }, n) => ({ column: cursor.column + n }),
  D: ({ cursor }, n) => ({ column: cursor.column - n }),
  E: (page, n) => ({ row: moveDown(page, n), column: 0 }),
  F: ({ cursor, region }, n) => ({
    row: Math.max(cursor.row - n, cursor.row >= region.top ? region.top : 0),
    column: 0,
  }),
  G: (_page, n) => ({ column: n - 1 }),
  '`': (_page, n) => ({ column: n - 1 }),
  a: ({ cursor }, n) => ({ column: cursor.column + n }),
  d: (page, n) => ({ row: toRow(page, n) }),
  e: ({ cursor }, n) => ({ row: cursor.row + n }),
  H: (page, n, parameters) => ({ row: toRow(page, n), column: count(parameters, 1) - 1 }),
  f: (page, n, parameters) => ({ row: toRow(page, n), column: count(parameters, 1) - 1 }),
} as const satisfies Record<string, Move>;

function moveDown({ cursor, region, grid }: Page, n: number): number {
  return Math.min(cursor.row + n, cursor.row <= region.bottom ? region.bottom : grid.rows - 1);
}

function toRow({ cursor, region }: Page, n: number): number {
  return cursor.isOrigin ? Math.min(region.top + n - 1, region.bottom) : n - 1;
}

/** A count: 1 when it is absent or 0. */
function count(parameters: readonly string[], index = 0): number {
  return Math.max(1, Number.parseInt(parameters[index] ?? '', 10) || 1);
}

/** A copy that lies on the screen. */
function clamp(cursor: Cursor, { columns, rows }: TerminalSize): Cursor {
  const row = Math.max(0, Math.min(cursor.row, rows - 1));
  const column = Math.max(0, Math.min(cursor.column, columns - 1));
  return { ...cursor, row, column };
}
