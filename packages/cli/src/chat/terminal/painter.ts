import { cellsOf } from '../text/cells.ts';
import { rowCells, type Span, type Style, type StyledLine } from '../text/styled-line.ts';

/** Where the cursor stands in rows: behind `cells` cells of one of them. */
export type CursorPlace = { readonly row: number; readonly cells: number };

/** What a screen shows at its end, under everything that scrolled away, or in place of all of it (`isWhole`). */
export type Frame = {
  readonly rows: readonly StyledLine[];
  readonly cursor: CursorPlace;
  /** A screen of its own that leaves no trace, for reading back. */
  readonly isWhole: boolean;
};

const SGR: Readonly<Record<Style, string>> = {
  plain: '',
  bold: '1',
  dim: '2',
  accent: '36',
  good: '32',
  warn: '33',
  bad: '31',
  chosen: '7',
};

const BEGIN = '\u001b[?25l\u001b[?7l';
const END = '\u001b[0m\u001b[?7h\u001b[?25h';

/**
 * Draws frames: lines that are done scroll away as the lines of any program do, so that the terminal’s own scrollback has them; what is still
 * alive is drawn anew below. Rows never wrap by themselves, and the terminal itself remembers where the cursor stands, so that a character whose width it
 * sees differently spoils its own row alone.
 */
export class Painter {
  readonly #withColours: boolean;
  /** Cells of the rows that are alive, as they stand on the screen. */
  #alive: readonly number[] = [];
  #cursor: CursorPlace = { row: 0, cells: 0 };
  #isWhole = false;

  constructor({ withColours }: { readonly withColours: boolean }) {
    this.#withColours = withColours;
  }

  /** What to write so that `done` scrolls away and the frame stands at the end. */
  paint(done: readonly StyledLine[], frame: Frame, columns: number): string {
    if (frame.isWhole) return this.#paintWhole(frame);
    let out = BEGIN;
    if (this.#isWhole) {
      out += '\u001b[?1049l';
      this.#isWhole = false;
    }
    out += this.#clear(columns);
    for (const line of done) out += `${this.#line(line)}\r\n`;
    const below = frame.rows.length - 1;
    // The room first: what scrolls later would move the place that the terminal remembers.
    if (below > 0) out += `${'\r\n'.repeat(below)}\u001b[${below}A`;
    out += this.#rows(frame);
    this.#alive = frame.rows.map(rowCells);
    this.#cursor = frame.cursor;
    return out + END;
  }

  /** Leaves the screen to the shell, below what stands there; also from a screen of its own. */
  leave(columns: number): string {
    const back = this.#isWhole ? '\u001b[?1049l' : '';
    this.#isWhole = false;
    const cleared = this.#clear(columns);
    this.#alive = [];
    this.#cursor = { row: 0, cells: 0 };
    return `${BEGIN}${back}${cleared}${END}`;
  }

  /** Nothing of ours stands on the screen any more, which is empty. */
  forget(): string {
    this.#alive = [];
    this.#cursor = { row: 0, cells: 0 };
    return '\u001b[H\u001b[2J';
  }

  #paintWhole(frame: Frame): string {
    const enter = this.#isWhole ? '' : '\u001b[?1049h';
    this.#isWhole = true;
    // Every row clears what is left of itself, and there are as many as the screen has.
    return `${BEGIN}${enter}\u001b[H${this.#rows(frame)}${END}`;
  }

  /** A terminal that became narrower has broken rows in two: they count as it shows them. */
  #clear(columns: number): string {
    const width = Math.max(columns, 1);
    const above = this.#alive.slice(0, this.#cursor.row);
    const rows = above.reduce((sum, cells) => sum + Math.max(1, Math.ceil(cells / width)), 0);
    const up = rows + Math.floor(this.#cursor.cells / width);
    return `\r${up > 0 ? `\u001b[${up}A` : ''}\u001b[J`;
  }

  #rows({ rows, cursor }: Frame): string {
    const painted = rows.map((line, index) =>
      index === cursor.row ? this.#lineWithCursor(line, cursor.cells) : `${this.#line(line)}\u001b[K`,
    );
    return `${painted.join('\r\n')}\u001b8`;
  }

  #lineWithCursor(line: StyledLine, cells: number): string {
    let out = '';
    let taken = 0;
    let isPlaced = false;
    for (const each of line) {
      const wide = cellsOf(each.text);
      if (!isPlaced && taken + wide > cells && taken >= cells) {
        out += '\u001b7';
        isPlaced = true;
      }
      out += this.#span(each);
      taken += wide;
    }
    return isPlaced ? `${out}\u001b[K` : `${out}\u001b7\u001b[K`;
  }

  #line(line: StyledLine): string {
    return line.map((each) => this.#span(each)).join('');
  }

  #span({ text, style }: Span): string {
    const code = SGR[style];
    return code === '' || !this.#withColours ? text : `\u001b[${code}m${text}\u001b[0m`;
  }
}
