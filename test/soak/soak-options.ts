import { parseArgs } from 'node:util';

export type SoakCommand = {
  readonly minutes: number;
  readonly seed: number;
  /** Where the samples go; null for a file of its own in `test/soak/results`. */
  readonly samplesFile: string | null;
  /** Only actions whose names have this in them; null for all. */
  readonly only: string | null;
  /** Another program in place of the plugin that counts, such as one that leaks on purpose. */
  readonly counter: string | null;
};

export type CommandParse =
  | { readonly ok: true; readonly command: SoakCommand }
  | { readonly ok: false; readonly message: string };

export const SOAK_USAGE =
  'usage: npm run soak -- --minutes M [--seed S] [--samples FILE] [--only TEXT] [--counter FILE]\n';
/** A day: what grows more slowly than that is looked for in longer logs. */
const MINUTES_MAX = 24 * 60;

/** Reads the command line. `freshSeed` is taken where none is given. */
export function parseSoakCommand(args: readonly string[], freshSeed: () => number): CommandParse {
  let values: Partial<Readonly<Record<'minutes' | 'seed' | 'samples' | 'only' | 'counter', string>>>;
  try {
    values = parseArgs({
      args: [...args],
      options: {
        ...{ minutes: { type: 'string' }, seed: { type: 'string' }, samples: { type: 'string' } },
        ...{ only: { type: 'string' }, counter: { type: 'string' } },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const minutes = Number(values.minutes ?? Number.NaN);
  if (!(minutes > 0 && minutes <= MINUTES_MAX))
    return refuse(`--minutes is a number over 0 and at most ${MINUTES_MAX}`);
  const seed = values.seed === undefined ? freshSeed() : Number(values.seed);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32)
    return refuse('--seed is a whole number below 2^32');
  const { samples = null, only = null, counter = null } = values;
  if (samples === '' || counter === '') return refuse('--samples and --counter need a file');
  return { ok: true, command: { minutes, seed, samplesFile: samples, only, counter } };
}

function refuse(fault: string): CommandParse {
  return { ok: false, message: `${fault}\n${SOAK_USAGE}` };
}
