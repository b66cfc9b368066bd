/** What sequences do to the cells of a page: erasing, inserting, deleting, scrolling, tab stops. */
import type { Page, ScreenState } from './screen-state.ts';

interface EditCall {
  readonly state: ScreenState;
  /** The first parameter as a count, 1 when it is absent or 0. */
  readonly n: number;
  /** The first parameter as a choice, 0 when it is absent. */
  readonly choice: number;
}

type Edit = (page: Page, call: EditCall) => void;

const BY_FINAL: Readonly<Record<string, Edit>> = {
  J: (page, { choice }) => eraseDisplay(page, choice),
  K: (page, { choice }) => eraseLine(page, choice),
  X: ({ grid, cursor }, { n }) => grid.erase({ ...cursor, count: n }, cursor.pen),
  '@': ({ grid, cursor }, { n }) => grid.insertCells({ ...cursor, count: n }, cursor.pen),
  P: ({ grid, cursor }, { n }) => grid.deleteCells({ ...cursor, count: n }, cursor.pen),
  L: (page, { n }) => editLines(page, 'scrollDown', n),
  M: (page, { n }) => editLines(page, 'scrollUp', n),
  S: ({ grid, cursor, region }, { n }) => grid.scrollUp(region, n, cursor.pen),
  T: ({ grid, cursor, region }, { n }) => grid.scrollDown(region, n, cursor.pen),
  I: (page, { state, n }) => tabForward(state, page, n),
  Z: (page, { state, n }) => moveTo(page, previousTab(state, page.cursor.column, n)),
  g: (page, { state, choice }) => clearTabs(state, page, choice),
};

function apply(state: ScreenState, final: string, parameters: readonly string[]): void {
  const page = state.isAlternate ? state.alternate : state.main;
  if (final === 'r') return selectRegion(page, parameters);
  const choice = Number.parseInt(parameters[0] ?? '', 10) || 0;
  BY_FINAL[final]?.(page, { state, n: Math.max(1, choice), choice });
  // What changes cells at the edge ends the wait for a new line.
  if (final in BY_FINAL && !'gISTZ'.includes(final)) page.cursor.isWrapping = false;
}

function eraseDisplay(page: Page, part: number): void {
  const { grid, cursor } = page;
  if (part > 2) return;
  eraseLine(page, part);
  const from = part === 0 ? cursor.row + 1 : 0;
  const to = part === 1 ? cursor.row : grid.rows;
  for (let row = from; row < to; row += 1) grid.erase({ row, column: 0, count: grid.columns }, cursor.pen);
}

function eraseLine({ grid, cursor }: Page, part: number): void {
  const from = part === 0 ? cursor.column : 0;
  const to = part === 1 ? cursor.column + 1 : grid.columns;
  if (part <= 2) grid.erase({ row: cursor.row, column: from, count: to - from }, cursor.pen);
}

function editLines(page: Page, edit: 'scrollUp' | 'scrollDown', n: number): void {
  const { grid, cursor, region } = page;
  if (cursor.row < region.top || cursor.row > region.bottom) return;
  grid[edit]({ top: cursor.row, bottom: region.bottom }, n, cursor.pen);
  moveTo(page, 0);
}

function selectRegion(page: Page, parameters: readonly string[]): void {
  const { rows } = page.grid;
  const top = Math.max(1, Number.parseInt(parameters[0] ?? '', 10) || 1) - 1;
  const bottom = Math.min(rows, Number.parseInt(parameters[1] ?? '', 10) || rows) - 1;
  if (top >= bottom) return;
  page.region = { top, bottom };
  page.cursor.row = page.cursor.isOrigin ? top : 0;
  moveTo(page, 0);
}

function moveTo(page: Page, column: number): void {
  page.cursor.column = column;
  page.cursor.isWrapping = false;
}

/** A cursor that waits for a new line is behind all stops. */
function tabForward(state: ScreenState, page: Page, n: number): void {
  if (!page.cursor.isWrapping) moveTo(page, nextTab(state, page.cursor.column, n));
}

function nextTab({ tabStops, main }: ScreenState, column: number, n: number): number {
  const last = main.grid.columns - 1;
  let at = column;
  for (let left = n; left > 0 && at < last; left -= 1) {
    at += 1;
    while (at < last && !tabStops.has(at)) at += 1;
  }
  return at;
}

function previousTab({ tabStops }: ScreenState, column: number, n: number): number {
  let at = column;
  for (let left = n; left > 0 && at > 0; left -= 1) {
    at -= 1;
    while (at > 0 && !tabStops.has(at)) at -= 1;
  }
  return at;
}

function clearTabs({ tabStops }: ScreenState, { cursor }: Page, part: number): void {
  if (part === 0) tabStops.delete(cursor.column);
  else if (part === 3) tabStops.clear();
}

/** The test picture of DEC's terminals. */
function fillWithE(page: Page): void {
  const { grid } = page;
  const pen = page.cursor.pen.select(['0']);
  for (let row = 0; row < grid.rows; row += 1)
    for (let column = 0; column < grid.columns; column += 1)
      grid.put(row, column, { text: 'E', pen, width: 1 });
  page.cursor.row = 0;
  moveTo(page, 0);
}

export const EDITS = { apply, fillWithE };
