/** Size and kind of the command's own terminal. */
import type { TerminalSize } from '@omnigent/protocol';

const MAX_CELLS = 2000;
/** What programs expect when nobody knows. */
const UNKNOWN: TerminalSize = { columns: 80, rows: 24 };

/** The size now; 80 × 24 when standard output is no terminal. */
export function readTerminalSize(stdout: NodeJS.WriteStream): TerminalSize {
  const { columns, rows } = stdout;
  // A terminal whose size was never set says 0.
  if (!stdout.isTTY || !(columns > 0) || !(rows > 0)) return UNKNOWN;
  return { columns: Math.min(columns, MAX_CELLS), rows: Math.min(rows, MAX_CELLS) };
}

/** The kind of terminal, for the program's environment; what the caller sets by hand wins. */
export function buildTerminalEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  chosen: Readonly<Record<string, string>>,
): Record<string, string> {
  const term = environment['TERM'];
  return term === undefined || term === '' ? { ...chosen } : { TERM: term, ...chosen };
}
