/** Rows of cells under each other, two blanks between; what follows the last filled cell is left out. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A moment for people, in UTC to the second. A foreign clock may say anything; what no calendar has is shown as it is. */
export function timeText(atMs: number): string {
  const date = new Date(atMs);
  return Number.isNaN(date.getTime()) ? `${atMs} ms` : date.toISOString().slice(0, 19).replace('T', ' ');
}

/** `1 entry`, `2 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
