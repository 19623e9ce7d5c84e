// npm run faults -- [--seed S] [--rounds N] [--seeds A,B,…] [--only ADVERSARY] [--jobs J] [--plan] [--until-found] [--continue FILE] [--write]: attacks
// Fairlead and holds what it says against what happened (docs/how-to/run-the-fault-suite.md). Exit status: 0 nothing was found · 1 something was, too
// little settled by itself, an attack never fell, no round could be run, or the page was not written · 2 the command line is wrong.
import { resolve } from 'node:path';
import { Figures, machine } from './figures.ts';
import { KeptRun } from './kept-run.ts';
import { FAULTS_USAGE, type KeptOptions, PAGE_ROUNDS_MIN, readOptions } from './options.ts';
import { planRound } from './plan.ts';
import { faultLines, writeProof } from './proof-page.ts';
import { Series } from './series.ts';
import { sourcesDigest } from './sources-digest.ts';

const PROGRESS_ROUNDS = 50;
const cloneRoot = resolve(import.meta.dirname, '../..');
const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(`${FAULTS_USAGE}\n`);
  process.exit(0);
}
const options = readOptions(args);
if ('usage' in options) refuse(options.usage);
const { seeds, jobs, plan, write, untilFound } = options;

if (plan) {
  for (const each of seeds)
    process.stdout.write(`${JSON.stringify(planRound(each, options.only), null, 1)}\n`);
} else {
  const run = options.kept === undefined ? null : keptRun(options.kept);
  const { seed, only, rounds } = run?.terms ?? { ...options, seed: seeds[0] ?? 0, rounds: seeds.length };
  // What is run now, told as it is found; a run that goes on adds up what counts.
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
  const tell = (series: Series) => {
    const ends = series.takeEnds();
    figures.end(ends);
    run?.ended(series.takeThrough(), ends);
    for (const line of figures.newLines()) process.stdout.write(`${line}\n`);
  };
  let next = 0;
  const take = run === null ? () => seeds[next++] : () => run.take();
  const work = async () => {
    const series = new Series();
    for (let each = take(); each !== undefined; each = take()) {
      if (interrupted || (untilFound && figures.first !== null)) break;
      const round = await series.run(each, only);
      // A terminal has interrupted the processes of its fleet as well: what it found is no lie.
      if (interrupted) break;
      figures.add(round);
      run?.ran(each, round);
      tell(series);
      if (figures.rounds % PROGRESS_ROUNDS > 0) continue;
      run?.keep();
      process.stderr.write(`${figures.rounds} rounds\n`);
    }
    await series.end();
    if (!interrupted) tell(series);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  run?.keep();
  const sums = run?.figures ?? figures;
  process.stdout.write(`${sums.summary().join('\n')}\n`);
  if (sums.first !== null) process.stdout.write(`first found: ${JSON.stringify(sums.first)}\n`);
  const hasRun = sums.rounds > 0 || interrupted;
  if (!hasRun) process.stderr.write('nothing was run here\n');
  process.exitCode = sums.isClean && hasRun ? 0 : 1;
  if (run !== null && !run.isWhole)
    process.stderr.write(`${sums.rounds} of ${rounds} rounds count; the same command goes on\n`);
  if (write && (interrupted || sums.rounds < PAGE_ROUNDS_MIN / 2)) {
    const why = interrupted ? 'the run was interrupted' : 'too few rounds could be run here';
    process.stderr.write(`docs/reference/proof.md stays as it was: ${why}, ${sums.rounds} of ${rounds}\n`);
    process.exitCode = 1;
  } else if (write) writeProof('faults', faultLines(sums, run?.sittings));
}

function keptRun({ file, ...given }: KeptOptions): KeptRun {
  const { only } = options as { readonly only?: KeptRun['terms']['only'] };
  const sources = sourcesDigest(cloneRoot);
  const run = KeptRun.open(
    file,
    { ...given, ...(only === undefined ? {} : { only }), sources },
    { seed: seeds[0] ?? 0, rounds: seeds.length },
    { at: new Date().toISOString(), machine: machine() },
  );
  if ('refused' in run) refuse(run.refused);
  if (write && (run.terms.only !== undefined || run.terms.rounds < PAGE_ROUNDS_MIN))
    refuse(`--write shows ${PAGE_ROUNDS_MIN} rounds or more, of all adversaries; ${file} is of others`);
  try {
    run.keep();
  } catch (error) {
    refuse(`${file} cannot be written: ${String(error)}`);
  }
  return run;
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}
