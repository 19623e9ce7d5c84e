import { type Measurement, measurementOf, type Unit } from './measurement.ts';

/** One way of doing the work, measured beside the others. */
export type Variant = {
  readonly name: string;
  readonly unit: Unit;
  /** Does one round and gives its samples, at least one. Rounds that only warm up have negative numbers. */
  round(round: number): Promise<readonly number[]>;
};

export type InterleaveOptions = {
  /** Rounds that count. */
  readonly rounds: number;
  /** Rounds before them that do not. */
  readonly warmUpRounds: number;
  readonly signal: AbortSignal;
  readonly onRound?: (round: number) => void;
};

/**
 * Runs variants in turn, A B C A B C …, so that whatever else happens on the machine hits all of them alike. Returns their
 * measurements by name.
 */
export async function interleave<Name extends string>(
  variants: readonly (Variant & { readonly name: Name })[],
  options: InterleaveOptions,
): Promise<Record<Name, Measurement>> {
  const { rounds, warmUpRounds, signal, onRound } = options;
  const samples = variants.map((): (readonly number[])[] => []);
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    onRound?.(round);
    for (const [index, variant] of variants.entries()) {
      signal.throwIfAborted();
      const taken = await variant.round(round);
      if (round >= 0) samples[index]?.push(taken);
    }
  }
  const measured = variants.map(({ name, unit }, index) => [
    name,
    measurementOf(name, unit, samples[index] ?? []),
  ]);
  return Object.fromEntries(measured) as Record<Name, Measurement>;
}
