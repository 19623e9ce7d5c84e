// npm run faults:mutants -- [--seed S] [--rounds N] [--only NAME,…] [--jobs J] [--write]: looks whether the fault suite finds nothing in the tree as
// it is, then plants lies one by one in a copy of it and shows how soon each is caught. Exit status: 0 every one was caught · 1 one was not, or there was
// something without a lie · 2 the command line is wrong.
import { machine } from './figures.ts';
import { mutants } from './mutant-list.ts';
import { readMutantOptions } from './mutant-options.ts';
import { type MutantResult, runControl, runMutant } from './mutant-run.ts';
import { mutantLines, writeProof } from './proof-page.ts';

const CONTROL_WORDS = {
  clean: 'nothing found',
  found: 'FOUND SOMETHING',
  failed: 'THE SUITE DID NOT RUN AS IT SHOULD',
} as const;

const USAGE = `usage: npm run faults:mutants -- [--seed S] [--rounds N] [--only NAME,…] [--jobs J] [--write]
${mutants.map(({ name, lie }) => `  ${name.padEnd(18)}${lie}`).join('\n')}
`;
const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const order = mutants.map(({ name }) => name);
const options = readMutantOptions(args, order);
if ('wrong' in options) {
  process.stderr.write(`${options.wrong}\n${USAGE}`);
  process.exit(2);
}
const series = options;
const { names, jobs, write } = series;
const chosen = mutants.filter(({ name }) => names.includes(name));

const control = await runControl(options, jobs);
process.stdout.write(`${'(no lie)'.padEnd(18)}${CONTROL_WORDS[control.kind]}\n`);
if (control.kind !== 'clean') {
  process.stdout.write(`${control.output}\n`);
  process.exit(1);
}
for (const what of control.notRun)
  process.stdout.write(`not run here, so that what it alone catches is not caught: ${what}\n`);

const results: MutantResult[] = [];
let next = 0;
async function work(): Promise<void> {
  for (let mutant = chosen[next++]; mutant !== undefined; mutant = chosen[next++]) {
    const result = await runMutant(mutant, series);
    results.push(result);
    const { caughtBy } = result;
    const end =
      caughtBy === null ? 'NOT CAUGHT' : `round ${caughtBy.round}, ${caughtBy.adversary}: ${caughtBy.kind}`;
    process.stdout.write(`${mutant.name.padEnd(18)}${end}\n`);
    if (caughtBy === null) process.stdout.write(`${result.output}\n`);
  }
}
await Promise.all(Array.from({ length: jobs }, work));
results.sort((left, right) => order.indexOf(left.name) - order.indexOf(right.name));
const { rounds } = options;
if (write)
  writeProof(
    'mutants',
    mutantLines(results, { machine: machine(), control: rounds, notRun: control.notRun }),
  );
process.exitCode = results.every(({ caughtBy }) => caughtBy !== null) ? 0 : 1;
