import type { Json } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withProgress } from '../output/progress.ts';
import { untilInterrupted } from '../process/until-interrupted.ts';
import { type Answer, sendOnce } from './api-client.ts';
import { findGateway, type GatewayFlags } from './find-gateway.ts';

/** The flags that every command shares which calls a tool of a gateway. */
export type NetworkFlags = GatewayFlags & { readonly json?: boolean };

/** An answer, or the loss of one, to a request that was sent. */
export type SentAnswer = Exclude<Answer, { readonly kind: 'unsent' }>;

/** One call of a tool. `label` says what is waited for. Throws `server_unreachable` where nothing was sent. */
export type ToolCaller = (
  call: { readonly tool: string; readonly params: Json },
  wait: { readonly label: string; readonly timeoutMs: number },
) => Promise<SentAnswer>;

/** Finds the server and the token, once for all requests of a command. Throws the codes of `findToken`. */
export async function connectTools(context: CommandContext, flags: NetworkFlags): Promise<ToolCaller> {
  const { clock } = context;
  const { serverUrl, token, proxy = null } = await findGateway(context, flags);
  return async (body, { label, timeoutMs }) => {
    const request = {
      clock,
      serverUrl,
      path: '/api/tools/call',
      method: 'POST',
      token,
      body,
      proxy,
      timeoutMs,
    } as const;
    const answer = await withProgress(context, `waiting for the answer to ${label}`, () =>
      untilInterrupted((signal) => sendOnce({ ...request, signal })),
    );
    if (answer.kind !== 'unsent') return answer;
    throw cliError('server_unreachable', { detail: { address: serverUrl, reason: answer.reason } });
  };
}
