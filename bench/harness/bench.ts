import type { ChildSet } from './child-set.ts';
import type { InterleaveOptions } from './interleave.ts';
import type { Measurement } from './measurement.ts';
import type { PeerPackages } from './peer-packages.ts';
import type { Row } from './row.ts';

/** What a bench is given. Everything it starts belongs to `children`, everything it writes to `folder`. */
export type BenchContext = {
  /** An empty folder of its own, removed after it. */
  readonly folder: string;
  readonly children: ChildSet;
  /** Chooses the arguments of calls. */
  readonly seed: number;
  /** Few rounds, to see that it works; its figures are noisy. */
  readonly quick: boolean;
  /** The folder of the programs that are measured beside Fairlead, or why they cannot be; installs them where need be. */
  readonly peers: () => Promise<PeerPackages>;
  /** Aborts when the run is interrupted. */
  readonly signal: AbortSignal;
  /** `rounds` of a full run, and of a quick one, which warms up once at most; the rest of what `interleave` needs. */
  plan(rounds: number, quickRounds: number, warmUpRounds: number): InterleaveOptions;
};

export type BenchResult = {
  readonly measurements: readonly Measurement[];
  readonly rows: readonly Row[];
  /** Rows that could not be measured here, by name, and why. */
  readonly skipped?: readonly SkippedRow[];
};

export type SkippedRow = { readonly name: string; readonly reason: string };

/** One benchmark. `name` is what `--only` takes. */
export type Bench = {
  readonly name: string;
  readonly title: string;
  run(context: BenchContext): Promise<BenchResult>;
};
