import { FairleadError, type Json, singleLine } from '@fairlead/base';
import type { CommandContext } from './command-context.ts';
import { nextStepOf } from './error-tables.ts';
import { exitCodes } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

/** Prints an error as people read it (what, code, next step) and returns the exit status that belongs to it. */
export function printError(context: CommandContext, error: unknown): number {
  if (!(error instanceof FairleadError)) {
    context.stderr('fairlead: something went wrong inside Fairlead (internal_error)\n');
    const told = context.env['FAIRLEAD_DEBUG'] !== undefined && error instanceof Error;
    context.stderr(
      told ? `${error.stack}\n` : '  next: run it again with FAIRLEAD_DEBUG=1 and report what it prints\n',
    );
    return exitCodes.failed;
  }
  context.stderr(`fairlead: ${singleLine(error.message)} (${error.code})\n`);
  for (const line of detailLines(error.detail)) context.stderr(`  ${line}\n`);
  const next = nextStepOf(error.code);
  if (next !== null) context.stderr(`  next: ${next}\n`);
  return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
}

/** `{address: "…"}` as `address: …`, a list joined with commas; anything deeper stays out of what people read. */
function detailLines(detail: Json | undefined): string[] {
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return [];
  return Object.entries(detail).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : typeof value === 'object' ? null : String(value);
    return text === null ? [] : [`${name.replaceAll('_', ' ')}: ${singleLine(text)}`];
  });
}
