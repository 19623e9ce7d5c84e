import type { Measurement } from './measurement.ts';
import type { Row } from './row.ts';
import { rounded } from './statistics.ts';

/** Lines of text with aligned columns: the first to the left, the others to the right. */
function tableOf(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  const format = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return `${[header, ...lines].map(format).join('\n')}\n`;
}

/** Every variant of one bench: its median over the rounds, and how far the rounds lay apart. */
export function measurementTable(measurements: readonly Measurement[]): string {
  return tableOf(
    ['variant', 'p50', 'unit', 'lowest..highest round', 'p95', 'p99', 'rounds', 'samples'],
    measurements.map((measured) => [
      measured.name,
      text(measured.p50),
      measured.unit,
      range([measured.min, measured.max]),
      text(measured.p95),
      text(measured.p99),
      String(measured.perRound.length),
      String(measured.samples),
    ]),
  );
}

/** What is held against a goal. */
export function rowTable(rows: readonly Row[]): string {
  return tableOf(
    ['result', 'p50', 'baseline', 'unit', 'ratio', 'difference', 'goal', 'holds'],
    rows.map((row) => [
      row.name,
      text(row.p50),
      text(row.baseline),
      row.unit,
      withRange(row.ratio, row.ratioRange),
      withRange(row.difference, row.differenceRange),
      goalText(row),
      row.holds === null ? '-' : row.holds ? 'yes' : 'NO',
    ]),
  );
}

/** A row's goal in words. */
export function goalText(row: Row): string {
  const goal = text(row.goal);
  switch (row.goalOf) {
    case 'ratio':
      return `ratio ≤ ${goal}`;
    case 'difference':
      return `difference ≤ ${goal} ${row.unit}`;
    case 'limit':
      return `p50 ≤ ${goal} ${row.unit}`;
    case 'order':
      return 'before, in every round';
    case null:
      return '-';
  }
}

function text(value: number | null): string {
  return value === null ? '-' : String(rounded(value));
}

function range([min, max]: readonly [number, number]): string {
  return `${rounded(min)}..${rounded(max)}`;
}

/** A run that was kept without its rounds has no ranges. */
function withRange(value: number | null, spread: readonly [number, number] | null | undefined): string {
  if (value === null) return '-';
  return spread === null || spread === undefined ? text(value) : `${text(value)} [${range(spread)}]`;
}
