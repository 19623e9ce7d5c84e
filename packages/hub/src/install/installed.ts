import type { Carrier, CompiledSchema, ExtensionRef, Manifest } from '@fairlead/extension/runtime';
import type { Tier } from './extension-source.ts';

/** Why nothing of a generation can be called any more: dead, replaced, unloaded. */
export interface Gone {
  /** A carrier's `extension_crashed` and the like, `extension_replaced`, `extension_unknown`. */
  readonly code: string;
  readonly reason: string;
}

/** One generation of one extension. It stays as it is; only `gone` turns, once. */
export interface Installed {
  readonly name: string;
  readonly ref: ExtensionRef;
  readonly tier: Tier;
  readonly builtin: boolean;
  /** The place in install order; a replaced or restarted extension keeps it. */
  readonly order: number;
  /** 1, 2 … of this extension. */
  readonly generation: number;
  readonly manifest: Manifest;
  readonly settings: CompiledSchema;
  readonly carrier: Carrier;
  /** A getter: undefined while it can be called. */
  readonly gone: Gone | undefined;
  /** A getter: what is not to be had of it while it can be called, as its carrier says. */
  readonly notice?: Gone | undefined;
}
