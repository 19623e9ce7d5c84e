/**
 * What the turns that one turn began may use together. Of tokens and money the ledger knows by `root` and `rootSession`; time and cancellation
 * reach all of them through the signal of the one that began them.
 */
export interface TurnBudgetOptions {
  /** The turn that began it all. */
  readonly root: string;
  readonly rootSession: string;
  /** Steps with tools. */
  readonly iterations: number;
}

/** Steps that a turn and everything it spawned share. */
export class TurnBudget {
  readonly root: string;
  readonly rootSession: string;
  #left: number;

  constructor({ root, rootSession, iterations }: TurnBudgetOptions) {
    this.root = root;
    this.rootSession = rootSession;
    this.#left = iterations;
  }

  /** Steps with tools that are left for all of them. */
  get left(): number {
    return this.#left;
  }

  /** Takes one step; false where none is left. */
  take(): boolean {
    if (this.#left <= 0) return false;
    this.#left -= 1;
    return true;
  }
}
