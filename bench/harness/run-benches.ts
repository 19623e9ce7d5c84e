import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchContext, BenchResult } from './bench.ts';
import { type BenchOptions, parseBenchOptions } from './bench-options.ts';
import { ChildSet } from './child-set.ts';
import { fairleadVersion, type Report, reportOf, thisMachine } from './report.ts';
import { goalText, measurementTable, rowTable } from './table.ts';

/** Where a run writes and what may stop it. */
export type BenchHost = {
  /** The tables. */
  readonly out: (text: string) => void;
  /** Progress, faults and what did not hold. */
  readonly err: (text: string) => void;
  readonly freshSeed: () => number;
  /** Aborts when the run is interrupted. */
  readonly signal: AbortSignal;
  /** Told of the processes of each bench, for an owner that must leave at once. */
  readonly onChildren?: (children: ChildSet) => void;
};

/**
 * Runs the benches that the command line asks for and returns the exit status: 0 every goal held, 1 one did not or a bench
 * failed, 2 the command line is wrong.
 */
export async function runBenches(
  args: readonly string[],
  benches: readonly Bench[],
  host: BenchHost,
): Promise<number> {
  const parsed = parseBenchOptions(
    args,
    benches.map((bench) => bench.name),
    host.freshSeed,
  );
  if (!parsed.ok) {
    host.err(parsed.message);
    return 2;
  }
  const { options } = parsed;
  const about = { version: fairleadVersion(), startedAt: new Date().toISOString(), machine: thisMachine() };
  host.out(
    `fairlead ${about.version}, Node ${about.machine.node}, ${about.machine.cpu}, ${about.machine.cores} cores, ` +
      `load ${about.machine.loadAverage.toFixed(2)}, seed ${options.seed}${options.quick ? ', quick' : ''}\n`,
  );
  const rows: Report['rows'][number][] = [];
  const measurements: Report['measurements'][number][] = [];
  const failures: Report['failures'][number][] = [];
  for (const bench of benches.filter(({ name }) => options.only.includes(name))) {
    if (host.signal.aborted) break;
    try {
      const result = await runOne(bench, options, host);
      rows.push(...result.rows.map((row) => ({ bench: bench.name, ...row })));
      measurements.push(...result.measurements.map((measured) => ({ bench: bench.name, ...measured })));
      host.out(`\n${bench.name}: ${bench.title}\n${measurementTable(result.measurements)}`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      failures.push({ bench: bench.name, message });
      const shown = error instanceof Error && !host.signal.aborted ? error.stack : message;
      host.err(`${bench.name} could not be measured: ${shown}\n`);
    }
  }
  const report = reportOf(options, about, { rows, measurements, failures });
  host.out(`\n${rowTable(rows)}`);
  if (options.jsonFile !== null) await writeFile(options.jsonFile, `${JSON.stringify(report, null, 2)}\n`);
  for (const row of rows.filter(({ holds }) => holds === false)) {
    host.err(`does not hold: ${row.bench}: ${row.name} (${goalText(row)})\n`);
  }
  return report.holds && !host.signal.aborted ? 0 : 1;
}

async function runOne(bench: Bench, options: BenchOptions, host: BenchHost): Promise<BenchResult> {
  await using owned = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  owned.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const children = owned.use(new ChildSet());
  host.onChildren?.(children);
  const context: BenchContext = {
    folder,
    children,
    seed: options.seed,
    quick: options.quick,
    signal: host.signal,
    plan(rounds, quickRounds, warmUpRounds) {
      const counted = options.quick ? quickRounds : rounds;
      const every = Math.max(1, Math.floor(counted / 5));
      return {
        rounds: counted,
        warmUpRounds,
        signal: host.signal,
        onRound(round) {
          if (round >= 0 && round % every === 0)
            host.err(`${bench.name}: round ${round + 1} of ${counted}\n`);
        },
      };
    },
  };
  return await bench.run(context);
}
