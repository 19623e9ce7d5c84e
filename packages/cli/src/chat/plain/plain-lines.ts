import type { CommandOutput } from '../../command-context.ts';
import { type Block, certaintyText, type Question, word } from '../model/block.ts';
import { visibleExactLine, visibleExactly, visibleLine, visibleText } from '../text/visible-text.ts';

/** A call that waits, whole, with the lines that decide it. */
export function questionLines({
  id,
  tool,
  extension,
  risk,
  facts,
  arguments: given,
  decisions,
}: Question): string {
  const about = [['risk', risk] as const, ...facts].map(
    ([label, text]) => `  ${label}: ${visibleExactLine(text)}\n`,
  );
  const ways = decisions.map((decision) => `/approvals ${decision} ${id}`);
  return (
    `fairlead: ${visibleExactLine(tool)} of ${visibleExactLine(extension)} wants to run\n${about.join('')}` +
    `${visibleExactly(given).replace(/^/gm, '  ')}\n  decide: ${ways.join(' | ')}\n`
  );
}

/** Tells what happened: an answer on stdout, all else on stderr; what somebody said, not at all. */
export function tellBlock({ stdout, stderr }: CommandOutput, block: Block): void {
  switch (block.kind) {
    case 'answer':
      if (block.isInterim) stderr(`fairlead: ${visibleText(block.text)}\n`);
      else if (block.text !== '') stdout(`${visibleText(block.text.replace(/\n+$/, ''))}\n`);
      return;
    case 'call':
      stderr(`fairlead: ${visibleLine(block.call.tool)}: ${visibleLine(certaintyText(block.call))}\n`);
      return;
    case 'fault':
      stderr(`fairlead: ${visibleText(block.text)} (${visibleLine(word(block.code))})\n`);
      return;
    case 'note':
      stderr(`fairlead: ${visibleText(block.text)}\n`);
      return;
    default:
  }
}
