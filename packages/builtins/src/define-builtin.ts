import { definerFor } from '@fairlead/extension/builtin';
import type { BuiltinPeer, Caller } from './builtin-peer.ts';

/** `defineExtension` for the host's own: `scope.peer` is a {@link BuiltinPeer}. */
export const defineBuiltin = definerFor<BuiltinPeer>();

/** Whose call a context belongs to. */
export function callerOf(
  ctx: { readonly session: { readonly id: string }; readonly agent: { readonly id: string } },
  tool: string,
): Caller {
  return { session: ctx.session.id, agent: ctx.agent.id, tool };
}
