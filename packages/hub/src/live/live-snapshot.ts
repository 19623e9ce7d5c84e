import type { FiredKind, Manifest } from '@fairlead/extension/runtime';
import type { RefusedContribution } from '../instances/live-instance.ts';
import type { HookList } from './hook-lists.ts';
import type { OwnedCommand, OwnedTool } from './live-tool.ts';
import type { Waiting } from './members.ts';
import type { Shadowed } from './name-table.ts';
import type { World } from './world.ts';

/** Something that an instance contributes and that was left out. */
export interface Refused extends RefusedContribution {
  readonly extension: string;
}

/** Why something that is installed has no part in a set: for whoever asks for a tool or command of it. */
export interface Absent {
  readonly manifest: Manifest;
  /** Tools of its living instances that are known only at run time, which no manifest names. */
  readonly moreTools: readonly string[];
  /** `off` in the session · `opted_out` by the agent, which hides no command · `waiting` for what `reason` says. */
  readonly why: 'off' | 'opted_out' | 'waiting';
  readonly reason: string;
}

/** Everything that is live for one session and, where there is one, one agent. Nothing in it changes but what its getters ask. */
export interface LiveSnapshot {
  /** Names what it was built from. */
  readonly version: string;
  /** Whether instances of the session or the agent take part: a lease then keeps them. */
  readonly isOwn: boolean;
  /** For everything but commands: what the session has on and the agent has not opted out of. */
  readonly turn: World;
  /** For commands: what the session has on. */
  readonly person: World;
  readonly tools: ReadonlyMap<string, OwnedTool>;
  readonly commands: ReadonlyMap<string, OwnedCommand>;
  readonly fired: Readonly<Record<FiredKind, HookList>>;
  readonly waiting: readonly Waiting[];
  shadowed(): readonly Shadowed[];
  refused(): readonly Refused[];
  /** Installed, and not in this set, or not with every instance. */
  absent(): readonly Absent[];
}
