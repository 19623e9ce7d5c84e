/** What the turns that one turn began may use together: of tokens and money the ledger knows by `root` and `rootSession`. */
export interface TurnBudgetOptions {
  /** The turn that began it all. */
  readonly root: string;
  readonly rootSession: string;
  /** Steps with tools. */
  readonly iterations: number;
  /** By the monotonic clock; absent is none. */
  readonly deadlineMs?: number;
}

/** Steps and time that a turn and everything it spawned share. */
export class TurnBudget {
  readonly root: string;
  readonly rootSession: string;
  readonly deadlineMs: number | undefined;
  #left: number;

  constructor({ root, rootSession, iterations, deadlineMs }: TurnBudgetOptions) {
    this.root = root;
    this.rootSession = rootSession;
    this.deadlineMs = deadlineMs;
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
