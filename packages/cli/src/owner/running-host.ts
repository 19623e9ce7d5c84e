import type { Json } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import { type HostFlags, type HostRequest, hostAt, type ReachedHost } from '../client/ask-host.ts';
import type { CommandContext } from '../command-context.ts';
import { resolveStateDirectory } from '../state/state-directory.ts';
import { findHost } from './host-in-charge.ts';

/** The running host of the flags. Throws `host_not_running` where there is none. */
export async function runningHost(context: CommandContext, flags: HostFlags): Promise<ReachedHost> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const server = await findHost(context, stateDirectory);
  if (server === null) throw cliError('host_not_running', { detail: { state_directory: stateDirectory } });
  return hostAt(context, { url: server.url, stateDirectory });
}

/** Asks the running host one thing. Throws `host_not_running` where there is none. */
export async function askHost(
  context: CommandContext,
  flags: HostFlags,
  request: HostRequest,
): Promise<Json> {
  const { ask } = await runningHost(context, flags);
  return await ask(request);
}
