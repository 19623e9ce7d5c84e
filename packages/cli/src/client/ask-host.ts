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

/** A host of this machine that answers. */
export type ReachedHost = { readonly url: string; readonly stateDirectory: string; readonly ask: AskHost };

/** The flags that say which host. */
export type HostFlags = { readonly stateDir?: string };

/** A host at an address, with the operator token of its state directory. */
export function hostAt(
  context: CommandContext,
  { url, stateDirectory }: { readonly url: string; readonly stateDirectory: string },
): ReachedHost {
  return {
    ...{ url, stateDirectory },
    ask: (request) => adminRequest(context, { url, stateDirectory, ...request }),
  };
}

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
