import { ToolFault } from '@fairlead/extension';
import { definerFor } from '@fairlead/extension/builtin';
import type { BuiltinPeer, Caller } from './builtin-peer.ts';

/** `defineExtension` for the host's own: `scope.peer` is a {@link BuiltinPeer}. */
export const defineBuiltin = definerFor<BuiltinPeer>();

/** Whose call a context belongs to. */
export function callerOf(
  ctx: {
    readonly session: { readonly id: string };
    /** Absent where a client calls in a session without an agent. */
    readonly agent?: { readonly id: string } | undefined;
  },
  tool: string,
): Caller {
  if (ctx.agent === undefined)
    throw new ToolFault('not_started', 'No agent takes part in this session that could do this.', {
      code: 'agent_required',
    });
  return { session: ctx.session.id, agent: ctx.agent.id, tool };
}
