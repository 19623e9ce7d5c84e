import type { Json } from '@fairlead/base';
import { safeLine } from './safe-text.ts';

/** A heading and rows in columns, as wide as their widest value. What is empty or null shows as a dash. */
export function table(headings: readonly string[], rows: readonly (readonly (Json | undefined)[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(cellText))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function cellText(value: Json | undefined): string {
  const text = value === null ? '' : safeLine(value);
  return text.trim() === '' ? '-' : text;
}
