import type { CallContext, HookEndpoint } from '../carrier/carrier.ts';
import type { FiredKind } from '../contracts/hook-contracts.ts';

/** One handler of a live set, in the order in which it is fired. */
export interface HookTarget {
  /** The extension's name: in reports, in a gate's reason. */
  readonly owner: string;
  readonly endpoint: HookEndpoint;
  /** What its calls are told; read at each firing, so it may be a getter. */
  readonly context: CallContext;
  /** For a gate: which tools it judges; absent is all. */
  readonly gates?: readonly string[];
  /** Why it cannot be called now. A gate then blocks what it judges; the others are left out. */
  readonly gone?: string | undefined;
}

/** What went wrong with one handler; the turn goes on. */
export interface HookReport {
  readonly owner: string;
  readonly kind: FiredKind;
  readonly code:
    | 'hook_failed'
    | 'hook_timeout'
    | 'verdict_invalid'
    | 'gate_unavailable'
    | 'tool_arguments_invalid';
  readonly reason: string;
}

/** What a firing may be given beside its event. */
export interface FireOptions {
  /** Cancels the turn: the handler that runs is left, gates block, the rest is left out. */
  readonly signal?: AbortSignal | undefined;
}
