import { join } from 'node:path';
import { reset } from '@fairlead/store';
import { cliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { isConfirmed } from '../../output/confirm.ts';
import { jsonLine, safeLine } from '../../output/safe-text.ts';
import { takeFreeDirectory } from '../../owner/free-directory.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { requireReadable } from '../../state/state-folder.ts';
import { hasDatabase, isThere, putAsideFolders } from './data-files.ts';

type ResetFlags = {
  readonly stateDir?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly forgetPeer?: boolean;
};

/**
 * `fairlead reset`: removes the database, once somebody has said so. Configuration, logs and workspaces stay, and the peer's key
 * too unless it is to be forgotten; what a restore put aside stays and is named, as it may be somebody's only copy. Throws `reset_unconfirmed`, `state_directory_in_use`.
 */
export async function resetData(context: CommandContext, flags: ResetFlags): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const forgetPeer = flags.forgetPeer === true;
  await requireReadable(stateDirectory);
  const isThereAny =
    (await hasDatabase(stateDirectory)) || (forgetPeer && (await isThere(join(stateDirectory, 'peer.key'))));
  if (!isThereAny) return await say(context, flags, { stateDirectory, removed: [] });
  await using _lock = await takeFreeDirectory(context, stateDirectory);
  const what = forgetPeer ? 'the database, this peer’s keys and all its rights' : 'the database';
  const question = `Remove ${what} in ${safeLine(stateDirectory)}? There is no way back without a backup.`;
  if (flags.yes !== true && !(await isConfirmed(context, question))) throw cliError('reset_unconfirmed');
  const removed = await reset({ stateDirectory, forgetPeer });
  return await say(context, flags, { stateDirectory, removed });
}

async function say(
  context: CommandContext,
  flags: ResetFlags,
  done: { readonly stateDirectory: string; readonly removed: readonly string[] },
): Promise<number> {
  const { stateDirectory, removed } = done;
  const kept = await putAsideFolders(stateDirectory);
  if (flags.json === true) context.stdout(jsonLine({ ...done, kept }));
  else if (removed.length === 0) context.stdout(`there is no database in ${safeLine(stateDirectory)}\n`);
  else context.stdout(`removed ${removed.join(', ')} from ${safeLine(stateDirectory)}\n`);
  for (const name of kept)
    context.stderr(`${safeLine(name)} still holds an earlier database; remove it by hand\n`);
  return exitCodes.done;
}
