import assert from 'node:assert/strict';

/** What a command prints by itself when a machine is slow. */
const PROGRESS = /^fairlead: .* …$/;

/**
 * Fails unless `actual` is what a page shows. In what is shown, `…` stands for any text within a line, and a line that is only
 * `…` for any number of lines.
 */
export function assertShown(actual: string, shown: string, where: string): void {
  const lines = actual
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => !PROGRESS.test(line));
  const printed = lines.join('\n').trimEnd();
  const pattern = shown
    .trimEnd()
    .split('\n')
    .map((line) => (line.trim() === '…' ? '(?:.*\\n)*?' : `${lineExpression(line.trimEnd())}\\n`))
    .join('');
  if (new RegExp(`^${pattern}$`).test(`${printed}\n`)) return;
  assert.fail(`${where}: the page shows\n${shown}\nand the command printed\n${printed}`);
}

function lineExpression(line: string): string {
  return line.split('…').map(escaped).join('.*');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
