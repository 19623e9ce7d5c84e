import type { Firing, RunningCall } from '../carrier/carrier.ts';
import type { HookKind } from '../contracts/hook-kinds.ts';
import { isThenable } from '../guest/thenable.ts';
import type { Json } from '../json/json.ts';
import { Budget, type Budgeted, type BudgetWheel } from './budget-wheel.ts';
import type { HookTarget } from './hook-target.ts';

/** Why a handler gave nothing. */
export type Failure =
  | { readonly kind: 'threw'; readonly thrown: unknown }
  | { readonly kind: 'late' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'gone'; readonly reason: string };

/** What a series gathers, by its kind of hook. Each answer says whether the next handler is asked. */
export interface Fold<Result> {
  readonly name: HookKind;
  /** What the next handler is handed; frozen. */
  input: Json;
  /** Whether a handler is asked at all. */
  asks(target: HookTarget): boolean;
  /** A handler's answer, raw. One that says nothing is not handed in. */
  take(raw: unknown, target: HookTarget): boolean;
  fail(failure: Failure, target: HookTarget): boolean;
  result(): Result;
}

export interface SeriesOptions {
  readonly wheel: BudgetWheel;
  readonly budgetMs: number;
  readonly dispatchMs: number;
  readonly nextCall: () => number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs handlers one after another. It answers at once when all of them do; else with one promise for the whole firing, one budget
 * for the handler that runs and one for all of it. Both are nodes of the wheel, so a handler costs no timer.
 */
export function runSeries<Result>(
  targets: readonly HookTarget[],
  fold: Fold<Result>,
  options: SeriesOptions,
): Result | Promise<Result> {
  let firing = firingOf(fold, options);
  for (let index = 0; index < targets.length; index += 1) {
    const target = targets[index] as HookTarget;
    if (target.gates !== undefined && !fold.asks(target)) continue;
    if (target.gone !== undefined) {
      if (!fold.fail({ kind: 'gone', reason: target.gone }, target)) break;
      continue;
    }
    let raw: unknown;
    try {
      raw = target.endpoint.begin(firing, target.context);
    } catch (thrown) {
      firing.running?.['~end']();
      if (!fold.fail({ kind: 'threw', thrown }, target)) break;
      continue;
    }
    if (raw === undefined) firing.running?.['~end']();
    else if (isThenable(raw)) return new Series(targets, fold, options, index).wait(raw, firing, target);
    else {
      firing.running?.['~end']();
      if (!fold.take(raw, target)) break;
      if (firing.input !== fold.input) firing = firingOf(fold, options);
    }
  }
  return fold.result();
}

function firingOf(fold: Fold<unknown>, options: SeriesOptions): Firing {
  return {
    endpoint: 'hook',
    name: fold.name,
    input: fold.input,
    nextCall: options.nextCall,
    running: undefined,
  };
}

/** A series from its first handler that answered with a promise on. */
class Series<Result> implements Budgeted {
  readonly #targets: readonly HookTarget[];
  readonly #fold: Fold<Result>;
  readonly #options: SeriesOptions;
  readonly #handler = new Budget(this);
  readonly #whole = new Budget(this);
  #index: number;
  #target: HookTarget | undefined;
  #firing: Firing | undefined;
  #running: RunningCall | undefined;
  #onValue: (raw: unknown) => void = ignore;
  #onThrown: (thrown: unknown) => void = ignore;
  #cancel: (() => void) | undefined;
  #settle: (result: Result) => void = ignore;
  #reject: (thrown: unknown) => void = ignore;

  constructor(targets: readonly HookTarget[], fold: Fold<Result>, options: SeriesOptions, index: number) {
    this.#targets = targets;
    this.#fold = fold;
    this.#options = options;
    this.#index = index;
  }

