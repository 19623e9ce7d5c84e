import type { ClauseFault } from '../clauses/clause-fault.ts';
import { type ClauseId, clauses } from '../clauses/clauses.ts';
import { keptLimits } from '../limits.ts';

/** What was expected and what was seen instead; the latter bounded and escaped. */
export type Evidence = { readonly expected: string; readonly seen: string };

/** What a run found about one clause. */
export type Finding = {
  readonly verdict: 'passed' | 'failed' | 'advice' | 'skipped';
  /** With `skipped`: why. */
  readonly reason?: string;
  /** With `failed` and `advice`: the first few faults. */
  readonly faults?: readonly Evidence[];
  /** … and how many there were. */
  readonly faultCount?: number;
};

type Entry = { passed: boolean; reason: string | null; faults: Evidence[]; faultCount: number };

/** Collects what the checks find. A fault outweighs a pass, a pass outweighs a reason to skip. */
export class Findings {
  readonly #entries = new Map<ClauseId, Entry>();

  pass(...ids: readonly ClauseId[]): void {
    for (const id of ids) this.#entry(id).passed = true;
  }

  fault({ clause, expected, seen }: ClauseFault): void {
    const entry = this.#entry(clause);
    entry.faultCount += 1;
    if (entry.faults.length < keptLimits.maxFaults) entry.faults.push({ expected, seen });
  }

  /** Says why clauses could not be looked at; the first reason stays. */
  skip(reason: string, ids: readonly ClauseId[]): void {
    for (const id of ids) this.#entry(id).reason ??= reason;
  }

  /** True where something is wrong that a plugin must do. */
  get failed(): boolean {
    return clauses.some(({ id, level }) => level === 'must' && this.#entry(id).faultCount > 0);
  }

  /** What is known about one clause. `otherwise`: why nothing was looked at, where nobody said. */
  of(id: ClauseId, otherwise: string): Finding {
    const { passed, reason, faults, faultCount } = this.#entry(id);
    if (faultCount > 0) {
      const must = clauses.some((clause) => clause.id === id && clause.level === 'must');
      return { verdict: must ? 'failed' : 'advice', faults, faultCount };
    }
    return passed ? { verdict: 'passed' } : { verdict: 'skipped', reason: reason ?? otherwise };
  }

  #entry(id: ClauseId): Entry {
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      entry = { passed: false, reason: null, faults: [], faultCount: 0 };
      this.#entries.set(id, entry);
    }
    return entry;
  }
}
