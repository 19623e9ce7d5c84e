import { CommanderError } from 'commander';
import { type CommandContext, systemContext } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { buildProgram } from './program.ts';

/**
 * Runs one command line and returns its exit status (docs/reference/cli.md). Never throws: a coded error is printed with
 * its code and next step, anything else as `internal_error` with a stack only where FAIRLEAD_DEBUG is set.
 */
export async function main(
  args: readonly string[],
  options: { readonly cloneRoot: string; readonly context?: CommandContext },
): Promise<number> {
  const context = options.context ?? systemContext(options.cloneRoot);
  const result = { exitCode: exitCodes.done as number };
  const program = buildProgram(context, (code) => {
    result.exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return result.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const { printError } = await import('./error-output.ts');
    return printError(context, error);
  }
}
