import { parseArgs } from 'node:util';

export type BenchOptions = {
  /** Names of the benches to run, in the order of the list of all. */
  readonly only: readonly string[];
  readonly jsonFile: string | null;
  readonly quick: boolean;
  readonly seed: number;
  /** Whether what is measured beside Fairlead may be installed. */
  readonly withPeers: boolean;
  /** A report to read instead of measuring. */
  readonly from: string | null;
  /** A report whose ratios take the place of the committed ones. */
  readonly against: string | null;
  readonly updateBaseline: boolean;
  /** Writes the page of the docs and its plots. */
  readonly writePage: boolean;
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
  let values: ReturnType<typeof read>;
  try {
    values = read(args);
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
  const { from, against, quick, only } = values;
  const isKept = values['update-baseline'] === true || values.write === true;
  if (from === '') return refuse('--from needs a file', known);
  if (from !== undefined && (quick === true || only !== undefined))
    return refuse('--from measures nothing: it goes with neither --quick nor --only', known);
  if (quick === true && isKept) return refuse('the figures of --quick are too noisy to be kept', known);
  if (against === '') return refuse('--against needs a file', known);
  if (against !== undefined && quick === true)
    return refuse('the figures of --quick are too noisy to be compared', known);
  if (against !== undefined && isKept)
    return refuse('--against only compares: it goes with neither --update-baseline nor --write', known);
  if (only !== undefined && values.write === true)
    return refuse('--write needs a run of every bench: a page is of one run', known);
  return {
    ok: true,
    options: {
      only: known.filter((name) => wanted.includes(name)),
      jsonFile: values.json ?? null,
      quick: quick ?? false,
      seed,
      withPeers: values['no-peers'] !== true,
      from: from ?? null,
      against: against ?? null,
      updateBaseline: values['update-baseline'] ?? false,
      writePage: values.write ?? false,
    },
  };
}

function read(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      json: { type: 'string' },
      quick: { type: 'boolean' },
      seed: { type: 'string' },
      'no-peers': { type: 'boolean' },
      from: { type: 'string' },
      against: { type: 'string' },
      'update-baseline': { type: 'boolean' },
      write: { type: 'boolean' },
    },
  }).values;
}

function refuse(fault: string, known: readonly string[]): OptionsParse {
  return { ok: false, message: `${fault}\n${benchUsage(known)}` };
}

/** How the command is used, with a line end. */
export function benchUsage(known: readonly string[]): string {
  return (
    `usage: npm run bench [-- --only ${known.join(',')}] [--json FILE] [--quick] [--seed N] [--no-peers]\n` +
    '                      [--update-baseline] [--write] [--from FILE] [--against FILE]\n'
  );
}
