import { quantile, type Spread, spreadOf } from './statistics.ts';

export type Unit = 'µs' | 'ms' | 'MiB' | '1/s' | 'points';

/** One variant after all rounds: the figure of a round is the median of that round's samples. */
export type Measurement = Spread & {
  readonly name: string;
  readonly unit: Unit;
  /** One figure a round, in the order of the rounds, so that figures of one round can be set against each other. */
  readonly perRound: readonly number[];
  /** Over the samples of all rounds; null where a round has one sample or the figure was derived. */
  readonly p95: number | null;
  readonly p99: number | null;
  readonly samples: number;
};

/** What a variant's rounds come to. `rounds` holds each round's samples. */
export function measurementOf(name: string, unit: Unit, rounds: readonly (readonly number[])[]): Measurement {
  const perRound = rounds.map((samples) => spreadOf(samples).p50);
  const all = rounds.flat();
  const hasTail = all.length > rounds.length;
  return {
    name,
    unit,
    ...spreadOf(perRound),
    perRound,
    p95: hasTail ? quantile(all, 0.95) : null,
    p99: hasTail ? quantile(all, 0.99) : null,
    samples: all.length,
  };
}
