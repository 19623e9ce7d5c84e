import type { HookKind } from './hook-kinds.ts';

/** What a handler may do: `observe` nothing, or add text of its own · `modify` change what goes on · `gate` stop it. */
export type HookClass = 'observe' | 'modify' | 'gate';

/** What is fired over every extension of a live set: the six hooks, and the three caps that add text. */
export type FiredKind = HookKind | 'prompt' | 'tail' | 'status';

/** The written contract of one kind. */
export interface HookContract {
  readonly class: HookClass;
  /** Per handler; a whole dispatch has `budgets.dispatchMs`. */
  readonly budgetMs: number;
  /** Handlers run one after another, or all at once. Results are in the order of the handlers either way. */
  readonly order: 'series' | 'together';
  /** What becomes of a handler that throws, is late or answers garbage: it is left out, or the call is blocked. */
  readonly onFailure: 'left_out' | 'blocks';
}

const observe = (budgetMs: number, order: HookContract['order']): HookContract =>
  Object.freeze({ class: 'observe', budgetMs, order, onFailure: 'left_out' });

const modify: HookContract = Object.freeze({
  class: 'modify',
  budgetMs: 10_000,
  order: 'series',
  onFailure: 'left_out',
});

/**
 * Every kind with its contract; docs/reference/extension-api.md shows the same table. Text that is added to a prompt is asked
 * of all at once, because nobody sees another's; what may change what the next one sees runs in order.
 */
export const HOOK_CONTRACTS: Readonly<Record<FiredKind, HookContract>> = Object.freeze({
  before_agent_start: modify,
  prompt: observe(2000, 'together'),
  tail: observe(2000, 'together'),
  status: observe(2000, 'together'),
  tool_call: Object.freeze({ class: 'gate', budgetMs: 10_000, order: 'series', onFailure: 'blocks' }),
  tool_result: modify,
  agent_end: observe(10_000, 'series'),
  session_start: observe(10_000, 'series'),
  session_shutdown: observe(5000, 'series'),
});

/** Whether a gate judges a tool: a name, a prefix with `*`, and all where it says nothing. */
export function judges(gates: readonly string[] | undefined, tool: string): boolean {
  return (
    gates === undefined ||
    gates.some((gate) => (gate.endsWith('*') ? tool.startsWith(gate.slice(0, -1)) : gate === tool))
  );
}
