/** What came of everything that the load did. */
export class Tally {
  /** Actions that were carried out, by name. */
  readonly actions: Record<string, number> = {};
  /** Refusals and unknown outcomes that were to be expected, by code: a soak crashes plugins and cuts links. */
  readonly disturbances: Record<string, number> = {};
  /** What must not happen, once for each sentence. */
  readonly faults = new Map<string, number>();
  /** Invocations that the journal should have a row of; a client that loses an answer counts too. */
  invocations = 0;
  tokens = 0;
  /** Executions of `count`, by what the caller was told. */
  counted = { completed: 0, unknown: 0 };

  did(action: string): void {
    this.actions[action] = (this.actions[action] ?? 0) + 1;
  }

  disturbed(code: string): void {
    this.disturbances[code] = (this.disturbances[code] ?? 0) + 1;
  }

  fault(sentence: string): void {
    this.faults.set(sentence, (this.faults.get(sentence) ?? 0) + 1);
  }

  get total(): number {
    return Object.values(this.actions).reduce((sum, count) => sum + count, 0);
  }
}
