import type { JsonObject } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { answerTimeoutMs } from '../limits.ts';
import { withProgress } from '../output/progress.ts';
import { readServerFile } from '../state/server-file.ts';
import { resolveStateDirectory } from '../state/state-directory.ts';
import { type Answer, sendOnce } from './api-client.ts';
import { findToken } from './token-source.ts';

/** The flags that every `fairlead plugin` command shares. */
export type NetworkFlags = {
  readonly stateDir?: string;
  readonly serverUrl?: string;
  readonly tokenFile?: string;
  readonly token?: string;
  readonly json?: boolean;
};

/** What `plugin_tool` does; its parameters are those of docs/reference/plugin-tool.md. */
export type PluginAction = 'list' | 'describe' | 'call' | 'check' | 'reload';

/** One request to `plugin_tool`. Throws `server_unreachable` where nothing was sent. */
export type PluginToolCaller = (action: PluginAction, params: JsonObject) => Promise<SentAnswer>;

/** An answer, or the loss of one, to a request that was sent. */
export type SentAnswer = Exclude<Answer, { readonly kind: 'unsent' }>;

const defaultServerUrl = 'http://127.0.0.1:7420';

/** Finds the server and the token, once for all requests of a command. Throws the codes of `findToken`. */
export async function connectPluginTool(
  context: CommandContext,
  flags: NetworkFlags,
): Promise<PluginToolCaller> {
  const { clock, env, cwd } = context;
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const own = await readServerFile(stateDirectory);
  const serverUrl = flags.serverUrl ?? own?.url ?? defaultServerUrl;
  const token = await findToken({
    token: flags.token,
    tokenFile: flags.tokenFile,
    env,
    cwd,
    stateDirectory,
    operatorToken: own === null ? 'no_host' : isSameAddress(serverUrl, own.url) ? 'allowed' : 'other_address',
  });
  return async (action, params) => {
    const answer = await withProgress(context, `waiting for the answer to ${action}`, () =>
      sendOnce({
        clock,
        serverUrl,
        path: '/api/tools/call',
        method: 'POST',
        token,
        body: { tool: 'plugin_tool', params: { action, ...params } },
        timeoutMs: answerTimeoutMs[action],
      }),
    );
    if (answer.kind !== 'unsent') return answer;
    throw cliError('server_unreachable', { detail: { address: serverUrl, reason: answer.reason } });
  };
}

function isSameAddress(left: string, right: string): boolean {
  const origin = URL.parse(left)?.origin;
  return origin !== undefined && origin === URL.parse(right)?.origin;
}
