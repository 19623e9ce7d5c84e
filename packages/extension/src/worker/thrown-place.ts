import { fileURLToPath } from 'node:url';
import { cutLine, thrownText } from '../contracts/text.ts';
import { outputLimits, workerLimits } from '../limits.ts';

/**
 * What was thrown while a module was loaded, as one line that is not trusted: what it says, and the first place in the
 * extension's own files, such as `at src/extension.ts:4:11`. Paths are relative to `folder` (a file URL that ends with a slash),
 * so that no path of the machine is told.
 */
export function loadFailureText(thrown: unknown, folder: string): string {
  const roots = [folder, fileURLToPath(folder)];
  let said = thrownText(thrown, workerLimits.stackLength);
  for (const root of roots) said = said.replaceAll(root, '');
  const text = cutLine(said, outputLimits.maxFaultMessage * 2);
  const place = placeIn(stackOf(thrown), roots);
  return place === undefined ? text : `${text} at ${place}`;
}

/** It may be anything, and reading it may throw. */
function stackOf(thrown: unknown): string {
  try {
    const stack: unknown = thrown instanceof Error ? thrown.stack : '';
    return typeof stack === 'string' ? stack.slice(0, workerLimits.stackLength) : '';
  } catch {
    return '';
  }
}

const PLACE = /^([^\n:()]{1,200}):(\d{1,7})(?::(\d{1,7}))?/;

function placeIn(stack: string, roots: readonly string[]): string | undefined {
  for (const line of stack.split('\n')) {
    for (const root of roots) {
      const start = line.indexOf(root);
      const found = start === -1 ? null : PLACE.exec(line.slice(start + root.length));
      const [, path = '', row = '', column = caretOf(stack, line)] = found ?? [];
      // Whose fault a dependency's own line is, the line that called it says better.
      if (path === '' || path.startsWith('node_modules/')) continue;
      return `${cutLine(decoded(path), outputLimits.maxFaultMessage)}:${row}${column === '' ? '' : `:${column}`}`;
    }
  }
  return undefined;
}

/** A syntax error begins with its file and line alone; the column stands below, as a mark under the text. */
function caretOf(stack: string, line: string): string {
  const lines = stack.split('\n', 5);
  const mark = lines[0] === line ? lines.find((text) => /^\s*\^+\s*$/.test(text)) : undefined;
  return mark === undefined ? '' : String(mark.indexOf('^') + 1);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
