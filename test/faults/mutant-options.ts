import { parseArgs } from 'node:util';
import { JOBS_MAX, whole } from './options.ts';

/** Of the page: the same for every lie, and for the tree without one. */
const ROUNDS = 300;
const SEED = 1;

export type MutantOptions = {
  readonly seed: number;
  readonly rounds: number;
  /** Names of lies, in the order of the list. */
  readonly names: readonly string[];
  /** So many lies at once, and so many rounds of the tree without one. */
  readonly jobs: number;
  /** Write docs/reference/proof.md. */
  readonly write: boolean;
};

/** Reads the command line, or says what is wrong with it. `known`: the names of all lies. */
export function readMutantOptions(
  args: readonly string[],
  known: readonly string[],
): MutantOptions | { readonly wrong: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        rounds: { type: 'string' },
        only: { type: 'string' },
        jobs: { type: 'string' },
        write: { type: 'boolean', default: false },
      },
    });
    const { only, write } = values;
    const asked = only?.split(',');
    const unknown = asked?.find((name) => !known.includes(name));
    if (unknown !== undefined) return { wrong: `no lie is called ${unknown}` };
    const seed = whole(values.seed, SEED, 2 ** 32);
    const rounds = whole(values.rounds, ROUNDS, 1_000_000);
    const jobs = whole(values.jobs, 1, JOBS_MAX + 1);
    if (seed === null) return { wrong: `--seed is a whole number, and not ${values.seed}` };
    if (!rounds) return { wrong: `--rounds is 1 or more, and not ${values.rounds}` };
    if (!jobs) return { wrong: `--jobs is 1 to ${JOBS_MAX}, and not ${values.jobs}` };
    if (write && (only !== undefined || rounds !== ROUNDS || seed !== SEED))
      return {
        wrong: `--write shows all lies in ${ROUNDS} rounds from seed ${SEED}: without --only, --rounds and --seed`,
      };
    const names = known.filter((name) => asked === undefined || asked.includes(name));
    return { seed, rounds, names, jobs, write };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
