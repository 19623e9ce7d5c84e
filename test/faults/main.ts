// npm run faults -- [--seed S] [--rounds N] [--seeds A,B,…] [--only ADVERSARY] [--jobs J] [--plan] [--until-found] [--write]: attacks Fairlead and holds
// what it says against what happened (docs/how-to/run-the-fault-suite.md). Exit status: 0 nothing was found · 1 something was, too little settled by
// itself, an attack never fell, no round could be run, or the page was not written · 2 the command line is wrong.
import { Figures } from './figures.ts';
import { FAULTS_USAGE, PAGE_ROUNDS_MIN, readOptions } from './options.ts';
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
const { seeds, only, jobs, plan, write, untilFound } = options;
const [seed = 0] = seeds;

if (plan) {
  for (const each of seeds) process.stdout.write(`${JSON.stringify(planRound(each, only), null, 1)}\n`);
} else {
  const figures = new Figures(seed, only);
  let interrupted = false;
  const interrupt = () => {
    if (interrupted) process.exit(130);
    interrupted = true;
    process.stderr.write(
      'ends when the rounds under way have ended, and does not count them; again: at once\n',
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  // Each series may have a disk to unmount at the exit.
  process.setMaxListeners(process.getMaxListeners() + jobs);
  const print = () => {
    for (const line of figures.newLines()) process.stdout.write(`${line}\n`);
  };
  let next = 0;
  const work = async () => {
    const series = new Series();
    for (let each = seeds[next++]; each !== undefined; each = seeds[next++]) {
      if (interrupted || (untilFound && figures.first !== null)) break;
      const round = await series.run(each, only);
      // A terminal has interrupted the processes of its fleet as well: what it found is no lie.
      if (interrupted) break;
      figures.add(round);
      figures.end(series.takeEnds());
      print();
      if (figures.rounds % PROGRESS_ROUNDS === 0) process.stderr.write(`${figures.rounds} rounds\n`);
    }
    await series.end();
    if (!interrupted) figures.end(series.takeEnds());
  };
  await Promise.all(Array.from({ length: jobs }, work));
  print();
  process.stdout.write(`${figures.summary().join('\n')}\n`);
  if (figures.first !== null) process.stdout.write(`first found: ${JSON.stringify(figures.first)}\n`);
  const hasRun = figures.rounds > 0 || interrupted;
  if (!hasRun) process.stderr.write('nothing was run here\n');
  process.exitCode = figures.isClean && hasRun ? 0 : 1;
  if (write && (interrupted || figures.rounds < PAGE_ROUNDS_MIN / 2)) {
    const why = interrupted ? 'the run was interrupted' : 'too few rounds could be run here';
    process.stderr.write(
      `docs/reference/proof.md stays as it was: ${why}, ${figures.rounds} of ${seeds.length}\n`,
    );
    process.exitCode = 1;
  } else if (write) writeProof('faults', faultLines(figures));
}
