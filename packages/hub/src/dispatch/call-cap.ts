import type { Json } from '@fairlead/base';
import {
  type Ask,
  budgets,
  type CallRequest,
  carryCall,
  ExtensionError,
  extensionError,
  HOOK_CONTRACTS,
  hasValue,
} from '@fairlead/extension/runtime';
import type { CallFrame } from '../live/call-frame.ts';
import { methodsOf } from '../live/cap-providers.ts';

/**
 * Calls a cap for a call that runs: who provides it where that call happens, in the same session and for the same agent, within what is
 * left of the caller's budget, and cancelled with it. Rejects with `cap_unavailable`, `cap_failed`, `cap_timeout`, `call_cancelled`, or what
 * stopped the provider.
 */
export async function callCap(
  { alias, method, input }: Extract<Ask, { readonly op: 'cap.call' }>,
  caller: CallRequest,
  frame: CallFrame,
): Promise<Json> {
  const { world } = frame;
  const { engine } = world;
  const need = frame.caller.contributions.uses.find((use) => use.alias === alias);
  const provider = need === undefined ? undefined : world.providerOf(need);
  if (need === undefined || provider === undefined || !methodsOf(provider, need.kind).includes(method))
    throw extensionError('cap_unavailable', `${alias}.${method}`, { certainty: 'not_started' });
  const cell = world.cell(provider);
  const wait = world.refresh(cell);
  if (wait !== undefined) await wait;
  if (cell.gone !== undefined)
    throw extensionError('cap_unavailable', `${alias}: ${cell.gone}`, { certainty: 'not_started' });
  const nowMs = engine.clock.monotonicMs();
  const budgetMs = Math.min(budgets.capMs, leftOf(caller, frame, nowMs));
  const context = cell.begin(
    { deadlineMs: nowMs + budgetMs, onProgress: frame.onProgress },
    (caller.context.depth ?? 0) + 1,
  );
  const outcome = await carryCall(
    provider.instance.extension.carrier,
    {
      call: engine.nextCall(),
      instance: provider.instance.id,
      endpoint: 'cap',
      name: need.kind,
      method,
      input,
      context,
    },
    { wheel: engine.wheel, budgetMs, timeoutCode: 'cap_timeout', signal: caller.running?.['~signal'] },
  );
  if (hasValue(outcome)) return outcome.value;
  const { certainty, fault } = outcome;
  throw new ExtensionError(fault.code, fault.message, { certainty });
}

/** A hook's context outlives its firing, so what is left of a hook is at most its whole budget. */
function leftOf({ endpoint, name }: CallRequest, { deadlineMs }: CallFrame, nowMs: number): number {
  if (deadlineMs !== undefined) return Math.max(0, deadlineMs - nowMs);
  const kind = endpoint === 'hook' ? name : endpoint;
  return Object.hasOwn(HOOK_CONTRACTS, kind)
    ? HOOK_CONTRACTS[kind as keyof typeof HOOK_CONTRACTS].budgetMs
    : budgets.capMs;
}
