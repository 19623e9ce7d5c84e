import type { SeededRandom } from '@fairlead/testing';
import type { Failure, Judge } from './judge.ts';
import { type Material, mutateBytes } from './mutate-bytes.ts';
import { mutateJson } from './mutate-json.ts';
import { shrink } from './shrink.ts';
import type { Target } from './target.ts';

/** What a search came to. `kept` is what reached something that nothing before it had reached. */
export type SearchReport = {
  readonly runs: number;
  readonly features: number;
  readonly kept: readonly Uint8Array[];
};

type SearchOptions = {
  readonly target: Target;
  readonly judge: Pick<Judge, 'judge' | 'settle' | 'runs'>;
  readonly dice: SeededRandom;
  readonly words: readonly string[];
  /** Run first, every one of them, whatever time that takes. */
  readonly corpus: readonly Uint8Array[];
  /** False: changes what it began with and learns nothing, to see what guidance is worth. */
  readonly isGuided: boolean;
  /** More different faults than this are one mess, to be looked at before going on. */
  readonly maxFailures: number;
  /** New inputs are made until one of the two is used up. */
  readonly budgetMs: number;
  readonly maxRuns: number;
  /** Most questions by which a failing input is made smaller. */
  readonly shrinkTries: number;
  now(): number;
  /**
   * Hears of each fault when it is found, and again by the same name once its input is as small as it could be made: what is
   * run in between may end the thread.
   */
  onFailure(failure: Failure): void;
};

/** Each question that a slow input is asked takes its time. */
const SLOW_SHRINK_TRIES = 40;
/** A kept input is changed again and again: a few tries to make it smaller pay. */
const TRIM_TRIES = 40;

/**
 * Looks for inputs that break what the target holds: runs the corpus, then changes of what is known, and keeps each input that
 * reaches a branch, or a number of its runs, that none before it had reached.
 */
export async function search(options: SearchOptions): Promise<SearchReport> {
  const { target, judge, dice } = options;
  const seen = new Set<number>();
  const pool: Uint8Array[] = [];
  const kept: Uint8Array[] = [];
  const found = new Set<string>();
  const unshrunk: Failure[] = [];

  const note = (failures: readonly Failure[]): void => {
    for (const failure of failures) {
      if (found.has(failure.name)) continue;
      found.add(failure.name);
      unshrunk.push(failure);
      options.onFailure(failure);
    }
  };
  const judgeAndNote = async (input: Uint8Array, turns = false) => {
    const judged = await judge.judge(input, turns);
    note(judged.failures);
    return judged;
  };
  /** What is met meanwhile is noted, and made smaller after it. */
  const shrinkFound = async (): Promise<void> => {
    for (let next = unshrunk.shift(); next !== undefined; next = unshrunk.shift())
      options.onFailure({ ...next, input: await smallestFailing(options, next, judgeAndNote) });
  };
  const run = async (input: Uint8Array, turns = false): Promise<readonly number[]> => {
    const { features } = await judgeAndNote(input, turns);
    await shrinkFound();
    return features.filter((feature) => !seen.has(feature));
  };

  for (const input of options.corpus) {
    for (const feature of await run(input, true)) seen.add(feature);
    pool.push(input);
  }
  const material: Material = { dice, words: options.words, other: () => dice.pick(pool) };
  const mutate = target.form === 'json' ? mutateJson : mutateBytes;
  const endsAtMs = options.now() + options.budgetMs;
  while (found.size < options.maxFailures && judge.runs < options.maxRuns && options.now() < endsAtMs) {
    const input = mutated(() => mutate(choose(pool, dice), material), target.maxBytes);
    const fresh = await run(input);
    if (fresh.length === 0) continue;
    for (const feature of fresh) seen.add(feature);
    if (!options.isGuided) continue;
    const small = await trim(target, input, fresh, judgeAndNote);
    await shrinkFound();
    pool.push(small);
    kept.push(small);
  }
  note(await judge.settle());
  await shrinkFound();
  return { runs: judge.runs, features: seen.size, kept };
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

/** A candidate that breaks something else is no smaller form of the input, and is a find all the same. */
type JudgeAndNote = Judge['judge'];

async function trim(
  target: Target,
  input: Uint8Array,
  needed: readonly number[],
  judge: JudgeAndNote,
): Promise<Uint8Array> {
  if (input.length < 32) return input;
  return await shrink(input, {
    form: target.form,
    maxTries: TRIM_TRIES,
    fails: async (candidate) => {
      const { failures, features } = await judge(candidate);
      const reached = new Set(features);
      return (
        failures.every((failure) => failure.input !== candidate) &&
        needed.every((feature) => reached.has(feature))
      );
    },
  });
}

async function smallestFailing(
  { target, shrinkTries }: SearchOptions,
  { input, name }: Failure,
  judge: JudgeAndNote,
): Promise<Uint8Array> {
  return await shrink(input, {
    form: target.form,
    maxTries: name === 'slow' ? Math.min(SLOW_SHRINK_TRIES, shrinkTries) : shrinkTries,
    fails: async (candidate) => {
      const { failures } = await judge(candidate, true);
      return failures.some((failure) => failure.input === candidate && failure.name === name);
    },
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
