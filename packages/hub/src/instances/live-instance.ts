import type { ScopeKind } from '@fairlead/extension';
import type { Contributions } from '@fairlead/extension/runtime';
import type { Installed } from '../install/installed.ts';

/** An agent or a session that instances belong to. */
export interface ScopeOf {
  readonly kind: 'agent' | 'session';
  /** The root id of its database. */
  readonly key: string;
  /** For people. */
  readonly name: string;
}

/** What instances are kept by: an agent, a session, or the whole peer. */
export type InstanceScope = ScopeOf | 'global';

/** Something that an instance contributes and that was left out. */
export interface RefusedContribution {
  readonly code: 'hook_undeclared' | 'capability_not_declared' | 'name_reserved';
  readonly what: string;
}

/** One open instance, as a live set reads it. */
export interface LiveInstance {
  /** The host's name for it; unique among all instances of one hub. */
  readonly id: string;
  readonly extension: Installed;
  readonly kind: ScopeKind;
  /** The root id of the agent's or session's database; "" at global scope. */
  readonly key: string;
  /** Held against the manifest; another object after the instance said `changed`. */
  readonly contributions: Contributions;
  /** What it contributes beyond its manifest, and commands with a name of the host's: left out of `contributions`. */
  readonly refused: readonly RefusedContribution[];
  /** A getter: why it cannot be called now, undefined while it can. */
  readonly gone: string | undefined;
}
