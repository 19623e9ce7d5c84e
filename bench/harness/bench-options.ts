import { parseArgs } from 'node:util';

export type BenchOptions = {
  /** Names of the benches to run, in the order of the list of all. */
  readonly only: readonly string[];
  readonly jsonFile: string | null;
  readonly quick: boolean;
  readonly seed: number;
};

export type OptionsParse =
  | { readonly ok: true; readonly options: BenchOptions }
  | { readonly ok: false; readonly message: string };

/** Reads the command line. `freshSeed` is taken where none is given. */
export function parseBenchOptions(
  args: readonly string[],
  known: readonly string[],
  freshSeed: () => number,
): OptionsParse {
  let values: { only?: string; json?: string; quick?: boolean; seed?: string };
  try {
    values = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        json: { type: 'string' },
        quick: { type: 'boolean' },
        seed: { type: 'string' },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), known);
  }
  const wanted = values.only?.split(',').map((name) => name.trim()) ?? known;
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    return refuse(`no bench is named ${unknown.map((name) => `"${name}"`).join(', ')}`, known);
  const seed = values.seed === undefined ? freshSeed() : Number(values.seed);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32)
    return refuse(`--seed is a whole number below 2^32`, known);
  if (values.json === '') return refuse('--json needs a file', known);
  return {
    ok: true,
    options: {
      only: known.filter((name) => wanted.includes(name)),
      jsonFile: values.json ?? null,
      quick: values.quick ?? false,
      seed,
    },
  };
}

function refuse(fault: string, known: readonly string[]): OptionsParse {
  return {
    ok: false,
    message: `${fault}\nusage: npm run bench [-- --only ${known.join(',')}] [--json FILE] [--quick] [--seed N]\n`,
  };
}
