/** Plain tables for people. */

/** A program in a sandbox chooses its own name, and must not write to this terminal with it. */
function toPrintable(cell: string): string {
  return cell.replaceAll(/\p{Cc}/gu, '?');
}

/** Rows under headings, columns aligned. */
export function renderTable(headings: readonly string[], cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(toPrintable));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [headings, ...rows].map((row) => `${line(row)}\n`).join('');
}

/** A duration in the largest unit that fits. */
export function renderAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
