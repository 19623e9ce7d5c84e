import type { ChildSet } from './child-set.ts';

/** Where a run writes and what may stop it. */
export type BenchHost = {
  /** The tables. */
  readonly out: (text: string) => void;
  /** Progress, faults and what did not hold. */
  readonly err: (text: string) => void;
  readonly freshSeed: () => number;
  /** Aborts when the run is interrupted. */
  readonly signal: AbortSignal;
  /** Told of the processes of each bench, for an owner that must leave at once. */
  readonly onChildren?: (children: ChildSet) => void;
  /** Where the report goes unless `--json` names another file; nowhere where it is absent. */
  readonly latestFile?: string;
  /** The committed ratios. Where it is absent, or no such file is there, nothing is compared. */
  readonly baselineFile?: string;
  /** The page of the docs that `--write` makes, and its plots in a folder of the same name beside it. */
  readonly pageFile?: string;
  /** What is measured beside Fairlead: package.json, package-lock.json, and node_modules once it is installed. */
  readonly peersFolder?: string;
};
