import type { JsonObject } from '@fairlead/base';
import { ToolFault } from '@fairlead/extension';
import { definerFor } from '@fairlead/extension/builtin';
import type { BuiltinPeer, Caller } from './builtin-peer.ts';

/** `defineExtension` for the host's own: `scope.peer` is a {@link BuiltinPeer}. */
export const defineBuiltin = definerFor<BuiltinPeer>();

/** Whose call a context belongs to. `args` are the very ones that the tool was handed: with them no other call of the same tool is meant. */
export function callerOf(
  ctx: {
    readonly session: { readonly id: string };
    /** Absent where a client calls in a session without an agent. */
    readonly agent?: { readonly id: string } | undefined;
  },
  tool: string,
  args?: object,
): Caller {
  if (ctx.agent === undefined)
    throw new ToolFault('not_started', 'No agent takes part in this session that could do this.', {
      code: 'agent_required',
    });
  const caller = { session: ctx.session.id, agent: ctx.agent.id, tool };
  return args === undefined ? caller : { ...caller, args: args as JsonObject };
}
