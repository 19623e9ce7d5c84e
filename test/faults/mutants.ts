// npm run faults:mutants -- [--seed S] [--only NAME,…] [--jobs J] [--write]: plants lies one by one in a copy of the tree and shows how soon the
// fault suite catches each. Exit status: 0 every one was caught · 1 one was not · 2 the command line is wrong.
import { parseArgs } from 'node:util';
import { Figures } from './figures.ts';
import { mutants } from './mutant-list.ts';
import { type MutantResult, runMutant } from './mutant-run.ts';
import { mutantLines, writeProof } from './proof-page.ts';

const ROUNDS = 300;
const SEED = 1;

const USAGE = `usage: npm run faults:mutants -- [--seed S] [--only NAME,…] [--jobs J] [--write]
${mutants.map(({ name, lie }) => `  ${name.padEnd(18)}${lie}`).join('\n')}
`;
if (process.argv.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(SEED) },
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const names = values.only?.split(',') ?? mutants.map(({ name }) => name);
const chosen = mutants.filter(({ name }) => names.includes(name));
if (chosen.length !== names.length || ![values.seed, values.jobs].every((text) => /^\d{1,9}$/.test(text))) {
  process.stderr.write(USAGE);
  process.exit(2);
}

const results: MutantResult[] = [];
let next = 0;
async function work(): Promise<void> {
  for (let mutant = chosen[next++]; mutant !== undefined; mutant = chosen[next++]) {
    const result = await runMutant(mutant, { seed: Number(values.seed), rounds: ROUNDS });
    results.push(result);
    const { caughtBy } = result;
    const end =
      caughtBy === null ? 'NOT CAUGHT' : `round ${caughtBy.round}, ${caughtBy.adversary}: ${caughtBy.kind}`;
    process.stdout.write(`${mutant.name.padEnd(18)}${end}\n`);
    if (caughtBy === null) process.stdout.write(`${result.output}\n`);
  }
}
await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, work));
const order = mutants.map(({ name }) => name);
results.sort((left, right) => order.indexOf(left.name) - order.indexOf(right.name));
if (values.write) writeProof('mutants', mutantLines(results, new Figures(0, undefined).machine));
process.exitCode = results.every(({ caughtBy }) => caughtBy !== null) ? 0 : 1;
