import { delay } from '@fairlead/base';
import { lockFolder } from '@fairlead/store';
import { cliError } from '../../cli-error.ts';
import { adminRequest } from '../../client/admin-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { hostLimits } from '../../limits.ts';
import { withProgress } from '../../output/progress.ts';
import { awaitHost, findHost } from '../../owner/host-in-charge.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';

/** `fairlead stop`: asks the owner of the state directory to end, and waits until it has let go of it. */
export async function stop(context: CommandContext, flags: { readonly stateDir?: string }): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  let server = await findHost(context, stateDirectory);
  if (server === null && !(await isFree(stateDirectory))) {
    server = await awaitHost(context, stateDirectory);
    if (server === null) {
      throw cliError('stop_failed', {
        message: `The process that owns ${stateDirectory} does not answer.`,
      });
    }
  }
  if (server === null) {
    context.stdout(`nothing runs on ${stateDirectory}\n`);
    return exitCodes.done;
  }
  const { url, pid } = server;
  await adminRequest(context, { url, stateDirectory, method: 'POST', path: '/api/admin/stop' });
  await withProgress(context, `waiting for process ${pid} to end`, () => untilFree(context, stateDirectory));
  context.stdout(`stopped ${url}\n`);
  return exitCodes.done;
}

/** The lock is let go last, so holding it means that the other process is done with the folder. */
async function untilFree(context: CommandContext, stateDirectory: string): Promise<void> {
  const { clock } = context;
  const endMs = clock.monotonicMs() + hostLimits.stopMs;
  while (!(await isFree(stateDirectory))) {
    if (clock.monotonicMs() >= endMs) throw cliError('stop_failed');
    await delay(clock, hostLimits.holderPollMs);
  }
}

/** True when nobody owns the folder, or there is none. */
async function isFree(stateDirectory: string): Promise<boolean> {
  try {
    await using lock = await lockFolder(stateDirectory);
    return lock !== null;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'store_folder_missing') return true;
    throw error;
  }
}
