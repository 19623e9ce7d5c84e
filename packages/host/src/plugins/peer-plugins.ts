import type { JsonObject } from '@fairlead/base';
import type { Invocation, Scope } from '@fairlead/dispatch';
import type { RunningCall } from '../calls/running-calls.ts';
import type { HostPlugins, PluginCaller } from './host-plugins.ts';
import type { PinNotice, PinnedTool } from './pin.ts';

/** What the built-in about plugins may do. `args` are the very ones that its tool was handed. */
export interface PeerPlugins<Caller> {
  /** An action of `plugin_tool`. Rejects where the call is over. */
  invoke(caller: Caller, args: JsonObject): Promise<Invocation>;
  /** Rejects where the call is over. */
  callPinned(
    caller: Caller,
    pin: { readonly name: string; readonly target: string },
    args: JsonObject,
  ): Promise<Invocation>;
  /** What an agent is shown, by its id. */
  pinned(agent: string): Promise<readonly PinnedTool[]>;
  onChange(listener: () => void): () => void;
  /** Why pins are not shown, or cannot be called now. */
  notices(): readonly PinNotice[];
}

/** No more: starting programs anew is never an agent's. */
const SCOPES: readonly Scope[] = ['plugin:inspect', 'plugin:invoke'];

export function peerPlugins<Caller>(
  plugins: HostPlugins,
  ports: {
    /** Rejects where the call is over. */
    readonly callOf: (caller: Caller, args: JsonObject) => RunningCall;
    readonly nameOf: (agent: string) => Promise<string | undefined>;
  },
): PeerPlugins<Caller> {
  const callerOf = (caller: Caller, args: JsonObject): PluginCaller => {
    const { call, place, isAddressed = false } = ports.callOf(caller, args);
    const { runners } = place.config;
    const principal = { id: place.principal, scopes: SCOPES };
    return { call, isAddressed, principal: runners === undefined ? principal : { ...principal, runners } };
  };
  return {
    invoke: async (caller, args) => await plugins.invoke(callerOf(caller, args), args),
    callPinned: async (caller, pin, args) => await plugins.callPinned(callerOf(caller, args), pin, args),
    async pinned(agent) {
      const name = await ports.nameOf(agent);
      return name === undefined ? [] : plugins.pinned(name);
    },
    onChange: (listener) => plugins.onChange(listener),
    notices: () => plugins.notices(),
  };
}
