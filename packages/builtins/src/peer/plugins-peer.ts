import type { Json } from '@fairlead/base';
import type { Certainty, JsonObject } from '@fairlead/extension';

/** Whose call asks: what `Caller` says. */
interface Asking {
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
}

/** How an invocation of a plugin ended, as the host's executor says it. */
export interface PluginEnd {
  readonly certainty: Certainty;
  readonly output?: JsonObject;
  /** The output is the plugin's own result: `{content, structuredContent?, isError?}`. */
  readonly isProviderResult?: true;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly recovery?: string;
    readonly detail?: Json;
  };
}

/** A pinned tool as a model is shown it. */
export interface PeerPinnedTool {
  readonly name: string;
  readonly description: string;
  /** Of the native plugin's profile: an object that does not say otherwise is open. */
  readonly inputSchema: JsonObject;
  readonly hints: { readonly destructiveHint?: boolean; readonly readOnlyHint?: boolean };
  /** What was seen and approved: a call names it, and nothing else is called. */
  readonly target: string;
  readonly timeoutSecs?: number;
}

/** Native plugins, through the host's one executor. `args` are the very ones that the tool was handed: the running call is found by them. */
export interface PluginsPeer {
  /** An action of `plugin_tool`. Rejects, with a code, only where nothing was sent. */
  invoke(caller: Asking, args: JsonObject): Promise<PluginEnd>;
  callPinned(
    caller: Asking,
    pin: { readonly name: string; readonly target: string },
    args: JsonObject,
  ): Promise<PluginEnd>;
  /** What an agent is shown, by its id. */
  pinned(agent: string): Promise<readonly PeerPinnedTool[]>;
  /** Calls `listener` whenever `pinned` may answer something else. Returns the way not to be called any more. */
  onChange(listener: () => void): () => void;
  /** Why pins are not shown, or cannot be called now. */
  notices(): readonly { readonly pin: string; readonly code: string; readonly reason: string }[];
}
