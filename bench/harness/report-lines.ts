import type { Report } from './report.ts';

/**
 * A report as JSON Lines, to be kept and compared by Git: first the run, then a line for each row and each measurement. Figures
 * have six digits.
 */
export function linesOf({ rows, measurements, ...run }: Report): string {
  const lines = [
    { run },
    ...rows.map((row) => ({ row })),
    ...measurements.map((measurement) => ({ measurement })),
  ];
  return lines.map((line) => `${JSON.stringify(line, sixDigits)}\n`).join('');
}

/** The other way round. Throws a `SyntaxError` for what is no such document. */
export function reportOfLines(text: string): Report {
  let run: Omit<Report, 'rows' | 'measurements'> | undefined;
  const rows: Report['rows'][number][] = [];
  const measurements: Report['measurements'][number][] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const parsed = JSON.parse(line) as Line;
    if (parsed.run !== undefined) run = parsed.run;
    else if (parsed.row !== undefined) rows.push(parsed.row);
    else if (parsed.measurement !== undefined) measurements.push(parsed.measurement);
    else throw new SyntaxError(`no line of a report: ${line.slice(0, 80)}`);
  }
  if (run === undefined) throw new SyntaxError('a report without its run');
  return { ...run, rows, measurements };
}

type Line = {
  readonly run?: Omit<Report, 'rows' | 'measurements'>;
  readonly row?: Report['rows'][number];
  readonly measurement?: Report['measurements'][number];
};

function sixDigits(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}
