/** Private modes: those that change the screen at once, and those that are only remembered for the next viewer. */
import type { TerminalSize } from '@omnigent/protocol';
import { createCursor, saveCursor } from './cursor.ts';
import { createPage, setMode } from './screen-state.ts';
import type { ScreenState } from './screen-state.ts';

/** Modes that a terminal keeps; others mean nothing for a screen. */
const KEPT: ReadonlySet<number> = new Set([
  1, 5, 7, 9, 12, 25, 45, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 2004, 2026, 2031,
]);

export interface ModeSelection {
  readonly parameters: readonly string[];
  readonly isOn: boolean;
}

/** Switches modes on or off. */
export function selectModes(
  state: ScreenState,
  size: TerminalSize,
  { parameters, isOn }: ModeSelection,
): void {
  for (const mode of parameters.map(Number)) {
    if (mode === 6) selectOrigin(state, isOn);
    else if (mode === 47 || mode === 1047 || mode === 1049) selectAlternate(state, size, { mode, isOn });
    else if (mode === 1048) keepCursor(state, isOn);
    else if (KEPT.has(mode)) setMode(state, mode, isOn);
  }
}

function selectOrigin(state: ScreenState, isOn: boolean): void {
  const page = state.isAlternate ? state.alternate : state.main;
  Object.assign(page.cursor, {
    isOrigin: isOn,
    row: isOn ? page.region.top : 0,
    column: 0,
    isWrapping: false,
  });
}

function keepCursor(state: ScreenState, isOn: boolean): void {
  const page = state.isAlternate ? state.alternate : state.main;
  if (isOn) page.saved = saveCursor(page.cursor);
  else page.cursor = saveCursor(page.saved);
}

/** The alternate screen: 1049 also keeps the cursor, and begins with an empty one. */
function selectAlternate(
  state: ScreenState,
  size: TerminalSize,
  { mode, isOn }: { readonly mode: number; readonly isOn: boolean },
): void {
  const { main, alternate } = state;
  if (mode === 1049 && !isOn && !state.isAlternate) main.cursor = saveCursor(main.saved);
  if (isOn === state.isAlternate) return;
  if (isOn) {
    if (mode === 1049) main.saved = saveCursor(main.cursor);
    const page = createPage(size);
    state.alternate = page;
    // Both screens share one cursor in all but name.
    page.cursor = { ...main.cursor };
    page.saved = createCursor();
    page.region = main.region;
  } else {
    main.cursor = mode === 1049 ? saveCursor(main.saved) : { ...alternate.cursor };
    main.region = alternate.region;
  }
  state.isAlternate = isOn;
}
