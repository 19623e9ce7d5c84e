// npm run faults:mutants -- [--seed S] [--only NAME,…] [--write]: plants lies one by one in a copy of the tree and shows how soon the
// fault suite catches each. Exit status: 0 every one was caught · 1 one was not · 2 the command line is wrong.
import { parseArgs } from 'node:util';
import { Figures } from './figures.ts';
import { mutants } from './mutant-list.ts';
import { type MutantResult, runMutant } from './mutant-run.ts';
import { mutantLines, writeProof } from './proof-page.ts';

const ROUNDS = 300;
const SEED = 1;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(SEED) },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const names = values.only?.split(',') ?? mutants.map(({ name }) => name);
const chosen = mutants.filter(({ name }) => names.includes(name));
if (chosen.length !== names.length || !/^\d{1,9}$/.test(values.seed)) {
  process.stderr.write(`usage: npm run faults:mutants -- [--seed S] [--only NAME,…] [--write]\n`);
  process.stderr.write(`${mutants.map(({ name, lie }) => `  ${name.padEnd(18)}${lie}`).join('\n')}\n`);
  process.exit(2);
}

const results: MutantResult[] = [];
for (const mutant of chosen) {
  const result = await runMutant(mutant, { seed: Number(values.seed), rounds: ROUNDS });
  results.push(result);
  const { caughtBy } = result;
  const end =
    caughtBy === null ? 'NOT CAUGHT' : `round ${caughtBy.round}, ${caughtBy.adversary}: ${caughtBy.kind}`;
  process.stdout.write(`${mutant.name.padEnd(18)}${end}\n`);
  if (caughtBy === null) process.stdout.write(`${result.output}\n`);
}
if (values.write) writeProof('mutants', mutantLines(results, new Figures(0, undefined).machine));
process.exitCode = results.every(({ caughtBy }) => caughtBy !== null) ? 0 : 1;
