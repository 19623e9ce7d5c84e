import { FairleadError, type JsonObject } from '@fairlead/base';
import { type Answer, sendOnce } from './api-client.ts';
import type { CommandContext } from './command-context.ts';
import { withProgress } from './progress.ts';
import { readServerFile } from './server-file.ts';
import { resolveStateDirectory } from './state-directory.ts';
import { findToken } from './token-source.ts';

/** The flags that every `fairlead plugin` command shares. */
export type NetworkFlags = {
  readonly stateDir?: string;
  readonly serverUrl?: string;
  readonly tokenFile?: string;
  readonly token?: string;
  readonly json?: boolean;
};

const defaultServerUrl = 'http://127.0.0.1:7420';

/** How long the command waits: above every budget of the gateway, so that the gateway's own answer comes first. */
const timeoutMsOf: Readonly<Record<string, number>> = {
  list: 15_000,
  describe: 15_000,
  call: 180_000,
  check: 135_000,
  reload: 135_000,
};

/** A connection for several requests of one command: the address and the token are found once. */
export type PluginToolCaller = (params: JsonObject) => Promise<Answer>;

/** Finds the server and the token. Throws the codes of `findToken`. */
export async function connectPluginTool(
  context: CommandContext,
  flags: NetworkFlags,
): Promise<PluginToolCaller> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const own = await readServerFile(stateDirectory);
  const serverUrl = flags.serverUrl ?? own?.url ?? defaultServerUrl;
  const token = await findToken({
    token: flags.token,
    tokenFile: flags.tokenFile,
    env: context.env,
    stateDirectory,
    operatorTokenAllowed: own !== null && sameAddress(serverUrl, own.url),
  });
  return async (params) => {
    const action = String(params['action']);
    const answer = await withProgress(context, `waiting for ${action}`, () =>
      sendOnce({
        serverUrl,
        path: '/api/tools/call',
        method: 'POST',
        token,
        body: { tool: 'plugin_tool', params },
        timeoutMs: timeoutMsOf[action] ?? 15_000,
      }),
    );
    if (answer.kind === 'unsent') {
      throw new FairleadError('server_unreachable', `no server answers at ${serverUrl}; nothing was sent`, {
        detail: { reason: answer.reason },
      });
    }
    return answer;
  };
}

function sameAddress(left: string, right: string): boolean {
  return URL.parse(left)?.origin === URL.parse(right)?.origin;
}
