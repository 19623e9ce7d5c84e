import { judgedSeries, type Series } from './series.ts';
import { bucketed, type Point, type Trend, trendOf } from './trend.ts';

/** One line of the file of samples: when, and the figure of each series. */
export type Sample = { readonly atMs: number; readonly values: Readonly<Record<string, number>> };

export type SeriesVerdict = {
  readonly series: string;
  readonly unit: Series['unit'];
  readonly allowance: number;
  readonly trend: Trend;
  /** How much it rose while it was judged, at the least, with 99 % confidence. */
  readonly roseAtLeast: number;
  readonly isFlat: boolean;
};

/** What comes before is not judged: caches fill, code is compiled, heaps find their size. */
const WARM_UP_SHARE = 0.3;
const STRETCHES = 30;

/** Judges every series of which there are samples. It is not flat when it rose by more than it may, with 99 % confidence. */
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
  const trend = trendOf(bucketed(points, STRETCHES, reduction));
  const roseAtLeast = Math.max(0, (trend.lowPerMinute ?? 0) * trend.minutes);
  return { series: name, unit, allowance, trend, roseAtLeast, isFlat: roseAtLeast <= allowance };
}

function pointsOf(samples: readonly Sample[], name: string): Point[] {
  return samples.flatMap(({ atMs, values }) => {
    const value = values[name];
    return value === undefined ? [] : [{ atMs, value }];
  });
}

/** 0 when everything was flat and nothing went wrong, else 1. */
export function exitStatusOf(soaked: {
  readonly verdicts: readonly SeriesVerdict[];
  readonly faults: readonly string[];
}): 0 | 1 {
  return soaked.faults.length === 0 && soaked.verdicts.every(({ isFlat }) => isFlat) ? 0 : 1;
}

/** One line for people. */
export function verdictText({ series, unit, allowance, trend, roseAtLeast, isFlat }: SeriesVerdict): string {
  const text = (value: number) =>
    unit === 'bytes' ? `${(value / 1024 / 1024).toFixed(2)} MiB` : String(Number(value.toFixed(1)));
  const slope = `${trend.slopePerMinute < 0 ? '' : '+'}${text(trend.slopePerMinute)} a minute`;
  return isFlat
    ? `flat   ${series}: ${text(trend.level)}, ${slope}`
    : `RISES  ${series}: ${text(trend.level)}, ${slope}; at least ${text(roseAtLeast)} in ${trend.minutes.toFixed(1)} minutes, ${text(allowance)} allowed`;
}
