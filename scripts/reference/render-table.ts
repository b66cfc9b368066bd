/** Markdown tables. */

/** Renders a table; cells may hold Markdown, only what would end a cell is escaped. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const renderRow = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [renderRow(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(renderRow)].join('\n');
}
