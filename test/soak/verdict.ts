import { judgedSeries, type Series } from './series.ts';
import { bucketed, middleOf, type Point, type Trend, trendOf } from './trend.ts';

/** One line of the file of samples: when, and the figure of each series. */
export type Sample = { readonly atMs: number; readonly values: Readonly<Record<string, number>> };

export type SeriesVerdict = {
  readonly series: string;
  readonly unit: Series['unit'];
  readonly allowance: number;
  readonly trend: Trend;
  /** How much it rose while it was judged, at the least, with 99 % confidence. */
  readonly roseAtLeast: number;
  /** Where it was when it began to be judged. */
  readonly startLevel: number;
  /** By how much its end lies over that, where its middle counts: a step, or a rise that began late, which the slope does not show. */
  readonly steppedBy: number | null;
  /** Unknown: there are too few samples to say. */
  readonly judgement: 'flat' | 'rises' | 'unknown';
};

/** What comes before is not judged: caches fill, code is compiled, heaps find their size. */
const WARM_UP_SHARE = 0.3;
const STRETCHES = 30;
/** Stretches that say where a series begins and where it ends: their median, so that one of them may be anything. */
const START_STRETCHES = 5;
const END_STRETCHES = 3;
/** How many allowances the end may lie over the start: a few stretches are less certain than the slope of all. */
const STEP_ALLOWANCES = 4;

/** Judges every series of which there are samples. It is not flat when it rose by more than it may, or ends higher by a multiple of that. */
export function judge(
  samples: readonly Sample[],
  judged: readonly Series[] = judgedSeries,
): readonly SeriesVerdict[] {
  const first = samples[0]?.atMs ?? 0;
  const last = samples.at(-1)?.atMs ?? 0;
  const from = first + (last - first) * WARM_UP_SHARE;
  const warm = samples.filter(({ atMs }) => atMs >= from);
  return judged.flatMap((series) => {
    const points = pointsOf(warm, series.name);
    return points.length === 0 ? [] : [verdictOf(series, points)];
  });
}

function verdictOf({ name, unit, allowance, reduction }: Series, points: readonly Point[]): SeriesVerdict {
  const stretches = bucketed(points, STRETCHES, reduction);
  const trend = trendOf(stretches);
  const roseAtLeast = Math.max(0, (trend.lowPerMinute ?? 0) * trend.minutes);
  const values = stretches.map(({ value }) => value);
  const startLevel = middleOf(values.slice(0, START_STRETCHES));
  const isSteady = reduction === 'median' && values.length >= START_STRETCHES + END_STRETCHES;
  const steppedBy = isSteady ? middleOf(values.slice(-END_STRETCHES)) - startLevel : null;
  const rises = roseAtLeast > allowance || (steppedBy ?? 0) > allowance * STEP_ALLOWANCES;
  const judgement = trend.lowPerMinute === null ? 'unknown' : rises ? 'rises' : 'flat';
  return { series: name, unit, allowance, trend, roseAtLeast, startLevel, steppedBy, judgement };
}

function pointsOf(samples: readonly Sample[], name: string): Point[] {
  return samples.flatMap(({ atMs, values }) => {
    const value = values[name];
    return value === undefined ? [] : [{ atMs, value }];
  });
}

/** 0 when nothing rises and nothing went wrong, else 1. What is unknown of a run that is long enough is a fault of its own. */
export function exitStatusOf(soaked: {
  readonly verdicts: readonly SeriesVerdict[];
  readonly faults: readonly string[];
}): 0 | 1 {
  return soaked.faults.length === 0 && soaked.verdicts.every(({ judgement }) => judgement !== 'rises')
    ? 0
    : 1;
}

/** One line for people. */
export function verdictText(verdict: SeriesVerdict): string {
  const { series, unit, allowance, trend, roseAtLeast, startLevel, steppedBy, judgement } = verdict;
  const text = (value: number) =>
    unit === 'bytes' ? `${(value / 1024 / 1024).toFixed(2)} MiB` : String(Number(value.toFixed(1)));
  const slope = `${trend.slopePerMinute < 0 ? '' : '+'}${text(trend.slopePerMinute)} a minute`;
  const line = `${series}: ${text(trend.level)}, ${slope}`;
  if (judgement === 'flat') return `flat   ${line}`;
  if (judgement === 'unknown') return `?      ${line}; too few samples to judge it`;
  return roseAtLeast > allowance
    ? `RISES  ${line}; at least ${text(roseAtLeast)} in ${trend.minutes.toFixed(1)} minutes, ${text(allowance)} allowed`
    : `RISES  ${line}; it began at ${text(startLevel)} and ended ${text(steppedBy ?? 0)} higher, ${text(allowance * STEP_ALLOWANCES)} allowed`;
}
