import type { JsonObject } from '@fairlead/base';
import type { CommandContext } from '../command-context.ts';
import { answerTimeoutMs } from '../limits.ts';
import { connectTools, type NetworkFlags, type SentAnswer } from './tool-request.ts';

/** What `plugin_tool` does; its parameters are those of docs/reference/plugin-tool.md. */
export type PluginAction = 'list' | 'describe' | 'call' | 'check' | 'reload' | 'outcome';

/** One request to `plugin_tool`. Throws `server_unreachable` where nothing was sent. */
export type PluginToolCaller = (action: PluginAction, params: JsonObject) => Promise<SentAnswer>;

/** Finds the server and the token, once for all requests of a command. Throws the codes of `findToken`. */
export async function connectPluginTool(
  context: CommandContext,
  flags: NetworkFlags,
): Promise<PluginToolCaller> {
  const call = await connectTools(context, flags);
  return (action, params) =>
    call(
      { tool: 'plugin_tool', params: { action, ...params } },
      { label: action, timeoutMs: answerTimeoutMs[action] },
    );
}
