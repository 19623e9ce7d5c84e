import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Clock, FairleadError } from '@fairlead/base';
import { answersHealth } from '../admin-request.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { withProgress } from '../progress.ts';
import { readServerFile, type ServerFile, type StartedWith } from '../server-file.ts';
import { operatorTokenFile } from '../token-source.ts';

/** A start takes this long at most before it is ready; a second start waits that long for the first. */
const holderBudgetMs = 12_000;
const pollMs = 100;

/**
 * What a second start says: the same `up` again prints the address and ends well; other flags, or `serve`, are refused with
 * the address. Throws `state_directory_in_use`.
 */
export async function answerForHeldDirectory(options: {
  readonly context: CommandContext;
  readonly stateDirectory: string;
  readonly startedWith: StartedWith;
  readonly json: boolean;
}): Promise<number> {
  const { context, stateDirectory, startedWith, json } = options;
  const server = await withProgress(
    context,
    'another process owns this state directory; waiting for its address',
    () => waitForHolder(context.clock, stateDirectory),
  );
  if (server === null) {
    throw new FairleadError(
      'state_directory_in_use',
      `another process owns ${stateDirectory} and does not answer`,
    );
  }
  if (startedWith.command !== 'up' || !isDeepStrictEqual(server.startedWith, startedWith)) {
    throw new FairleadError('state_directory_in_use', `another process owns ${stateDirectory}`, {
      detail: { address: server.url, started_as: server.startedWith?.command ?? 'unknown' },
    });
  }
  const { url, runner, pid } = server;
  const tokenFile = join(stateDirectory, operatorTokenFile);
  context.stdout(
    json
      ? `${JSON.stringify({ ready: true, url, tokenFile, runner, pid, already: true })}\n`
      : `Fairlead is already running at ${url} (process ${pid})\n  operator token  ${tokenFile}\n`,
  );
  return exitCodes.done;
}

async function waitForHolder(clock: Clock, stateDirectory: string): Promise<ServerFile | null> {
  const endMs = clock.monotonicMs() + holderBudgetMs;
  while (clock.monotonicMs() < endMs) {
    const server = await readServerFile(stateDirectory);
    if (server !== null && (await answersHealth(server.url))) return server;
    await new Promise<void>((resolve) => clock.setTimer(pollMs, resolve));
  }
  return null;
}
