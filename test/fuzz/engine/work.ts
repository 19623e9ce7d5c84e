import type { SearchReport } from './search.ts';

/** What a worker is told. */
export type FuzzOrder = {
  /** URL of the module that exports `target`. */
  readonly module: string;
  readonly covers: readonly string[];
  readonly beacon: SharedArrayBuffer;
  readonly corpus: readonly Uint8Array[];
  readonly seed: number;
  /** The search ends at the first of the two. */
  readonly budgetMs: number;
  readonly maxRuns: number;
  readonly isGuided: boolean;
  readonly maxFailures: number;
  /** Most bytes of a corpus that is to be kept; 0 for none. */
  readonly keepBytes: number;
  /** True: the corpus alone is run, and nothing is counted. */
  readonly isAlone: boolean;
};

/** What it answers. `least` is the corpus that is to be kept. */
export type FuzzAnswer = Omit<SearchReport, 'kept'> & {
  readonly kept: number;
  readonly least: readonly Uint8Array[];
};

/** What became of a target, the worker's own end included. */
export type FuzzResult = FuzzAnswer & { readonly ended: 'well' | 'hung' | 'memory' | 'crashed' };
