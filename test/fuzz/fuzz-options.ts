import { parseArgs } from 'node:util';

/** What a person asked for. */
export type FuzzCommand = {
  readonly targets: readonly string[];
  readonly budgetMs: number;
  readonly seed: number;
  /** How many targets at a time. */
  readonly jobs: number;
  /** Whether the corpus takes what was found. */
  readonly keeps: boolean;
  /** One input that is run alone. */
  readonly input: string | undefined;
};

export const FUZZ_USAGE = `usage: npm run fuzz [-- --target NAME,… --minutes M --seconds S --seed S --jobs N --keep]
       npm run fuzz -- --target NAME --input FILE`;

/** Reads the command line; a text says what is wrong with it. */
export function readFuzzCommand(
  args: readonly string[],
  known: readonly string[],
  freshSeed: () => number,
): FuzzCommand | string {
  let values: ReturnType<typeof parse>['values'];
  try {
    values = parse(args).values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const targets = values.target?.flatMap((text) => text.split(',')) ?? known;
  const unknown = targets.filter((name) => !known.includes(name));
  if (unknown.length > 0) return `no target is called ${unknown.join(', ')}; there are ${known.join(', ')}`;
  const seed = values.seed === undefined ? freshSeed() : Number(values.seed);
  const budgetMs =
    values.seconds === undefined ? Number(values.minutes) * 60_000 : Number(values.seconds) * 1_000;
  const jobs = Number(values.jobs);
  if (!Number.isSafeInteger(seed) || seed < 0) return '--seed takes a whole number';
  if (!(budgetMs >= 0)) return '--minutes and --seconds take a number';
  if (!Number.isSafeInteger(jobs) || jobs < 1) return '--jobs takes a number from 1';
  if (values.input !== undefined && targets.length !== 1)
    return '--input needs the one --target that it is for';
  return { targets, budgetMs, seed, jobs, keeps: values.keep, input: values.input };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      target: { type: 'string', multiple: true },
      minutes: { type: 'string', default: '10' },
      seconds: { type: 'string' },
      seed: { type: 'string' },
      jobs: { type: 'string', default: '1' },
      keep: { type: 'boolean', default: false },
      input: { type: 'string' },
    },
  });
}
