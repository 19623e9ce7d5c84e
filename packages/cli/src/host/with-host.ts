import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import { type HostFlags, type HostRequest, hostAt, type ReachedHost } from '../client/ask-host.ts';
import type { CommandContext } from '../command-context.ts';
import { awaitHost, findHost } from '../owner/host-in-charge.ts';
import { resolveStateDirectory } from '../state/state-directory.ts';
import { takeStateDirectory } from '../state/state-folder.ts';

/**
 * Does something with the host that runs on a state directory; where none runs, with one of this command's own, for as long as that takes:
 * it listens on a free loopback port that stands in no file, has no Runner, and answers nothing that waits in sessions. Throws
 * `host_not_running` for a directory in which no host ever ran, `state_directory_in_use` where its owner does not answer.
 */
export async function withHost<T>(
  context: CommandContext,
  flags: HostFlags,
  step: (host: ReachedHost) => Promise<T>,
): Promise<T> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const server = await findHost(context, stateDirectory);
  if (server !== null) return await step(hostAt(context, { url: server.url, stateDirectory }));
  if (!existsSync(join(stateDirectory, 'fairlead.db')))
    throw cliError('host_not_running', { detail: { state_directory: stateDirectory } });
  await using lock = await takeStateDirectory(stateDirectory);
  if (lock === null) {
    const late = await awaitHost(context, stateDirectory);
    if (late !== null) return await step(hostAt(context, { url: late.url, stateDirectory }));
    throw cliError('state_directory_in_use', {
      message: `Another process owns ${stateDirectory} and does not answer.`,
    });
  }
  const { openOwnHost } = await import('./own-host.ts');
  await using own = await openOwnHost(context, stateDirectory);
  return await step(hostAt(context, { url: own.url, stateDirectory }));
}

/** One request in that way. */
export async function askAnyHost(
  context: CommandContext,
  flags: HostFlags,
  request: HostRequest,
): Promise<Json> {
  return await withHost(context, flags, ({ ask }) => ask(request));
}
