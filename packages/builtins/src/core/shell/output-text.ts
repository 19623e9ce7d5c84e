import { shellLimits } from '../../limits.ts';
import type { BoundedOutput } from './bounded-output.ts';

/** How a command ended by itself. */
export type CommandExit = { readonly code: number } | { readonly signal: string };

/** Both outputs of a command within 10,000 bytes; stderr keeps its share where stdout would take all. Empty where it said nothing. */
export function printedText(stdout: BoundedOutput, stderr: BoundedOutput): string {
  const reserved = Math.min(stderr.bytes, shellLimits.stderrMinBytes);
  const forStdout = Math.min(stdout.bytes, shellLimits.outputMaxBytes - reserved);
  const parts: string[] = [];
  if (stdout.bytes > 0) parts.push(withoutLastNewline(stdout.text(forStdout)));
  if (stderr.bytes > 0)
    parts.push(`[stderr] ${withoutLastNewline(stderr.text(shellLimits.outputMaxBytes - forStdout))}`);
  return parts.join('\n');
}

/** What a model reads of a command that has ended. */
export function commandText(printed: string, exit: CommandExit, survivors: number): string {
  const parts = [printed === '' ? '[no output]' : printed];
  if ('signal' in exit) parts.push(`[ended by ${exit.signal}]`);
  else if (exit.code !== 0) parts.push(`[exit code ${exit.code}]`);
  if (survivors > 0) parts.push(`[${survivors} processes that it started could not be ended]`);
  return parts.join('\n');
}

function withoutLastNewline(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
