import type { Failure } from './judge.ts';
import type { SearchReport } from './search.ts';

/** What a worker is told. */
export type FuzzOrder = {
  /** URL of the module that exports `target`. */
  readonly module: string;
  readonly covers: readonly string[];
  readonly beacon: SharedArrayBuffer;
  readonly corpus: readonly Uint8Array[];
  readonly seed: number;
  /** The search ends at the first of the two. The time begins behind the corpus. */
  readonly budgetMs: number;
  readonly maxRuns: number;
  readonly isGuided: boolean;
  readonly maxFailures: number;
  /** Most bytes of a corpus that is to be kept; 0 for none. */
  readonly keepBytes: number;
  /** True: the corpus alone is run, without the target's own seeds. Nothing is counted, and nothing made smaller. */
  readonly isAlone: boolean;
};

/** What it answers at its end. `least` is the corpus that is to be kept. */
export type FuzzAnswer = Omit<SearchReport, 'kept'> & {
  readonly kept: number;
  readonly least: readonly Uint8Array[];
};

/**
 * What a worker says: each fault when it is found, since nobody knows whether it comes to its end, and then the answer, or the
 * error that kept it from one. A later fault of the same name takes the place of the one before.
 */
export type FuzzWord =
  | { readonly failure: Failure }
  | { readonly answer: FuzzAnswer }
  | { readonly error: Error };

/** What became of a target, the worker's own end included. */
export type FuzzResult = FuzzAnswer & {
  readonly failures: readonly Failure[];
  readonly ended: 'well' | 'hung' | 'memory' | 'crashed';
};
