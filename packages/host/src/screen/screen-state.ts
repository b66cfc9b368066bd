/** What a terminal is at one moment: two screens, a cursor for each, and modes. Changed by `screen.ts`, drawn by `render-screen.ts`. */
import type { TerminalSize } from '@omnigent/protocol';
import { createCursor } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { Grid } from './grid.ts';
import type { Region } from './grid.ts';

/** One of the two screens. */
export interface Page {
  readonly grid: Grid;
  cursor: Cursor;
  saved: Cursor;
  region: Region;
}

export interface ScreenState {
  main: Page;
  alternate: Page;
  isAlternate: boolean;
  /** Private modes (`CSI ? n h`) that are not as they are by default. */
  readonly modes: Map<number, boolean>;
  isInserting: boolean;
  /** A line feed also returns to the first column. */
  isNewLine: boolean;
  isKeypad: boolean;
  tabStops: Set<number>;
  title: string;
  /** Parameter of the cursor's shape; empty for the terminal's own. */
  cursorShape: string;
  /** The last character printed, for repetition. */
  lastCharacter: string;
}

/** An empty screen. */
export function createPage({ columns, rows }: TerminalSize): Page {
  return {
    grid: new Grid(columns, rows),
    cursor: createCursor(),
    saved: createCursor(),
    region: { top: 0, bottom: rows - 1 },
  };
}

/** A terminal as it is after it was switched on. */
export function createScreenState(size: TerminalSize): ScreenState {
  return {
    main: createPage(size),
    alternate: createPage(size),
    isAlternate: false,
    modes: new Map(),
    isInserting: false,
    isNewLine: false,
    isKeypad: false,
    tabStops: buildTabStops(size.columns),
    title: '',
    cursorShape: '',
    lastCharacter: '',
  };
}

/** Every eighth column. */
export function buildTabStops(columns: number, from = 0): Set<number> {
  const stops = new Set<number>();
  for (let column = Math.ceil((from + 1) / 8) * 8; column < columns; column += 8) stops.add(column);
  return stops;
}

/** Modes as they are by default, where that is on. */
const ON_BY_DEFAULT: ReadonlySet<number> = new Set([7, 25]);

export function isModeOn({ modes }: ScreenState, mode: number): boolean {
  return modes.get(mode) ?? ON_BY_DEFAULT.has(mode);
}

/** Switches a mode; one that is back at its default is forgotten. */
export function setMode({ modes }: ScreenState, mode: number, isOn: boolean): void {
  if (ON_BY_DEFAULT.has(mode) === isOn) modes.delete(mode);
  else modes.set(mode, isOn);
}
