import type { Machine, Report } from './report.ts';
import { rounded } from './statistics.ts';

/** The ratios of one run that later runs are held against. It is committed. */
export type Baseline = {
  readonly version: string;
  readonly startedAt: string;
  readonly seed: number;
  readonly machine: Machine;
  readonly rows: readonly BaselineRow[];
};

export type BaselineRow = {
  readonly bench: string;
  readonly name: string;
  readonly ratio: number;
  /** Where the ratio lies with 95 % confidence. */
  readonly low: number;
  readonly high: number;
};

/** How many times its low end the high end of a kept ratio may be before it hides what becomes slower. */
const WIDE = 1.5;

export type Measured = Pick<
  Report,
  'version' | 'startedAt' | 'seed' | 'machine' | 'benches' | 'rows' | 'skipped' | 'failures'
>;

/**
 * The ratios of a run. Where only some benches ran, one failed, or some rows could not be measured, those of `kept` stay. An order
 * is no ratio: it holds or it does not.
 */
export function baselineOf(report: Measured, kept: Baseline | null): Baseline {
  const { version, startedAt, seed, machine } = report;
  const stays = ({ bench, name }: BaselineRow) =>
    !report.benches.includes(bench) ||
    report.failures.some((failure) => failure.bench === bench) ||
    report.skipped.some((row) => row.bench === bench && row.name === name);
  const rows = [...(kept?.rows.filter(stays) ?? []), ...ratiosOf(report)];
  return { version, startedAt, seed, machine, rows };
}

/** Kept ratios that say little: later ones would have to be far above them before that is seen. */
export function wideTexts({ rows }: Baseline): readonly string[] {
  return rows
    .filter(({ low, high }) => high > low * WIDE)
    .map((row) => `kept, and too wide to hold much against: ${row.bench}: ${row.name}: ${ratioText(row)}`);
}

/** What is kept and compared of a run. */
export function ratiosOf({ rows }: Measured): BaselineRow[] {
  return rows.flatMap((row) => ratioOf(row) ?? []);
}

/** What is kept and compared of a row, also of one whose goal bounds the difference; null where there is no ratio. */
export function ratioOf({
  bench,
  name,
  ratio,
  ratioInterval,
  goalOf,
}: Report['rows'][number]): BaselineRow | null {
  if (ratio === null || ratioInterval === null || goalOf === 'order') return null;
  const [low, high] = ratioInterval;
  return { bench, name, ratio: cut(ratio), low: cut(low), high: cut(high) };
}

/** Four digits: a file that is read by people and compared by Git. */
function cut(value: number): number {
  return Number(value.toPrecision(4));
}

/** A ratio with where it lies. */
export function ratioText({ ratio, low, high }: BaselineRow): string {
  return `${rounded(ratio)} [${rounded(low)}..${rounded(high)}]`;
}

/** Whether what decides how fast something is, as far as it is known, is the same. */
export function sameMachine(one: Machine, other: Machine): boolean {
  return one.cpu === other.cpu && one.cores === other.cores && one.platform === other.platform;
}
