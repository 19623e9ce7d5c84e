import { cellsOf, clip } from './cells.ts';
import { visibleText } from './visible-text.ts';

/** How a piece of a line looks. Words carry what matters; a terminal without colours loses nothing. */
export type Style = 'plain' | 'bold' | 'dim' | 'accent' | 'good' | 'warn' | 'bad' | 'chosen';

/** A piece of a line. Its text is visible: `span` made it. */
export type Span = { readonly text: string; readonly style: Style };

/** One row of a screen. */
export type StyledLine = readonly Span[];

/** The one way to make a piece of a line: nothing that drives a terminal passes. */
export function span(text: string, style: Style = 'plain'): Span {
  return { text: visibleText(text).replaceAll('\n', ' '), style };
}

/** A row of one style. */
export function row(text: string, style: Style = 'plain'): StyledLine {
  return [span(text, style)];
}

/** Cells of a row. */
export function rowCells(line: StyledLine): number {
  return line.reduce((cells, { text }) => cells + cellsOf(text), 0);
}

/** The row with what does not fit left out. */
export function clipRow(line: StyledLine, cells: number): StyledLine {
  if (rowCells(line) <= cells) return line;
  const clipped: Span[] = [];
  let left = cells;
  for (const each of line) {
    const wide = cellsOf(each.text);
    if (wide >= left) {
      // Something is left out behind it in any case.
      clipped.push({
        text: wide === left ? clip(`${each.text} `, left) : clip(each.text, left),
        style: each.style,
      });
      break;
    }
    clipped.push(each);
    left -= wide;
  }
  return clipped;
}

/** The text alone. */
export function rowText(line: StyledLine): string {
  return line.map(({ text }) => text).join('');
}
