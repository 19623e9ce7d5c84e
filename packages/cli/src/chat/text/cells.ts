import stringWidth from 'string-width';
import { clustersOf } from './visible-text.ts';

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Cells that one character takes at most: terminals that do not know how to join draw its parts side by side. Never more than a line may be wrong by then.
 */
export function clusterCells(cluster: string): number {
  if (PLAIN.test(cluster)) return cluster.length;
  const joined = stringWidth(cluster);
  let apart = 0;
  for (const point of cluster) apart += stringWidth(point);
  return Math.max(joined, apart);
}

/** Cells that a visible text takes at most. */
export function cellsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let cells = 0;
  for (const cluster of clustersOf(text)) cells += clusterCells(cluster);
  return cells;
}

/** As much of a visible text as fits, with `…` where something is left out. */
export function clip(text: string, cells: number): string {
  if (cells <= 0) return '';
  if (cellsOf(text) <= cells) return text;
  let clipped = '';
  let taken = 1;
  for (const cluster of clustersOf(text)) {
    taken += clusterCells(cluster);
    if (taken > cells) break;
    clipped += cluster;
  }
  return `${clipped}…`;
}

/** Lines of at most `cells`, broken between words; the blanks at a break go. A word that is longer is broken where it must. */
export function wrapWords(text: string, cells: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(cells, 1)));
}

function wrapLine(line: string, cells: number): string[] {
  if (cellsOf(line) <= cells) return [line.trimEnd()];
  const lines: string[] = [];
  // What goes on stands below what it goes on from, behind the sign of a list.
  const hang = /^ *(?:[-*+•] |\d{1,3}[.)] )?/.exec(line)?.[0].length ?? 0;
  const indent = ' '.repeat(Math.min(hang, Math.floor(cells / 2)));
  let current = '';
  let taken = 0;
  for (const word of line.match(/ +|[^ ]+/g) ?? []) {
    const wide = cellsOf(word);
    if (taken + wide <= cells) {
      current += word;
      taken += wide;
      continue;
    }
    if (word.startsWith(' ')) {
      lines.push(current.trimEnd());
      current = indent;
      taken = indent.length;
      continue;
    }
    if (current.trim() !== '') {
      lines.push(current.trimEnd());
      current = indent;
      taken = indent.length;
    }
    const pieces = wrapHard(word, cells - taken, cells);
    for (const piece of pieces.slice(0, -1)) {
      lines.push(current + piece);
      current = '';
    }
    current += pieces[pieces.length - 1] ?? '';
    taken = cellsOf(current);
  }
  if (current.trim() !== '') lines.push(current.trimEnd());
  return lines;
}

/** Lines of at most `cells` that have every character of the text, blanks too. */
export function wrapExactly(text: string, cells: number): string[] {
  return text.split('\n').flatMap((line) => wrapHard(line, cells, cells));
}

function wrapHard(text: string, first: number, cells: number): string[] {
  const lines: string[] = [];
  let current = '';
  let taken = 0;
  let room = first;
  for (const cluster of clustersOf(text)) {
    const wide = clusterCells(cluster);
    if (taken + wide > room && (current !== '' || room < cells)) {
      lines.push(current);
      current = '';
      taken = 0;
      room = cells;
    }
    current += cluster;
    taken += wide;
  }
  lines.push(current);
  return lines;
}
