import { CommanderError } from 'commander';
import type { CommandContext } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { standardOutput } from './process/standard-output.ts';
import { buildProgram } from './program.ts';

/**
 * Runs one command line and returns its exit status (docs/reference/cli.md). Never throws: a coded error is printed with
 * its code and next step, anything else as `internal_error` with a stack only where `FAIRLEAD_DEBUG` is set.
 */
export async function main(
  args: readonly string[],
  options: { readonly cloneRoot: string; readonly context?: CommandContext },
): Promise<number> {
  const { cloneRoot, context } = options;
  const output = context ?? standardOutput();
  const explained = { env: context?.env ?? process.env, stderr: output.stderr };
  if (context === undefined) explainUncaughtErrors(explained);
  let exitCode: number = exitCodes.done;
  const program = buildProgram(output, async (command) => {
    exitCode = await command(context ?? (await ownContext(cloneRoot, output)));
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    return explain(explained, error);
  }
}

async function ownContext(cloneRoot: string, output: ReturnType<typeof standardOutput>) {
  const { systemContext } = await import('./process/system-context.ts');
  return systemContext(cloneRoot, output);
}

type Explained = Pick<CommandContext, 'env' | 'stderr'>;

async function explain(explained: Explained, error: unknown): Promise<number> {
  const { printError } = await import('./output/error-output.ts');
  return printError(explained, error);
}

/** An error that nobody awaits ends the process as it would without this, in the same words as any other. */
function explainUncaughtErrors(explained: Explained): void {
  let isEnding = false;
  process.on('uncaughtException', (error) => {
    // What follows from the first one explains nothing.
    if (isEnding) return;
    isEnding = true;
    void explain(explained, error).then((code) => process.exit(code));
  });
}
