/** Measurements as a table for people. */
import type { Measurement } from './measure.ts';

const HEAD = ['benchmark', 'median', 'p90', 'mean', 'baseline', 'median', 'ratio', 'limit', ''];

/** Renders measurements as aligned columns. */
export function renderMeasurements(measurements: readonly Measurement[]): string {
  const rows = [HEAD, ...measurements.map((measurement) => toCells(measurement))];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function toCells(measurement: Measurement): string[] {
  const { title, unit, baseline, limit, subjectSummary, baselineSummary, ratio, holds } = measurement;
  const render = (value: number): string => `${value.toPrecision(3)} ${unit}`;
  return [
    title,
    render(subjectSummary.median),
    render(subjectSummary.p90),
    render(subjectSummary.mean),
    baseline,
    render(baselineSummary.median),
    ratio.toFixed(2),
    'atMost' in limit ? `≤ ${limit.atMost}` : `≥ ${limit.atLeast}`,
    holds ? 'holds' : 'BROKEN',
  ];
}
