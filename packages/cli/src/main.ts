import { CommanderError } from 'commander';
import { type CommandContext, systemContext } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { buildProgram } from './program.ts';

/**
 * Runs one command line and returns its exit status (docs/reference/cli.md). Never throws: a coded error is printed with
 * its code and next step, anything else as `internal_error` with a stack only where `FAIRLEAD_DEBUG` is set.
 */
export async function main(
  args: readonly string[],
  options: { readonly cloneRoot: string; readonly context?: CommandContext },
): Promise<number> {
  const context = options.context ?? systemContext(options.cloneRoot);
  if (options.context === undefined) explainUncaughtErrors(context);
  let exitCode: number = exitCodes.done;
  const program = buildProgram(context, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    return explain(context, error);
  }
}

async function explain(context: CommandContext, error: unknown): Promise<number> {
  const { printError } = await import('./output/error-output.ts');
  return printError(context, error);
}

/** An error that nobody awaits ends the process as it would without this, in the same words as any other. */
function explainUncaughtErrors(context: CommandContext): void {
  process.once('uncaughtException', (error) => {
    void explain(context, error).then((code) => process.exit(code));
  });
}
