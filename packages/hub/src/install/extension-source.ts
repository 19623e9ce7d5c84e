import type { Carrier, ExtensionRef, HostSide, Manifest } from '@fairlead/extension/runtime';

/** Where an extension's code runs, as entries of a session name it. */
export type Tier = 'in_process' | 'worker' | 'native' | 'mcp';

/** What a loader made of a ref: something that starts one generation of the extension after another. */
export interface ExtensionSource {
  /** Derived by the loader; `ref.name` is the name that it is installed under. */
  readonly ref: ExtensionRef;
  readonly tier: Tier;
  /** One of the host's own: an invalid one stops the start. */
  readonly builtin: boolean;
  /** What it said of itself when it was loaded: while no generation of it starts, its gate denies what this names. */
  readonly manifest?: Manifest;
  /**
   * Starts a generation: its manifest can be read, none of its instances is open. `onDeath` is told once, when nothing behind the
   * carrier can be called any more, unless its end was asked for. Rejects with an error that has a code.
   */
  start(host: HostSide, onDeath: () => void): Promise<Carrier>;
}