  wait(raw: PromiseLike<unknown>, firing: Firing, target: HookTarget): Promise<Result> {
    const { wheel, dispatchMs, signal } = this.#options;
    return new Promise((settle, reject) => {
      this.#settle = settle;
      this.#reject = reject;
      this.#listen();
      wheel.arm(this.#whole, dispatchMs);
      this.#await(raw, firing, target);
      if (signal === undefined) return;
      this.#cancel = () => this.#abandon({ kind: 'cancelled' }, true);
      if (signal.aborted) this.#cancel();
      else signal.addEventListener('abort', this.#cancel, { once: true });
    });
  }

  expire(budget: Budget): void {
    this.#abandon({ kind: 'late' }, budget === this.#whole);
  }

  /** New listeners: what the old ones still hear is void. */
  #listen(): void {
    const onValue = (raw: unknown): void => {
      if (onValue === this.#onValue) this.#settled(raw);
    };
    const onThrown = (thrown: unknown): void => {
      if (onThrown === this.#onThrown) this.#threw(thrown);
    };
    this.#onValue = onValue;
    this.#onThrown = onThrown;
  }

  #await(raw: PromiseLike<unknown>, firing: Firing, target: HookTarget): void {
    this.#firing = firing;
    this.#running = firing.running;
    this.#target = target;
    if (!this.#handler.fresh) this.#options.wheel.arm(this.#handler, this.#options.budgetMs);
    // A foreign thenable may call back twice, or at once; a promise does neither.
    (raw instanceof Promise ? raw : Promise.resolve(raw)).then(this.#onValue, this.#onThrown);
  }

  #settled(raw: unknown): void {
    this.#running?.['~end']();
    try {
      this.#goOn(raw === undefined || this.#fold.take(raw, this.#target as HookTarget));
    } catch (failure) {
      this.#broken(failure);
    }
  }

  #threw(thrown: unknown): void {
    this.#running?.['~end']();
    try {
      this.#goOn(this.#fold.fail({ kind: 'threw', thrown }, this.#target as HookTarget));
    } catch (failure) {
      this.#broken(failure);
    }
  }

  /** The handler that runs is left: its context expires and its answer is void. */
  #abandon(failure: Failure, all: boolean): void {
    const target = this.#target as HookTarget;
    this.#running?.['~abort']();
    this.#running?.['~end']();
    this.#listen();
    try {
      this.#goOn(this.#fold.fail(failure, target) && !(all && this.#failRest(failure)));
    } catch (broken) {
      this.#broken(broken);
    }
  }

  /** Every handler that was not asked yet fails alike; answers that the series is over. */
  #failRest(failure: Failure): true {
    while (this.#index + 1 < this.#targets.length) {
      this.#index += 1;
      const target = this.#targets[this.#index] as HookTarget;
      if (target.gates !== undefined && !this.#fold.asks(target)) continue;
      if (!this.#fold.fail(failure, target)) break;
    }
    return true;
  }

  #goOn(proceeds: boolean): void {
    if (proceeds && !this.#next()) return;
    this.#end();
    this.#settle(this.#fold.result());
  }

  /** A fold, or a report, failed: never a handler. */
  #broken(failure: unknown): void {
    this.#end();
    this.#reject(failure);
  }

  /** Asks the next handlers; answers whether all have been asked. */
  #next(): boolean {
    const fold = this.#fold;
    let firing = this.#firing as Firing;
    for (this.#index += 1; this.#index < this.#targets.length; this.#index += 1) {
      const target = this.#targets[this.#index] as HookTarget;
      if (target.gates !== undefined && !fold.asks(target)) continue;
      if (target.gone !== undefined) {
        if (!fold.fail({ kind: 'gone', reason: target.gone }, target)) return true;
        continue;
      }
      if (firing.input !== fold.input) firing = firingOf(fold, this.#options);
      let raw: unknown;
      try {
        raw = target.endpoint.begin(firing, target.context);
      } catch (thrown) {
        firing.running?.['~end']();
        if (!fold.fail({ kind: 'threw', thrown }, target)) return true;
        continue;
      }
      if (raw !== undefined && isThenable(raw)) {
        this.#await(raw, firing, target);
        return false;
      }
      firing.running?.['~end']();
      if (raw !== undefined && !fold.take(raw, target)) return true;
    }
    return true;
  }

  #end(): void {
    const { wheel, signal } = this.#options;
    wheel.disarm(this.#handler);
    wheel.disarm(this.#whole);
    this.#onValue = ignore;
    this.#onThrown = ignore;
    if (this.#cancel !== undefined) signal?.removeEventListener('abort', this.#cancel);
  }
}

function ignore(): void {}
