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

/**
 * Where the median of the figures' source lies, with at least 95 % confidence and whatever their distribution is: the ranks come
 * from the binomial distribution. Of fewer than six figures nothing better is known than the lowest and the highest.
 */
export function medianInterval(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = Float64Array.from(values).sort();
  // How probable it is that fewer than `rank` figures lie below the median; each does with one half.
  let term = 0.5 ** sorted.length;
  let below = 0;
  let rank = 0;
  while (below + term <= 0.025) {
    below += term;
    rank += 1;
    term *= (sorted.length - rank + 1) / rank;
  }
  const at = Math.max(0, rank - 1);
  const low = sorted[at];
  const high = sorted[sorted.length - 1 - at];
  if (low === undefined || high === undefined) throw new RangeError('no values, no interval');
  return [low, high];
}

/** Three significant digits below 100, whole numbers above: more would be noise. */
export function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
