import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Adversary, adversaries, isAdversary } from './adversary.ts';

export type FaultsOptions = {
  readonly seed: number;
  readonly rounds: number;
  readonly only?: Adversary;
  /** So many rounds at once, each on a fleet of its own. */
  readonly jobs: number;
  /** Show the plans and do nothing. */
  readonly plan: boolean;
  /** End with the first round that finds something. */
  readonly untilFound: boolean;
  /** Write docs/reference/proof.md. */
  readonly write: boolean;
};

const DEFAULT_ROUNDS = 60;
const SEEDS = 2 ** 32;
const JOBS_MAX = 16;

export const FAULTS_USAGE = `usage: npm run faults -- [--seed S] [--rounds N] [--only ADVERSARY] [--jobs J] [--plan] [--until-found] [--write]
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
        only: { type: 'string' },
        jobs: { type: 'string' },
        plan: { type: 'boolean', default: false },
        'until-found': { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
      },
    });
    const { only, plan, write, 'until-found': untilFound } = values;
    const seed = whole(values.seed, randomInt(SEEDS), SEEDS);
    const rounds = whole(values.rounds, DEFAULT_ROUNDS, 1_000_000);
    const jobs = whole(values.jobs, 1, JOBS_MAX + 1);
    if (seed === null || !rounds || !jobs) return { usage: FAULTS_USAGE };
    if (only === undefined) return { seed, rounds, jobs, plan, write, untilFound };
    if (!isAdversary(only)) return { usage: `no adversary is called ${only}\n${FAULTS_USAGE}` };
    return { seed, rounds, only, jobs, plan, write, untilFound };
  } catch (error) {
    return { usage: `${error instanceof Error ? error.message : String(error)}\n${FAULTS_USAGE}` };
  }
}

function whole(text: string | undefined, fallback: number, limit: number): number | null {
  if (text === undefined) return fallback;
  return /^\d{1,10}$/.test(text) && Number(text) < limit ? Number(text) : null;
}
