import type { Clause } from '../clauses/clause.ts';
import type { Finding } from './findings.ts';

/** Which tools were called, and which were left alone because nobody said that calling them changes nothing. */
export type CalledTools = {
  readonly called: readonly string[];
  readonly notCalled: readonly string[];
  /** Calls that were asked for and that no Runner would make. */
  readonly notMade: readonly { readonly tool: string; readonly why: string }[];
};

/** One clause and what was found about it. */
export type ClauseReport = Clause & Finding;

/** What a run found. */
export type ConformanceReport = CalledTools & {
  readonly ok: true;
  /** True where no clause failed; advice is none. */
  readonly passed: boolean;
  readonly clauses: readonly ClauseReport[];
};
