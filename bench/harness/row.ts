import type { Measurement, Unit } from './measurement.ts';
import { medianInterval, type Spread, spreadOf } from './statistics.ts';

/** What a goal bounds: `p50 / baseline`, `p50 - baseline`, `p50`, or that in every round `p50` came before `baseline`. */
type GoalOf = 'ratio' | 'difference' | 'limit' | 'order';

type Range = readonly [min: number, max: number];

/** One result that is held against a goal. All figures are medians over the rounds of one run. */
export type Row = {
  readonly name: string;
  readonly p50: number;
  readonly unit: Unit;
  readonly baseline: number | null;
  /** `p50 / baseline`. */
  readonly ratio: number | null;
  /** `p50 - baseline`, in `unit`. */
  readonly difference: number | null;
  readonly goal: number | null;
  readonly goalOf: GoalOf | null;
  /** Null where there is no goal. */
  readonly holds: boolean | null;
  /** Lowest and highest round of each figure; the pairs are of one round. */
  readonly p50Range: Range;
  readonly baselineRange: Range | null;
  readonly ratioRange: Range | null;
  readonly differenceRange: Range | null;
  /** Where the ratio lies with 95 % confidence, by the ratios of the rounds; what two runs are compared by. */
  readonly ratioInterval: Range | null;
  readonly rounds: number;
};

/** Holds when `p50 / baseline` is at most `max`. */
export function ratioRow(name: string, measured: Measurement, baseline: Measurement, max: number): Row {
  const compared = compare(name, measured, baseline);
  return { ...compared, goal: max, goalOf: 'ratio', holds: compared.ratio <= max };
}

/** Holds when `p50 - baseline` is at most `max`, in the measurements' unit. */
export function differenceRow(name: string, measured: Measurement, baseline: Measurement, max: number): Row {
  const compared = compare(name, measured, baseline);
  return { ...compared, goal: max, goalOf: 'difference', holds: compared.difference <= max };
}

/** Holds when in every single round `before` came before `after`: an order is a promise, not a tendency. */
export function orderRow(name: string, before: Measurement, after: Measurement): Row {
  const compared = compare(name, before, after);
  return { ...compared, goal: 1, goalOf: 'order', holds: compared.ratioRange[1] < 1 };
}

/** Holds when `p50` itself is at most `max`, in the measurement's unit. */
export function limitRow(name: string, measured: Measurement, max: number): Row {
  return { ...reportRow(name, measured), goal: max, goalOf: 'limit', holds: measured.p50 <= max };
}

/** A figure that is only reported, beside another where there is one to set it against. */
export function reportRow(name: string, measured: Measurement, baseline?: Measurement): Row {
  const promise = { goal: null, goalOf: null, holds: null };
  if (baseline !== undefined) return { ...compare(name, measured, baseline), ...promise };
  return {
    name,
    p50: measured.p50,
    unit: measured.unit,
    baseline: null,
    ratio: null,
    difference: null,
    ...promise,
    p50Range: rangeOf(measured),
    baselineRange: null,
    ratioRange: null,
    differenceRange: null,
    ratioInterval: null,
    rounds: measured.perRound.length,
  };
}

function compare(name: string, measured: Measurement, baseline: Measurement) {
  if (measured.unit !== baseline.unit || measured.perRound.length !== baseline.perRound.length) {
    throw new RangeError(
      `${measured.name} and ${baseline.name} were not measured in the same rounds and unit`,
    );
  }
  const pairs = measured.perRound.map(
    (figure, round) => [figure, baseline.perRound[round] ?? Number.NaN] as const,
  );
  const ratio = measured.p50 / baseline.p50;
  const ratios = pairs.map(([figure, base]) => figure / base);
  const [low, high] = medianInterval(ratios);
  return {
    name,
    p50: measured.p50,
    unit: measured.unit,
    baseline: baseline.p50,
    ratio,
    difference: measured.p50 - baseline.p50,
    p50Range: rangeOf(measured),
    baselineRange: rangeOf(baseline),
    ratioRange: rangeOf(spreadOf(ratios)),
    differenceRange: rangeOf(spreadOf(pairs.map(([figure, base]) => figure - base))),
    ratioInterval: [Math.min(low, ratio), Math.max(high, ratio)] as const,
    rounds: pairs.length,
  };
}

function rangeOf({ min, max }: Spread): Range {
  return [min, max];
}
