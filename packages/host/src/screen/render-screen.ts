/** Draws a terminal's state as escape sequences for a terminal in any state. Pure. */
import type { Cursor } from './cursor.ts';
import { BLANK } from './cell.ts';
import type { Grid } from './grid.ts';
import type { Cell, Pen } from './pen.ts';
import { isModeOn } from './screen-state.ts';
import type { Page, ScreenState } from './screen-state.ts';

const ESC = '\u001b';
const CSI = `${ESC}[`;
/** Modes that the terminal may have on from before; each is told how it is. */
const TOLD = [1, 5, 9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026];

/** The sequences; they leave the cursor, colours and modes as the program has them. */
export function renderScreen(state: ScreenState): string {
  const { main, alternate, isAlternate } = state;
  const page = isAlternate ? alternate : main;
  return [
    // From the alternate screen to the main one, and from whatever modes to those that drawing needs.
    `${CSI}?1049l${CSI}!p${CSI}?6l${CSI}?7h${CSI}4l${CSI}20l${ESC}(B${ESC})B\u000f`,
    renderPage(main),
    ...(isAlternate
      ? [
          renderCursor(main, main.saved),
          `${ESC}7`,
          renderCursor(main, main.saved),
          `${CSI}?1049h`,
          renderPage(alternate),
        ]
      : []),
    renderTabStops(state),
    renderRegion(page),
    renderCursor(page, page.saved),
    `${ESC}7`,
    renderCursor(page, page.cursor),
    renderWaitingWrap(page),
    renderModes(state),
  ].join('');
}

function renderPage({ grid }: Page): string {
  const lines = [`${CSI}0m${CSI}H${CSI}2J`];
  for (let row = 0; row < grid.rows; row += 1) {
    const text = renderLine(grid.line(row));
    if (text !== '') lines.push(`${CSI}${row + 1};1H${text}`);
  }
  return `${lines.join('')}${CSI}0m`;
}

/** Up to the last cell that is not empty. */
function renderLine(line: readonly Cell[]): string {
  const last = line.findLastIndex(({ text, pen }) => text !== ' ' || pen.sgr !== '');
  let text = '';
  let sgr = '';
  for (const cell of line.slice(0, last + 1)) {
    if (cell.pen.sgr !== sgr) text += renderPen(cell.pen);
    sgr = cell.pen.sgr;
    text += cell.text;
  }
  return sgr === '' ? text : `${text}${CSI}0m`;
}

function renderPen({ sgr }: Pen): string {
  return sgr === '' ? `${CSI}0m` : `${CSI}0;${sgr}m`;
}

function renderRegion({ region, grid }: Page): string {
  const isWhole = region.top === 0 && region.bottom === grid.rows - 1;
  return isWhole ? `${CSI}r` : `${CSI}${region.top + 1};${region.bottom + 1}r`;
}

/** Place, colours, character sets and origin mode: all that a cursor is. */
function renderCursor({ region }: Page, cursor: Cursor): string {
  const row = cursor.isOrigin ? cursor.row - region.top : cursor.row;
  const [g0, g1] = cursor.charsets;
  return [
    `${CSI}?6${cursor.isOrigin ? 'h' : 'l'}`,
    `${CSI}${Math.max(0, row) + 1};${cursor.column + 1}H`,
    renderPen(cursor.pen),
    `${ESC}(${g0 === 'lines' ? '0' : 'B'}${ESC})${g1 === 'lines' ? '0' : 'B'}`,
    cursor.charset === 1 ? '\u000e' : '\u000f',
  ].join('');
}

/** A cursor that waits behind the last column gets there only by a character in it. */
function renderWaitingWrap({ grid, cursor }: Page): string {
  if (!cursor.isWrapping) return '';
  const { cell, column } = findLastCell(grid, cursor);
  const back = grid.columns - 1 - column;
  return [
    back > 0 ? `${CSI}${back}D` : '',
    `${ESC}(B\u000f`,
    renderPen(cell.pen),
    cell.text,
    renderPen(cursor.pen),
    `${ESC}(${cursor.charsets[0] === 'lines' ? '0' : 'B'}`,
    cursor.charset === 1 ? '\u000e' : '',
  ].join('');
}

function findLastCell(grid: Grid, { row }: Cursor): { readonly cell: Cell; readonly column: number } {
  const line = grid.line(row);
  const last = line[grid.columns - 1];
  const column = last?.width === 0 ? grid.columns - 2 : grid.columns - 1;
  return { cell: line[column] ?? BLANK, column };
}

function renderTabStops({ tabStops, main }: ScreenState): string {
  const { columns } = main.grid;
  const stops = [...tabStops].filter((stop) => stop < columns);
  return `${CSI}3g${stops.map((stop) => `${CSI}${stop + 1}G${ESC}H`).join('')}`;
}

function renderModes(state: ScreenState): string {
  const { modes, isInserting, isNewLine, isKeypad, title, cursorShape } = state;
  const told = [...new Set([...TOLD, ...modes.keys()])];
  return [
    ...told.map((mode) => `${CSI}?${mode}${isModeOn(state, mode) ? 'h' : 'l'}`),
    isInserting ? `${CSI}4h` : '',
    isNewLine ? `${CSI}20h` : '',
    isKeypad ? `${ESC}=` : `${ESC}>`,
    cursorShape === '' ? '' : `${CSI}${cursorShape} q`,
    title === '' ? '' : `${ESC}]2;${title}\u0007`,
  ].join('');
}
