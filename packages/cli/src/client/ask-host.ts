import type { Json } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { findHost } from '../owner/host-in-charge.ts';
import { resolveStateDirectory } from '../state/state-directory.ts';
import { adminRequest } from './admin-request.ts';

/** One request to the host that runs on this machine. */
export type HostRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Json;
  /** Above what the work may take: the host's own answer comes first. */
  readonly timeoutMs?: number;
};

/** Asks one host, again and again. */
export type AskHost = (request: HostRequest) => Promise<Json>;

/** The running host of the flags. Throws `host_not_running` where there is none. */
export async function runningHost(
  context: CommandContext,
  flags: { readonly stateDir?: string },
): Promise<AskHost> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const server = await findHost(context, stateDirectory);
  if (server === null) throw cliError('host_not_running', { detail: { state_directory: stateDirectory } });
  const { url } = server;
  return (request) => adminRequest(context, { url, stateDirectory, ...request });
}

/** Asks the running host one thing. Throws `host_not_running` where there is none. */
export async function askHost(
  context: CommandContext,
  flags: { readonly stateDir?: string },
  request: HostRequest,
): Promise<Json> {
  const ask = await runningHost(context, flags);
  return await ask(request);
}
