/** One sample of a series. */
export type Point = { readonly atMs: number; readonly value: number };

/** Where a series goes, in its own unit a minute. */
export type Trend = {
  /** The median of the slopes between all pairs (Theil and Sen): a third of the points may be anything. */
  readonly slopePerMinute: number;
  /** Where the slope lies with 99 % confidence (Sen 1968); null where there are too few points to say. */
  readonly lowPerMinute: number | null;
  readonly highPerMinute: number | null;
  /** From the first point to the last. */
  readonly minutes: number;
  /** The middle of the values. */
  readonly level: number;
};

/** How the points of one stretch of time become one: its middle, or the floor to which a collector brings memory back. */
export type Reduction = 'median' | 'minimum';

/** Two-sided, of the normal distribution. */
const Z_99 = 2.576;
const MS_A_MINUTE = 60_000;

/**
 * One point for each of `count` equal stretches of time. Neighbouring samples of a process are alike, so that they must not count
 * as so many witnesses; stretches are less so.
 */
export function bucketed(points: readonly Point[], count: number, reduction: Reduction): Point[] {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return [...points];
  const width = (last.atMs - first.atMs) / count;
  const stretches = Array.from({ length: count }, (): Point[] => []);
  for (const point of points)
    stretches[Math.min(count - 1, Math.floor((point.atMs - first.atMs) / width))]?.push(point);
  return stretches
    .filter((stretch) => stretch.length > 0)
    .map((stretch) => {
      const values = stretch.map(({ value }) => value);
      const value = reduction === 'minimum' ? Math.min(...values) : middleOf(values);
      return { atMs: middleOf(stretch.map(({ atMs }) => atMs)), value };
    });
}

/** The trend of a series. Its points have different times. */
export function trendOf(points: readonly Point[]): Trend {
  const slopes: number[] = [];
  points.forEach((from, index) => {
    for (const to of points.slice(index + 1))
      if (to.atMs !== from.atMs) slopes.push(((to.value - from.value) * MS_A_MINUTE) / (to.atMs - from.atMs));
  });
  const minutes = ((points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0)) / MS_A_MINUTE;
  const level = points.length === 0 ? 0 : middleOf(points.map(({ value }) => value));
  if (slopes.length === 0)
    return { slopePerMinute: 0, lowPerMinute: null, highPerMinute: null, minutes, level };
  slopes.sort((one, other) => one - other);
  const n = points.length;
  // The variance of Kendall's S; without its correction for ties it is larger, and the band wider.
  const reach = Z_99 * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const below = Math.floor((slopes.length - reach) / 2);
  return {
    slopePerMinute: middleOf(slopes),
    lowPerMinute: below < 0 ? null : (slopes[below] ?? null),
    highPerMinute: below < 0 ? null : (slopes[slopes.length - 1 - below] ?? null),
    minutes,
    level,
  };
}

/** The median. NaN of nothing. */
export function middleOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2;
}
