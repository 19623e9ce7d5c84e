import type { JsonObject } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { answerTimeoutMs } from '../limits.ts';
import { withProgress } from '../output/progress.ts';
import { type Answer, sendOnce } from './api-client.ts';
import { findGateway, type GatewayFlags } from './find-gateway.ts';

/** The flags that every `fairlead plugin` command shares. */
export type NetworkFlags = GatewayFlags & { readonly json?: boolean };

/** What `plugin_tool` does; its parameters are those of docs/reference/plugin-tool.md. */
export type PluginAction = 'list' | 'describe' | 'call' | 'check' | 'reload';

/** One request to `plugin_tool`. Throws `server_unreachable` where nothing was sent. */
export type PluginToolCaller = (action: PluginAction, params: JsonObject) => Promise<SentAnswer>;

/** An answer, or the loss of one, to a request that was sent. */
export type SentAnswer = Exclude<Answer, { readonly kind: 'unsent' }>;

/** Finds the server and the token, once for all requests of a command. Throws the codes of `findToken`. */
export async function connectPluginTool(
  context: CommandContext,
  flags: NetworkFlags,
): Promise<PluginToolCaller> {
  const { clock } = context;
  const { serverUrl, token } = await findGateway(context, flags);
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
