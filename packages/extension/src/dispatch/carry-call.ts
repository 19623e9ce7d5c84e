import { abortCall, type CallRequest, type Carrier, endCall } from '../carrier/carrier.ts';
import { thrownText } from '../contracts/text.ts';
import type { NormalOutput } from '../contracts/tool-output.ts';
import { type Certainty, type ExtensionErrorCode, extensionErrors } from '../errors.ts';
import { isJsonObject, type Json } from '../json/json.ts';
import { budgets, outputLimits } from '../limits.ts';
import { Budget, type Budgeted, type BudgetWheel } from './budget-wheel.ts';
import type { CallFault, CallOutcome } from './outcome.ts';

export interface CarryOptions {
  readonly wheel: BudgetWheel;
  /** After it the handler's signal is aborted; it may then say for one more second how it ended. */
  readonly budgetMs: number;
  /** What a passed budget is called. */
  readonly timeoutCode: ExtensionErrorCode;
  /** Cancels the call: as a passed budget does, as `call_cancelled`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Carries one call out under a budget and says how it ended, from evidence: what its carrier proves (not entered, answered,
 * thrown, gone), and for what was aborted whether it still said so itself. Never rejects; answers at once where the handler does.
 */
export function carryCall(
  carrier: Pick<Carrier, 'call'>,
  request: CallRequest,
  options: CarryOptions,
): CallOutcome<Json> | Promise<CallOutcome<Json>> {
  if (options.signal?.aborted === true)
    return faultOf('not_started', 'call_cancelled', extensionErrors.call_cancelled.message);
  let answer: Json | Promise<Json>;
  try {
    answer = carrier.call(request);
  } catch (thrown) {
    return outcomeOfThrown(thrown);
  }
  if (!(answer instanceof Promise)) return { certainty: 'completed', value: answer };
  return new Carried(request, options).wait(answer);
}

/** Carries a tool call out. Its budget is the tool's own. */
export function carryTool(
  carrier: Pick<Carrier, 'call'>,
  request: CallRequest,
  options: Pick<CarryOptions, 'wheel' | 'budgetMs' | 'signal'>,
): CallOutcome<NormalOutput> | Promise<CallOutcome<NormalOutput>> {
  // In the host's thread the guest runtime has given the answer its form; what came over a port was read by its carrier.
  return carryCall(carrier, request, { ...options, timeoutCode: 'tool_timeout' }) as
    | CallOutcome<NormalOutput>
    | Promise<CallOutcome<NormalOutput>>;
}

class Carried implements Budgeted {
  readonly #request: CallRequest;
  readonly #options: CarryOptions;
  readonly #budget = new Budget(this);
  #abortedBy: ExtensionErrorCode | undefined;
  #settle: ((outcome: CallOutcome<Json>) => void) | undefined;

  constructor(request: CallRequest, options: CarryOptions) {
    this.#request = request;
    this.#options = options;
  }

  wait(answer: Promise<Json>): Promise<CallOutcome<Json>> {
    const { wheel, budgetMs, signal } = this.#options;
    return new Promise((resolve) => {
      this.#settle = resolve;
      wheel.arm(this.#budget, budgetMs);
      signal?.addEventListener('abort', this.#cancel, { once: true });
      answer.then(
        (value) => this.#end({ certainty: 'completed', value }),
        (thrown: unknown) => this.#end(this.#outcomeOf(thrown)),
      );
    });
  }

  expire(): void {
    if (this.#abortedBy === undefined) this.#abort(this.#options.timeoutCode);
    else this.#end(faultOf('outcome_unknown', this.#abortedBy, extensionErrors[this.#abortedBy].message));
  }

  readonly #cancel = (): void => this.#abort('call_cancelled');

  #abort(code: ExtensionErrorCode): void {
    if (this.#abortedBy !== undefined) return;
    this.#abortedBy = code;
    abortCall(this.#request);
    this.#options.wheel.arm(this.#budget, budgets.settleMs);
  }

  #outcomeOf(thrown: unknown): CallFailure {
    const outcome = outcomeOfThrown(thrown);
    if (this.#abortedBy === undefined || outcome.certainty !== 'outcome_unknown') return outcome;
    // What was thrown because we aborted says nothing of its own, but for what it brings along.
    const { message } = extensionErrors[this.#abortedBy];
    return faultOf('outcome_unknown', this.#abortedBy, message, outcome.fault.detail);
  }

  #end(outcome: CallOutcome<Json>): void {
    if (this.#settle === undefined) return;
    const settle = this.#settle;
    this.#settle = undefined;
    const { wheel, signal } = this.#options;
    wheel.disarm(this.#budget);
    signal?.removeEventListener('abort', this.#cancel);
    endCall(this.#request);
    settle(outcome);
  }
}

type CallFailure = { readonly certainty: Certainty; readonly fault: CallFault };

function outcomeOfThrown(thrown: unknown): CallFailure {
  const code =
    thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
      ? thrown.code
      : 'tool_failed';
  const certainty = thrown instanceof Error && 'certainty' in thrown ? thrown.certainty : undefined;
  return faultOf(
    isCertainty(certainty) ? certainty : 'outcome_unknown',
    code,
    thrownText(thrown, outputLimits.maxFaultMessage * 2),
    thrown instanceof Error && 'detail' in thrown && isJsonObject(thrown.detail) ? thrown.detail : undefined,
  );
}

function isCertainty(value: unknown): value is Certainty {
  return value === 'not_started' || value === 'completed' || value === 'outcome_unknown';
}

function faultOf(
  certainty: Certainty,
  code: string,
  message: string,
  detail?: CallFault['detail'],
): CallFailure {
  return { certainty, fault: detail === undefined ? { code, message } : { code, message, detail } };
}
