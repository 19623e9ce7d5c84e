// npm run faults -- [--seed S] [--rounds N] [--only ADVERSARY] [--jobs J] [--plan] [--until-found] [--write]: attacks Fairlead and holds what it says against what
// happened (docs/how-to/run-the-fault-suite.md). Exit status: 0 nothing was found · 1 something was · 2 the command line is wrong.
import { Figures } from './figures.ts';
import { FAULTS_USAGE, readOptions } from './options.ts';
import { planRound } from './plan.ts';
import { faultLines, writeProof } from './proof-page.ts';
import { Series } from './series.ts';

const PROGRESS_ROUNDS = 50;
const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(`${FAULTS_USAGE}\n`);
  process.exit(0);
}
const options = readOptions(args);
if ('usage' in options) {
  process.stderr.write(`${options.usage}\n`);
  process.exit(2);
}
const { seed, rounds, only, jobs, plan, write, untilFound } = options;
const seeds = Array.from({ length: rounds }, (_none, index) => (seed + index) >>> 0);

if (plan) {
  for (const each of seeds) process.stdout.write(`${JSON.stringify(planRound(each, only), null, 1)}\n`);
} else {
  const figures = new Figures(seed, only);
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      interrupted = true;
    });
  let next = 0;
  const work = async () => {
    const series = new Series();
    for (let each = seeds[next++]; each !== undefined; each = seeds[next++]) {
      if (interrupted || (untilFound && figures.first !== null)) break;
      try {
        figures.add(await series.run(each, only));
      } catch (error) {
        figures.broken(planRound(each, only), error);
      }
      for (const line of figures.newLines()) process.stdout.write(`${line}\n`);
      if (figures.rounds % PROGRESS_ROUNDS === 0) process.stderr.write(`${figures.rounds} rounds\n`);
    }
    figures.end(await series.end());
  };
  await Promise.all(Array.from({ length: jobs }, work));
  for (const line of figures.newLines()) process.stdout.write(`${line}\n`);
  process.stdout.write(`${figures.summary().join('\n')}\n`);
  if (figures.first !== null) process.stdout.write(`first found: ${JSON.stringify(figures.first)}\n`);
  if (write) writeProof('faults', faultLines(figures));
  process.exitCode = figures.isClean ? 0 : 1;
}
