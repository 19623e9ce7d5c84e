import { type CountedTable, INVOCATION, type KeptRows } from './kept-rows.ts';

/** What came of everything that the load did. */
export class Tally {
  /** Actions that were carried out, by name. */
  readonly actions: Record<string, number> = {};
  /** Refusals and unknown outcomes that were to be expected, by code: a soak crashes plugins and cuts links. */
  readonly disturbances: Record<string, number> = {};
  /** What must not happen, once for each sentence. */
  readonly faults = new Map<string, number>();
  /** Rows that the database should have by now beyond those of the start, by table. */
  readonly kept: Partial<Record<CountedTable, number>> = {};
  /** Executions of `count`, by what the caller was told. */
  counted = { completed: 0, unknown: 0 };

  did(action: string): void {
    this.actions[action] = (this.actions[action] ?? 0) + 1;
  }

  keeps(rows: KeptRows): void {
    for (const [table, count] of Object.entries(rows) as [CountedTable, number][])
      this.kept[table] = (this.kept[table] ?? 0) + count;
  }

  /** The journal has a row of it; a client that loses its answer counts too. */
  invoked(): void {
    this.keeps(INVOCATION);
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
