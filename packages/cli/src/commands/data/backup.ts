import { join, resolve } from 'node:path';
import { backup, openPeer, openStore } from '@fairlead/store';
import { cliError } from '../../cli-error.ts';
import { adminRequest } from '../../client/admin-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { answerTimeoutMs } from '../../limits.ts';
import { withProgress } from '../../output/progress.ts';
import { jsonLine, safeLine } from '../../output/safe-text.ts';
import { awaitHost, findHost } from '../../owner/host-in-charge.ts';
import { nameFile } from '../../state/name-file.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { requireReadable, takeStateDirectory } from '../../state/state-folder.ts';
import { hasDatabase } from './data-files.ts';

/**
 * `fairlead backup DIR`: asks the process that owns the state directory; where none runs, takes the directory and copies it
 * itself. Throws `nothing_to_back_up`, `state_directory_in_use` where the owner does not answer, or a code of the store.
 */
export async function backUp(
  context: CommandContext,
  dir: string,
  flags: { readonly stateDir?: string; readonly json?: boolean },
): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const to = resolve(context.cwd, dir);
  await requireReadable(stateDirectory);
  await copy(context, stateDirectory, to);
  if (flags.json === true) context.stdout(jsonLine({ to, stateDirectory }));
  else {
    context.stdout(`${safeLine(to)}\n`);
    context.stderr('Keep it like a password: whoever has it can act as this peer.\n');
  }
  return exitCodes.done;
}

async function copy(context: CommandContext, stateDirectory: string, to: string): Promise<void> {
  const ask = (url: string) =>
    adminRequest(context, {
      url,
      stateDirectory,
      method: 'POST',
      path: '/api/admin/backup',
      body: { to },
      timeoutMs: answerTimeoutMs.backup,
    });
  const server = await findHost(context, stateDirectory);
  if (server !== null) return void (await ask(server.url));
  if (!(await hasDatabase(stateDirectory))) throw nothingIn(stateDirectory);
  await using lock = await takeStateDirectory(stateDirectory);
  if (lock === null) {
    const late = await awaitHost(context, stateDirectory);
    if (late !== null) return void (await ask(late.url));
    throw cliError('state_directory_in_use', {
      message: `Another process owns ${stateDirectory} and does not answer.`,
    });
  }
  const { clock, random } = context;
  const path = join(stateDirectory, 'fairlead.db');
  await using store = await nameFile(path, () => openStore({ path, clock }));
  // A folder that never had a peer gets its key now: without it the copy could not be put back.
  const peer = await openPeer({ store, stateDirectory, clock, random });
  await peer.close();
  await withProgress(context, 'copying the database', () => backup({ store, stateDirectory, to, clock }));
}

function nothingIn(stateDirectory: string) {
  return cliError('nothing_to_back_up', { message: `There is no database in ${stateDirectory}.` });
}
