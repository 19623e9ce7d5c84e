import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { cliError } from '../cli-error.ts';
import { operatorTokenFile } from '../client/token-source.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonLine } from '../output/safe-text.ts';
import type { StartedWith } from '../state/server-file.ts';
import { awaitHost } from './host-in-charge.ts';

/**
 * What a second start says: the same `up` again prints the address and ends well; other flags, or `serve`, are refused with
 * the address. Throws `state_directory_in_use`.
 */
export async function answerForHeldDirectory(
  context: CommandContext,
  options: {
    readonly stateDirectory: string;
    readonly startedWith: StartedWith;
    readonly json: boolean;
  },
): Promise<number> {
  const { stateDirectory, startedWith, json } = options;
  const server = await awaitHost(context, stateDirectory);
  if (server === null) {
    throw cliError('state_directory_in_use', {
      message: `Another process owns ${stateDirectory} and does not answer.`,
    });
  }
  if (startedWith.command !== 'up' || !isDeepStrictEqual(server.startedWith, startedWith)) {
    throw cliError('state_directory_in_use', {
      message: `Another process owns ${stateDirectory}, and was not started as this one.`,
      detail: {
        address: server.url,
        started_as: commandLine(server.startedWith),
        this_one: commandLine(startedWith),
      },
    });
  }
  const { url, runner, pid } = server;
  const tokenFile = join(stateDirectory, operatorTokenFile);
  context.stdout(
    json
      ? jsonLine({ ready: true, url, tokenFile, runner, pid, already: true })
      : `Fairlead is already running at ${url} (process ${pid})\n  operator token  ${tokenFile}\n`,
  );
  return exitCodes.done;
}

/** The flags that make one start differ from another. */
function commandLine(started: StartedWith): string {
  const flags = Object.entries({
    '--bind': started.bind,
    '--port': started.port,
    '--allow-remote': started.allowRemote ? '' : null,
    '--config': started.config,
    '--runner-config': started.runnerConfig,
  }).filter(([, value]) => value !== null && value !== undefined);
  return [started.command, ...flags.map(([name, value]) => `${name} ${value}`.trim())].join(' ');
}
