import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Adversary, adversaries, isAdversary } from './adversary.ts';

export type FaultsOptions = {
  /** One for each round, in order. */
  readonly seeds: readonly number[];
  readonly only?: Adversary;
  /** So many rounds at once, each on a fleet of its own. */
  readonly jobs: number;
  /** Show the plans and do nothing. */
  readonly plan: boolean;
  /** End with the first round that finds something. */
  readonly untilFound: boolean;
  /** Write docs/reference/proof.md. */
  readonly write: boolean;
  /** The file of a run that goes on, or that begins here and may go on later. */
  readonly kept?: KeptOptions;
};

/** What the command line says of a run that is kept. A member that is left out is what the file has, or the default. */
export type KeptOptions = { readonly file: string; readonly seed?: number; readonly rounds?: number };

const DEFAULT_ROUNDS = 60;
const SEEDS = 2 ** 32;
export const JOBS_MAX = 16;
/** The page shows what many rounds found; fewer say little, and must not take the place of more. */
export const PAGE_ROUNDS_MIN = 1000;

export const FAULTS_USAGE = `usage: npm run faults -- [--seed S] [--rounds N] [--seeds A,B,…] [--only ADVERSARY] [--jobs J] [--plan] [--until-found] [--continue FILE] [--write]
adversaries:
${Object.entries(adversaries)
  .map(([name, what]) => `  ${name.padEnd(22)}${what}`)
  .join('\n')}`;

/** Reads the command line, or says how it is used. */
export function readOptions(args: readonly string[]): FaultsOptions | { readonly usage: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        rounds: { type: 'string' },
        seeds: { type: 'string' },
        only: { type: 'string' },
        jobs: { type: 'string' },
        plan: { type: 'boolean', default: false },
        'until-found': { type: 'boolean', default: false },
        continue: { type: 'string' },
        write: { type: 'boolean', default: false },
      },
    });
    const { only, plan, write, continue: file, 'until-found': untilFound } = values;
    const seeds = seedsOf(values);
    const jobs = whole(values.jobs, 1, JOBS_MAX + 1);
    if (seeds === null || !jobs) return { usage: FAULTS_USAGE };
    if (values.seeds !== undefined && jobs > 1)
      return {
        usage: `--seeds repeats what one fleet went through, one round after the other: without --jobs`,
      };
    if (write && (only !== undefined || values.seeds !== undefined || untilFound))
      return { usage: '--write shows rounds of all adversaries: without --only, --seeds and --until-found' };
    if (file !== undefined && (values.seeds !== undefined || plan || untilFound))
      return { usage: '--continue is for whole runs: without --seeds, --plan and --until-found' };
    // A run that goes on has its rounds in its file.
    const isNew = file === undefined || values.rounds !== undefined;
    if (write && isNew && seeds.length < PAGE_ROUNDS_MIN)
      return {
        usage: `--write takes ${PAGE_ROUNDS_MIN} rounds or more: fewer would replace the figures of more`,
      };
    const kept = file === undefined ? {} : { kept: keptOf(file, seeds, values) };
    if (only === undefined) return { seeds, jobs, plan, write, untilFound, ...kept };
    if (!isAdversary(only)) return { usage: `no adversary is called ${only}\n${FAULTS_USAGE}` };
    return { seeds, only, jobs, plan, write, untilFound, ...kept };
  } catch (error) {
    return { usage: `${error instanceof Error ? error.message : String(error)}\n${FAULTS_USAGE}` };
  }
}

function keptOf(
  file: string,
  seeds: readonly number[],
  { seed, rounds }: { readonly seed?: string | undefined; readonly rounds?: string | undefined },
): KeptOptions {
  return {
    file,
    ...(seed === undefined ? {} : { seed: seeds[0] as number }),
    ...(rounds === undefined ? {} : { rounds: seeds.length }),
  };
}

function seedsOf(values: {
  readonly seed?: string | undefined;
  readonly rounds?: string | undefined;
  readonly seeds?: string | undefined;
}): readonly number[] | null {
  if (values.seeds !== undefined) {
    if (values.seed !== undefined || values.rounds !== undefined) return null;
    const seeds = values.seeds.split(',').flatMap((text) => whole(text, 0, SEEDS) ?? []);
    return seeds.length === values.seeds.split(',').length ? seeds : null;
  }
  const seed = whole(values.seed, randomInt(SEEDS), SEEDS);
  const rounds = whole(values.rounds, DEFAULT_ROUNDS, 1_000_000);
  if (seed === null || !rounds) return null;
  return Array.from({ length: rounds }, (_none, index) => (seed + index) % SEEDS);
}

/** A whole number below `limit`; null where the text is none. */
export function whole(text: string | undefined, fallback: number, limit: number): number | null {
  if (text === undefined) return fallback;
  return /^\d{1,10}$/.test(text) && Number(text) < limit ? Number(text) : null;
}
