import type { Marks } from '../text/marks.ts';
import { row, type StyledLine } from '../text/styled-line.ts';
import type { Block } from './block.ts';
import { answerText, blockRows, needsGap } from './block-rows.ts';

/** All blocks as rows, nothing left out; each block is broken into rows once for a width. */
export class WholeRows {
  #columns = 0;
  #rows = new WeakMap<Block, StyledLine[]>();

  of(
    blocks: readonly Block[],
    { columns, marks, words }: { readonly columns: number; readonly marks: Marks; readonly words: string },
  ): StyledLine[] {
    if (columns !== this.#columns) {
      this.#columns = columns;
      this.#rows = new WeakMap();
    }
    const look = { columns, marks, isWhole: true };
    const rows: StyledLine[] = [];
    let before: Block | undefined;
    for (const block of blocks) {
      // It is where printing began, and nothing that happened.
      if (block.kind === 'opened') continue;
      const own = this.#rows.get(block) ?? blockRows(block, look);
      this.#rows.set(block, own);
      if (needsGap(before, block)) rows.push(row(''));
      for (const line of own) rows.push(line);
      before = block;
    }
    return words === '' ? rows : [...rows, row(''), ...answerText(words, look, 'plain')];
  }
}
