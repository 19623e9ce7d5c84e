import type { FolderLock } from '@fairlead/store';
import { cliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { takeStateDirectory } from '../state/state-folder.ts';
import { findHost } from './host-in-charge.ts';

/**
 * Takes a state directory for what no host may see happen to it. Throws `state_directory_in_use`, with the address of the host
 * where it answers.
 */
export async function takeFreeDirectory(
  context: CommandContext,
  stateDirectory: string,
): Promise<FolderLock> {
  const lock = await takeStateDirectory(stateDirectory);
  if (lock !== null) return lock;
  const server = await findHost(context, stateDirectory);
  throw cliError('state_directory_in_use', {
    message: `Another process owns ${stateDirectory}; nothing was changed.`,
    ...(server === null ? {} : { detail: { address: server.url } }),
  });
}
