import { type Command, CommanderError } from 'commander';
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
  let asked: string | undefined;
  const program = buildProgram(output, async (command) => {
    exitCode = await command(context ?? (await ownContext(cloneRoot, output)));
  });
  program.hook('preAction', (_program, command) => {
    asked = pathOf(command);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    return explain(explained, error, asked);
  }
}

/** `plugin call` for the command of that name: without the program's own. */
function pathOf(command: Command): string {
  const { parent } = command;
  if (parent === null) return '';
  const before = pathOf(parent);
  return before === '' ? command.name() : `${before} ${command.name()}`;
}

async function ownContext(cloneRoot: string, output: ReturnType<typeof standardOutput>) {
  const { systemContext } = await import('./process/system-context.ts');
  return systemContext(cloneRoot, output);
}

type Explained = Pick<CommandContext, 'env' | 'stderr'>;

async function explain(explained: Explained, error: unknown, command?: string): Promise<number> {
  const { printError } = await import('./output/error-output.ts');
  return printError(explained, error, command);
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
