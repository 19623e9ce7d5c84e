// npm run faults:mutants -- [--seed S] [--rounds N] [--only NAME,…] [--jobs J] [--write]: looks whether the fault suite finds nothing in the tree as
// it is, then plants lies one by one in a copy of it and shows how soon each is caught. Exit status: 0 every one was caught · 1 one was not, or there was
// something without a lie · 2 the command line is wrong.
import { parseArgs } from 'node:util';
import { Figures } from './figures.ts';
import { mutants } from './mutant-list.ts';
import { type MutantResult, runControl, runMutant } from './mutant-run.ts';
import { mutantLines, writeProof } from './proof-page.ts';

const ROUNDS = 300;
const SEED = 1;

const USAGE = `usage: npm run faults:mutants -- [--seed S] [--rounds N] [--only NAME,…] [--jobs J] [--write]
${mutants.map(({ name, lie }) => `  ${name.padEnd(18)}${lie}`).join('\n')}
`;
if (process.argv.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(SEED) },
    rounds: { type: 'string', default: String(ROUNDS) },
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const names = values.only?.split(',') ?? mutants.map(({ name }) => name);
const chosen = mutants.filter(({ name }) => names.includes(name));
const isWhole = [values.seed, values.rounds, values.jobs].every((text) => /^\d{1,9}$/.test(text));
if (chosen.length !== names.length || !isWhole) {
  process.stderr.write(USAGE);
  process.exit(2);
}
if (values.write && (values.only !== undefined || Number(values.rounds) !== ROUNDS)) {
  process.stderr.write(`--write shows all lies in ${ROUNDS} rounds: without --only and --rounds\n`);
  process.exit(2);
}
const rounds = { seed: Number(values.seed), rounds: Number(values.rounds) };
const jobs = Math.max(1, Number(values.jobs));

const without = await runControl(rounds, jobs);
process.stdout.write(`${'(no lie)'.padEnd(18)}${without === null ? 'nothing found' : 'FOUND SOMETHING'}\n`);
if (without !== null) {
  process.stdout.write(`${without}\n`);
  process.exit(1);
}

const results: MutantResult[] = [];
let next = 0;
async function work(): Promise<void> {
  for (let mutant = chosen[next++]; mutant !== undefined; mutant = chosen[next++]) {
    const result = await runMutant(mutant, rounds);
    results.push(result);
    const { caughtBy } = result;
    const end =
      caughtBy === null ? 'NOT CAUGHT' : `round ${caughtBy.round}, ${caughtBy.adversary}: ${caughtBy.kind}`;
    process.stdout.write(`${mutant.name.padEnd(18)}${end}\n`);
    if (caughtBy === null) process.stdout.write(`${result.output}\n`);
  }
}
await Promise.all(Array.from({ length: jobs }, work));
const order = mutants.map(({ name }) => name);
results.sort((left, right) => order.indexOf(left.name) - order.indexOf(right.name));
const { machine } = new Figures(0, undefined);
if (values.write) writeProof('mutants', mutantLines(results, { machine, control: rounds.rounds }));
process.exitCode = results.every(({ caughtBy }) => caughtBy !== null) ? 0 : 1;
