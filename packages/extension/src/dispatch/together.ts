import type { EndpointKind, Firing, RunningCall } from '../carrier/carrier.ts';
import { isThenable } from '../guest/thenable.ts';
import type { Json } from '../json/json.ts';
import { Budget, type Budgeted, type BudgetWheel } from './budget-wheel.ts';
import type { HookTarget } from './hook-target.ts';
import type { Failure } from './series.ts';

export interface TogetherOptions {
  readonly wheel: BudgetWheel;
  readonly budgetMs: number;
  readonly nextCall: () => number;
  readonly signal?: AbortSignal | undefined;
}

/** Hears the handlers, each by its place in the list. */
export interface Listener {
  take(raw: unknown, target: HookTarget, index: number): void;
  fail(failure: Failure, target: HookTarget): void;
}

/**
 * Asks all handlers at once. It is over when the last one has answered or passed its budget: at once where all answer at once,
 * else with one promise for all of them.
 */
export function runTogether(
  targets: readonly HookTarget[],
  endpoint: EndpointKind,
  input: Json,
  listener: Listener,
  options: TogetherOptions,
): void | Promise<void> {
  const waits: Wait[] = [];
  const firing: Firing = { endpoint, name: '', input, nextCall: options.nextCall, running: undefined };
  for (const [index, target] of targets.entries()) {
    if (target.gone !== undefined) continue;
    firing.running = undefined;
    let raw: unknown;
    try {
      raw = target.endpoint.begin(firing, target.context);
    } catch (thrown) {
      endBegun(firing);
      listener.fail({ kind: 'threw', thrown }, target);
      continue;
    }
    if (isThenable(raw)) waits.push(new Wait(raw, firing.running, target, index, listener, options));
    else {
      endBegun(firing);
      listener.take(raw, target, index);
    }
  }
  if (waits.length === 0) return;
  return allOf(waits, options);
}

/** Ends the call that was begun last, if there is one. */
function endBegun({ running }: Firing): void {
  running?.['~end']();
}

function allOf(waits: readonly Wait[], { signal }: TogetherOptions): Promise<void> {
  return new Promise((resolve) => {
    let left = waits.length;
    const cancel = () => {
      for (const wait of waits) wait.give({ kind: 'cancelled' });
    };
    signal?.addEventListener('abort', cancel, { once: true });
    for (const wait of waits) {
      wait.whenOver(() => {
        left -= 1;
        if (left > 0) return;
        signal?.removeEventListener('abort', cancel);
        resolve();
      });
    }
    if (signal?.aborted === true) cancel();
  });
}

/** One handler that answered with a promise. */
class Wait implements Budgeted {
  readonly #running: RunningCall | undefined;
  readonly #target: HookTarget;
  readonly #index: number;
  readonly #listener: Listener;
  readonly #wheel: BudgetWheel;
  readonly #budget = new Budget(this);
  #over = false;
  #told: () => void = () => {};

  constructor(
    raw: PromiseLike<unknown>,
    running: RunningCall | undefined,
    target: HookTarget,
    index: number,
    listener: Listener,
    options: TogetherOptions,
  ) {
    this.#running = running;
    this.#target = target;
    this.#index = index;
    this.#listener = listener;
    this.#wheel = options.wheel;
    this.#wheel.arm(this.#budget, options.budgetMs);
    Promise.resolve(raw).then(
      (value) => this.#end(() => this.#listener.take(value, this.#target, this.#index)),
      (thrown: unknown) => this.#end(() => this.#listener.fail({ kind: 'threw', thrown }, this.#target)),
    );
  }

  whenOver(told: () => void): void {
    this.#told = told;
  }

  expire(): void {
    this.give({ kind: 'late' });
  }

  /** Leaves the handler: its context expires and its answer is void. */
  give(failure: Failure): void {
    if (this.#over) return;
    this.#running?.['~abort']();
    this.#end(() => this.#listener.fail(failure, this.#target));
  }

  #end(tell: () => void): void {
    if (this.#over) return;
    this.#over = true;
    this.#wheel.disarm(this.#budget);
    this.#running?.['~end']();
    tell();
    this.#told();
  }
}
