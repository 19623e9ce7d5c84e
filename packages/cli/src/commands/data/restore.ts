import { resolve } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { restore } from '@fairlead/store';
import { cliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { withProgress } from '../../output/progress.ts';
import { jsonLine, safeLine } from '../../output/safe-text.ts';
import { takeFreeDirectory } from '../../owner/free-directory.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { requireReadable } from '../../state/state-folder.ts';

/**
 * `fairlead restore DIR`: puts a backup in place of the database. Throws `state_directory_in_use`, `restore_target_in_use`,
 * `restore_place_taken`, `backup_invalid`, or another code of the store; then nothing was changed.
 */
export async function restoreFrom(
  context: CommandContext,
  dir: string,
  flags: { readonly stateDir?: string; readonly json?: boolean; readonly replace?: boolean },
): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const from = resolve(context.cwd, dir);
  await requireReadable(stateDirectory);
  await using _lock = await takeFreeDirectory(context, stateDirectory);
  const { putAside } = await withProgress(context, 'copying the backup', () =>
    inFolder(stateDirectory, () =>
      restore({ from, stateDirectory, clock: context.clock, replace: flags.replace === true }),
    ),
  );
  if (flags.json === true) context.stdout(jsonLine({ from, stateDirectory, putAside }));
  else {
    context.stdout(`restored ${safeLine(stateDirectory)}\n`);
    if (putAside !== null) context.stdout(`what was there is in ${safeLine(putAside)}\n`);
    context.stderr(AFTERWARDS);
  }
  return exitCodes.done;
}

const AFTERWARDS = [
  'It is the same peer with the same rights. What it wrote after the backup comes back from peers that have it.',
  'Tokens are those of that time: one that was revoked since is valid again until you revoke it.\n',
].join('\n');

async function inFolder<T>(stateDirectory: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (cause instanceof FairleadError) throw cause;
    const { code } = cause as { readonly code?: unknown };
    throw cliError('state_directory_unwritable', {
      message: `The state directory ${stateDirectory} cannot be written.`,
      detail: typeof code === 'string' ? { reason: code } : {},
      cause,
    });
  }
}
