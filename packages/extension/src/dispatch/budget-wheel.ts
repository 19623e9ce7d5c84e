import type { Clock } from '../clock.ts';
import { WHEEL_TICK_MS } from '../limits.ts';

/** Whoever a budget belongs to. */
export interface Budgeted {
  /** Called once, when the budget of `budget` has passed. */
  expire(budget: Budget): void;
}

/** One budget: made once, armed and disarmed as often as its owner waits for something. */
export class Budget {
  readonly owner: Budgeted;
  /** The wheel's own. */
  ms = 0;
  deadlineMs = 0;
  order = 0;
  list: BudgetList | undefined;
  /** Armed, and not yet seen by a tick: arming it again would change nothing. */
  fresh = false;
  before: Budget | undefined;
  after: Budget | undefined;

  constructor(owner: Budgeted) {
    this.owner = owner;
  }
}

interface BudgetList {
  first: Budget | undefined;
}

/**
 * Budgets for any number of waits with one timer between them. Arming links a node and reads no clock: a tick later (20 ms)
 * the clock is read once for all that still wait, and only those get a deadline. So what answers soon costs two links. A budget
 * ends within its last tick, never after it by more than the event loop is late.
 */
export class BudgetWheel {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #fresh: BudgetList = { first: undefined };
  readonly #dated: BudgetList = { first: undefined };
  #tick: { cancel(): void } | undefined;
  #alarm: { cancel(): void } | undefined;
  #armed = 0;

  /** `tickMs` 0 reads the clock at each arming: exact, for clocks that stand still. */
  constructor(clock: Clock, tickMs = WHEEL_TICK_MS) {
    this.#clock = clock;
    this.#tickMs = tickMs;
  }

  arm(budget: Budget, ms: number): void {
    this.disarm(budget);
    budget.ms = ms;
    this.#armed += 1;
    budget.order = this.#armed;
    if (this.#tickMs === 0) {
      budget.deadlineMs = this.#clock.monotonicMs() + ms;
      link(this.#dated, budget);
      this.#setAlarm();
      return;
    }
    link(this.#fresh, budget);
    budget.fresh = true;
    this.#tick ??= this.#clock.setTimer(this.#tickMs, () => this.#date());
  }

  disarm(budget: Budget): void {
    const { list } = budget;
    if (list === undefined) return;
    unlink(list, budget);
    if (list === this.#dated && list.first === undefined) {
      this.#alarm?.cancel();
      this.#alarm = undefined;
    }
  }

  /** Forgets every budget and sets no timer of its own any more. */
  close(): void {
    this.#tick?.cancel();
    this.#alarm?.cancel();
    this.#tick = undefined;
    this.#alarm = undefined;
    for (const list of [this.#fresh, this.#dated]) while (list.first !== undefined) unlink(list, list.first);
  }

  /** What waits since the last tick gets its deadline. */
  #date(): void {
    this.#tick = undefined;
    let budget = this.#fresh.first;
    if (budget === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    while (budget !== undefined) {
      const next: Budget | undefined = budget.after;
      unlink(this.#fresh, budget);
      // It was armed at most one tick ago.
      budget.deadlineMs = nowMs + Math.max(0, budget.ms - this.#tickMs);
      link(this.#dated, budget);
      budget = next;
    }
    this.#setAlarm();
  }

  #setAlarm(): void {
    let earliest = Number.POSITIVE_INFINITY;
    for (let budget = this.#dated.first; budget !== undefined; budget = budget.after)
      earliest = Math.min(earliest, budget.deadlineMs);
    this.#alarm?.cancel();
    this.#alarm =
      earliest === Number.POSITIVE_INFINITY
        ? undefined
        : this.#clock.setTimer(Math.max(0, earliest - this.#clock.monotonicMs()), () => this.#expire());
  }

  #expire(): void {
    this.#alarm = undefined;
    const nowMs = this.#clock.monotonicMs();
    const due: Budget[] = [];
    for (let budget = this.#dated.first; budget !== undefined; budget = budget.after)
      if (budget.deadlineMs <= nowMs) due.push(budget);
    due.sort((left, right) => left.deadlineMs - right.deadlineMs || left.order - right.order);
    for (const budget of due) {
      // One that expires may disarm others, or arm them anew.
      if (budget.list !== this.#dated || budget.deadlineMs > nowMs) continue;
      unlink(this.#dated, budget);
      budget.owner.expire(budget);
    }
    if (this.#dated.first !== undefined) this.#setAlarm();
  }
}

function link(list: BudgetList, budget: Budget): void {
  budget.list = list;
  budget.before = undefined;
  budget.after = list.first;
  if (list.first !== undefined) list.first.before = budget;
  list.first = budget;
}

function unlink(list: BudgetList, budget: Budget): void {
  if (budget.before === undefined) list.first = budget.after;
  else budget.before.after = budget.after;
  if (budget.after !== undefined) budget.after.before = budget.before;
  budget.list = undefined;
  budget.before = undefined;
  budget.after = undefined;
  budget.fresh = false;
}
