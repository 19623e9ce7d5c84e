import type { SeededRandom } from '@fairlead/testing';
import type { Judge, Judged, Verdict } from './judge.ts';
import { type Material, mutateBytes } from './mutate-bytes.ts';
import { mutateJson } from './mutate-json.ts';
import { shrink } from './shrink.ts';
import type { Target } from './target.ts';

/** An input that broke something, as small as it could be made. */
export type Failure = Verdict & { readonly input: Uint8Array };

/** What a search came to. `kept` is what reached something that nothing before it had reached. */
export type SearchReport = {
  readonly runs: number;
  readonly features: number;
  readonly kept: readonly Uint8Array[];
  readonly failures: readonly Failure[];
};

type SearchOptions = {
  readonly target: Target;
  readonly judge: Judge;
  readonly dice: SeededRandom;
  readonly words: readonly string[];
  /** Run first, every one of them. */
  readonly corpus: readonly Uint8Array[];
  /** False: changes what it began with and learns nothing, to see what guidance is worth. */
  readonly isGuided: boolean;
  /** More different faults than this are one mess, to be looked at before going on. */
  readonly maxFailures: number;
  /** Asked before each new input. */
  isOver(runs: number): boolean;
};

const SHRINK_TRIES = 2_000;
/** A kept input is changed again and again: a few tries to make it smaller pay. */
const TRIM_TRIES = 40;

/**
 * Looks for inputs that break what the target holds: runs the corpus, then changes of what is known, and keeps each input that
 * reaches a branch, or a number of its runs, that none before it had reached.
 */
export async function search(options: SearchOptions): Promise<SearchReport> {
  const { target, judge, dice, isOver } = options;
  const seen = new Set<number>();
  const pool: Uint8Array[] = [];
  const kept: Uint8Array[] = [];
  const failures = new Map<string, Failure>();

  const note = async ({ verdict, input }: Judged): Promise<void> => {
    if (verdict === null || failures.has(verdict.name)) return;
    const smallest = await smallestFailing(options, input, verdict.name);
    failures.set(verdict.name, { ...verdict, input: smallest });
  };
  const run = async (input: Uint8Array, turns = false): Promise<readonly number[]> => {
    const judged = await judge.judge(input, turns);
    await note(judged);
    return judged.features.filter((feature) => !seen.has(feature));
  };

  for (const input of options.corpus) {
    for (const feature of await run(input, true)) seen.add(feature);
    pool.push(input);
  }
  const material: Material = { dice, words: options.words, other: () => dice.pick(pool) };
  const mutate = target.form === 'json' ? mutateJson : mutateBytes;
  while (failures.size < options.maxFailures && !isOver(judge.runs)) {
    const input = mutated(() => mutate(choose(pool, dice), material), target.maxBytes);
    const fresh = await run(input);
    if (fresh.length === 0) continue;
    for (const feature of fresh) seen.add(feature);
    if (!options.isGuided) continue;
    const small = await trim(options, input, fresh);
    pool.push(small);
    kept.push(small);
  }
  const last = await judge.settle();
  if (last !== null) await note(last);
  return { runs: judge.runs, features: seen.size, kept, failures: [...failures.values()] };
}

/** What is too long is mostly of no use once it is cut: a few more are made before that. */
function mutated(make: () => Uint8Array, maxBytes: number): Uint8Array {
  let input = make();
  for (let more = 0; more < 3 && input.length > maxBytes; more += 1) input = make();
  return input.subarray(0, maxBytes);
}

/** The newest are changed more often: behind them is what was not looked at yet. Of two the shorter: it takes less time. */
function choose(pool: readonly Uint8Array[], dice: SeededRandom): Uint8Array {
  if (dice.below(3) === 0) return dice.pick(pool);
  const newest = dice.below(2) === 0 ? pool : pool.slice(-Math.ceil(pool.length / 4));
  const [one, other] = [dice.pick(newest), dice.pick(newest)];
  return one.length <= other.length ? one : other;
}

async function trim(
  { target, judge }: SearchOptions,
  input: Uint8Array,
  needed: readonly number[],
): Promise<Uint8Array> {
  if (input.length < 32) return input;
  return await shrink(input, {
    form: target.form,
    maxTries: TRIM_TRIES,
    fails: async (candidate) => {
      const { verdict, features } = await judge.judge(candidate);
      const reached = new Set(features);
      return verdict === null && needed.every((feature) => reached.has(feature));
    },
  });
}

async function smallestFailing(
  { target, judge }: SearchOptions,
  input: Uint8Array,
  name: string,
): Promise<Uint8Array> {
  return await shrink(input, {
    form: target.form,
    maxTries: name === 'slow' ? 40 : SHRINK_TRIES,
    fails: async (candidate) => (await judge.judge(candidate, true)).verdict?.name === name,
  });
}

/**
 * Few inputs that still reach everything that all of them reach, within `maxBytes` in all: again and again the one that adds the
 * most, of equal ones the smallest. What broke something before is kept by its test, not here.
 */
export async function minimise(
  judge: Judge,
  corpus: readonly Uint8Array[],
  maxBytes: number,
): Promise<Uint8Array[]> {
  const left: { readonly input: Uint8Array; fresh: readonly number[] }[] = [];
  const bySize = corpus.toSorted((one, other) => one.length - other.length || Buffer.compare(one, other));
  for (const input of bySize) left.push({ input, fresh: (await judge.judge(input)).features });
  const reached = new Set<number>();
  const least: Uint8Array[] = [];
  let room = maxBytes;
  for (;;) {
    let best: (typeof left)[number] | undefined;
    for (const one of left) {
      one.fresh = one.fresh.filter((feature) => !reached.has(feature));
      if (one.input.length <= room && one.fresh.length > (best?.fresh.length ?? 0)) best = one;
    }
    if (best === undefined) return least;
    for (const feature of best.fresh) reached.add(feature);
    room -= best.input.length;
    least.push(best.input);
  }
}
