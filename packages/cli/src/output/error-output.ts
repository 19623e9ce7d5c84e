import { FairleadError, type Json, singleLine } from '@fairlead/base';
import type { CommandContext } from '../command-context.ts';
import { nextStepOf } from '../error-tables.ts';
import { cliErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Prints an error as people read it (what, code, detail, next step) and returns the exit status that belongs to it. An
 * error without a code is `internal_error`; its stack is for us, so it is shown only where `FAIRLEAD_DEBUG` is set. `command`: what
 * was asked for, such as `plugin call`, whose help a usage error names.
 */
export async function printError(
  context: Pick<CommandContext, 'env' | 'stderr'>,
  error: unknown,
  command = 'COMMAND',
): Promise<number> {
  if (!(error instanceof FairleadError)) {
    const { message, next } = cliErrors.internal_error;
    context.stderr(`fairlead: ${message} (internal_error)\n`);
    const told = (context.env['FAIRLEAD_DEBUG'] ?? '') !== '';
    context.stderr(told ? `${error instanceof Error ? error.stack : String(error)}\n` : `  next: ${next}\n`);
    return exitCodes.failed;
  }
  context.stderr(`fairlead: ${singleLine(error.message)} (${singleLine(error.code)})\n`);
  const next = (await nextStepOf(error.code))?.replace('COMMAND --help', `${command} --help`) ?? null;
  for (const line of detailLines(error.detail, next === null ? [] : ['next'])) context.stderr(`  ${line}\n`);
  if (next !== null) context.stderr(`  next: ${next}\n`);
  return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
}

/** `{address: "…"}` as `address: …`, a list joined with commas; anything deeper stays out of what people read. */
function detailLines(detail: Json | undefined, left: readonly string[]): string[] {
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return [];
  return Object.entries(detail).flatMap(([name, value]) => {
    if (left.includes(name)) return [];
    const text = Array.isArray(value) ? value.join(', ') : typeof value === 'object' ? null : String(value);
    return text === null ? [] : [`${singleLine(name.replaceAll('_', ' '))}: ${singleLine(text)}`];
  });
}
