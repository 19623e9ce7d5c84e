import { delay } from '@fairlead/base';
import { answersHealth } from '../client/health.ts';
import type { CommandContext } from '../command-context.ts';
import { hostLimits } from '../limits.ts';
import { withProgress } from '../output/progress.ts';
import { readServerFile, type ServerFile } from '../state/server-file.ts';

/** The process that owns a state directory, once it is ready and while it answers; else null. */
export async function findHost(context: CommandContext, stateDirectory: string): Promise<ServerFile | null> {
  const server = await readServerFile(stateDirectory);
  return server !== null && (await answersHealth(context.clock, server.url)) ? server : null;
}

/** The same for a directory that is known to have an owner, who may still be starting: waits for its address, 12 s at most. */
export function awaitHost(context: CommandContext, stateDirectory: string): Promise<ServerFile | null> {
  const { clock } = context;
  const endMs = clock.monotonicMs() + hostLimits.holderMs;
  return withProgress(
    context,
    'another process owns this state directory; waiting for its address',
    async () => {
      for (;;) {
        const server = await findHost(context, stateDirectory);
        if (server !== null || clock.monotonicMs() >= endMs) return server;
        await delay(clock, hostLimits.holderPollMs);
      }
    },
  );
}
