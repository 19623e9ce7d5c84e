import { FairleadError } from '@fairlead/base';
import { lockFolder } from '@fairlead/store';
import { adminRequest, answersHealth } from '../admin-request.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { withProgress } from '../progress.ts';
import { readServerFile } from '../server-file.ts';
import { resolveStateDirectory } from '../state-directory.ts';

const stopBudgetMs = 10_000;
const pollMs = 100;

/** `fairlead stop`: asks the owner of the state directory to end, and waits until it has let go of it. */
export async function stop(context: CommandContext, flags: { readonly stateDir?: string }): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const server = await readServerFile(stateDirectory);
  if (server === null || !(await answersHealth(server.url))) {
    context.stdout('nothing runs on this state directory\n');
    return exitCodes.done;
  }
  await adminRequest({ url: server.url, stateDirectory, method: 'POST', path: '/api/admin/stop' });
  await withProgress(context, `waiting for process ${server.pid} to end`, () =>
    untilFree(context, stateDirectory),
  );
  context.stdout(`stopped ${server.url}\n`);
  return exitCodes.done;
}

/** The lock is let go last, so holding it means that the other process is done with the folder. */
async function untilFree(context: CommandContext, stateDirectory: string): Promise<void> {
  const endMs = context.clock.monotonicMs() + stopBudgetMs;
  while (context.clock.monotonicMs() < endMs) {
    const lock = await lockFolder(stateDirectory);
    if (lock !== null) {
      await lock[Symbol.asyncDispose]();
      return;
    }
    await new Promise<void>((resolve) => context.clock.setTimer(pollMs, resolve));
  }
  throw new FairleadError('stop_failed', 'the host did not stop in time');
}
