import type { JsonObject } from '@fairlead/base';
import type { BindingBook, Executor, Observed, RunnerEvents } from '@fairlead/dispatch';

/** One tool of a plugin as it is now, or the code of why it cannot be seen. */
export type PinSeen =
  | { readonly ok: true; readonly definition: JsonObject; readonly observed: Observed }
  | { readonly ok: false; readonly code: string };

/** The way to plugins, from whoever has a gateway. */
export interface PluginPorts {
  readonly runners: RunnerEvents;
  /** Looks at one tool without asking the plugin. Never rejects. */
  see(pin: { readonly runner: string; readonly plugin: string; readonly tool: string }): Promise<PinSeen>;
  /** Calls `listener` after a Runner was told to start its plugins anew. Returns the way not to be called any more. */
  onReload(listener: (runner: string) => void): () => void;
  /** The one executor; `bindings`: over handles of one's own in place of everybody's. */
  executor(bindings?: BindingBook): Executor;
}
