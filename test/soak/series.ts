import type { Reduction } from './trend.ts';

const MIB = 1024 * 1024;

/** One line of samples and what it may do. */
export type Series = {
  readonly name: string;
  readonly reduction: Reduction;
  /**
   * By how much it may rise while it is judged, however long that is: what a healthy process still does after it has warmed up. A
   * longer run finds a slower leak.
   */
  readonly allowance: number;
  readonly unit: 'bytes' | 'count';
};

/** What the operating system gave: it is taken in steps, fragments, and is given back late. It rises for minutes beside an even heap. */
const MEMORY = { reduction: 'minimum', allowance: 24 * MIB, unit: 'bytes' } as const;
/** What is left after a collection. Functions that are compiled late, and caches with a bound, still add to it. */
const HEAP = { reduction: 'minimum', allowance: MIB, unit: 'bytes' } as const;
const few = (allowance: number) => ({ reduction: 'median', allowance, unit: 'count' }) as const;

/** Of each process that lives through the whole run. */
const ofProcess = (process: string): readonly Series[] => [
  { name: `${process}.residentBytes`, ...MEMORY },
  { name: `${process}.anonymousBytes`, ...MEMORY },
  { name: `${process}.heapBytes`, ...HEAP },
  // A connection that is just open, a log that is just exchanged.
  { name: `${process}.descriptors`, ...few(3) },
  // Node's own threads come when they are first needed.
  { name: `${process}.threads`, ...few(2) },
];

/** Everything that is judged. A series of which there are no samples is left out. */
export const judgedSeries: readonly Series[] = [
  ...ofProcess('host'),
  ...ofProcess('runner'),
  ...ofProcess('mcp'),
  // What all of them started, plugins included; one that is just being replaced counts twice.
  { name: 'tree.processes', ...few(1) },
  // Bytes over those of each operation and row: they are kept on purpose, space of none is not.
  { name: 'database.bytesBeyondRows', reduction: 'minimum', allowance: 2 * MIB, unit: 'bytes' },
  // Rows that no action of the run explains, and rows that one should have left; bindings have a limit of their own.
  { name: 'database.unexplainedRows', ...few(16) },
  { name: 'database.missingRows', ...few(16) },
  // What extensions say of themselves in sessions that are in memory, those that were unloaded since among them.
  { name: 'database.statusRows', ...few(64) },
  // It is copied into the database at 4 MiB, and cut to 16.
  { name: 'database.logBytes', reduction: 'median', allowance: 5 * MIB, unit: 'bytes' },
  // Bytes over 16 for each action: a log says something of few of them.
  { name: 'log.bytesBeyondActions', reduction: 'minimum', allowance: MIB, unit: 'bytes' },
  { name: 'state.files', ...few(2) },
  { name: 'temporary.files', ...few(2) },
];
