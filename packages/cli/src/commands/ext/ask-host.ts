import type { Json } from '@fairlead/base';
import { cliError } from '../../cli-error.ts';
import { adminRequest } from '../../client/admin-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { findHost } from '../../owner/host-in-charge.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';

/** One request about extensions to the host that runs on this machine. */
export type ExtensionRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Behind `/api/admin/extensions`. */
  readonly path: string;
  readonly body?: Json;
  /** Above what a load may take: the host's own answer comes first. */
  readonly timeoutMs?: number;
};

/** Asks the running host. Throws `host_not_running` where there is none: extensions live in its process. */
export async function askHost(
  context: CommandContext,
  flags: { readonly stateDir?: string },
  request: ExtensionRequest,
): Promise<Json> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const server = await findHost(context, stateDirectory);
  if (server === null) throw cliError('host_not_running', { detail: { state_directory: stateDirectory } });
  const path = `/api/admin/extensions${request.path}`;
  return await adminRequest(context, { url: server.url, stateDirectory, ...request, path });
}
