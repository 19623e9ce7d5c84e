/** The middle of some figures and how far they lie apart. */
export type Spread = { readonly p50: number; readonly min: number; readonly max: number };

/** The middle value; of an even number of values the mean of the middle two. Throws when there is none. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  const upper = sorted[half];
  if (upper === undefined) throw new RangeError('no values, no median');
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2;
}

/** The smallest value that at least `share` (0 to 1) of all values do not exceed. Throws when there is none. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const rank = Math.min(sorted.length, Math.max(1, Math.ceil(share * sorted.length)));
  const value = sorted[rank - 1];
  if (value === undefined) throw new RangeError('no values, no quantile');
  return value;
}

/** Median, lowest and highest of figures, one a round. */
export function spreadOf(values: readonly number[]): Spread {
  return { p50: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Three significant digits below 100, whole numbers above: more would be noise. */
export function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
