import { type Measurement, measurementOf, type Unit } from './measurement.ts';

/** One way of doing the work, measured beside the others. A round of it may give several figures, each with a name. */
export type Variant<Name extends string> = {
  /** Of every figure, or of each by its name. */
  readonly unit: Unit | Readonly<Record<Name, Unit>>;
  /** Does one round and gives its samples, at least one of each name. Rounds that only warm up have negative numbers. */
  round(round: number): Promise<Readonly<Record<Name, readonly number[]>>>;
};

export type InterleaveOptions = {
  /** Rounds that count. */
  readonly rounds: number;
  /** Rounds before them that do not. */
  readonly warmUpRounds: number;
  readonly signal: AbortSignal;
  readonly onRound?: (round: number) => void;
};

type NamesOf<V> = V extends Variant<infer Name> ? Name : never;

/**
 * Runs variants in turn, A B C A B C …, so that whatever else happens on the machine hits all of them alike. Returns the
 * measurements by name.
 */
export async function interleave<const Variants extends readonly Variant<string>[]>(
  variants: Variants,
  options: InterleaveOptions,
): Promise<Record<NamesOf<Variants[number]>, Measurement>> {
  const { rounds, warmUpRounds, signal, onRound } = options;
  const taken = new Map<string, { readonly unit: Unit; readonly rounds: (readonly number[])[] }>();
  for (let round = 0 - warmUpRounds; round < rounds; round += 1) {
    onRound?.(round);
    for (const { unit, round: run } of variants) {
      signal.throwIfAborted();
      const samples = await run(round);
      if (round < 0) continue;
      for (const [name, some] of Object.entries(samples)) {
        const known = taken.get(name);
        if (known === undefined) taken.set(name, { unit: unitOf(unit, name), rounds: [some] });
        else known.rounds.push(some);
      }
    }
  }
  const measured = [...taken].map(([name, { unit, rounds: all }]) => [name, measurementOf(name, unit, all)]);
  return Object.fromEntries(measured) as Record<NamesOf<Variants[number]>, Measurement>;
}

function unitOf(unit: Unit | Readonly<Record<string, Unit>>, name: string): Unit {
  const own = typeof unit === 'string' ? unit : unit[name];
  if (own === undefined) throw new RangeError(`the figure ${name} has no unit`);
  return own;
}
