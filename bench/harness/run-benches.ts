import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { runFileOf, writePage } from '../page/write-page.ts';
import { type Baseline, baselineOf, sameMachine, wideTexts } from './baseline.ts';
import type { Bench } from './bench.ts';
import type { BenchHost } from './bench-host.ts';
import { type BenchOptions, benchUsage, parseBenchOptions } from './bench-options.ts';
import {
  type Comparison,
  compareWithBaseline,
  comparisonTexts,
  confirmed,
  doubtfulBenches,
  verdictText,
} from './comparison.ts';
import { durationText, secondsOf } from './duration.ts';
import { measure } from './measure.ts';
import { fairleadVersion, type Machine, type Report, thisMachine } from './report.ts';
import { baselineIn, type FromFile, reportIn } from './report-file.ts';
import { goalText, rowTable } from './table.ts';

/**
 * Runs the benches that the command line asks for and returns the exit status: 0 every goal held and no ratio became worse, 1
 * one did not, or did, or a bench failed; 2 the command line is wrong, or a file that it names is.
 */
export async function runBenches(
  args: readonly string[],
  benches: readonly Bench[],
  host: BenchHost,
): Promise<number> {
  const names = benches.map((bench) => bench.name);
  if (args.includes('--help')) {
    host.out(benchUsage(names));
    return 0;
  }
  const parsed = parseBenchOptions(args, names, host.freshSeed);
  if (!parsed.ok) {
    host.err(parsed.message);
    return 2;
  }
  const { options } = parsed;
  const inputs = await inputsOf(options, host);
  const fault = inputs.ok ? faultOf(options, inputs.value, names, host) : inputs.fault;
  if (!inputs.ok || fault !== null) {
    host.err(`${fault}\n`);
    return 2;
  }
  const { given, baseline, against, machine } = inputs.value;
  host.out(headOf(given ?? { ...options, version: fairleadVersion() }, machine));
  const measured = given ?? (await measure(benches, options, machine, host));
  host.out(`\n${rowTable(measured.rows)}`);
  host.out(`\n${durationText(secondsOf(measured.durations))} in all\n`);
  const remeasure = (only: readonly string[]) => measure(benches, { ...options, only }, machine, host);
  const mayRemeasure = given === null && !options.updateBaseline;
  // A page is of its run: what became of the ratios was said of the baseline of that day.
  const isSaid = given !== null && options.writePage;
  const comparison = isSaid
    ? (given.comparison ?? null)
    : await compare(measured, against, mayRemeasure ? remeasure : null);
  const report: Report = { ...measured, comparison };
  await keep(report, options, host);
  sayWhatDoesNotHold(report, host);
  if (comparison !== null) sayComparison(comparison, host);
  const isWorse = comparison?.holds === false && !options.updateBaseline;
  if (host.signal.aborted) return 1;
  if (options.updateBaseline && host.baselineFile !== undefined) {
    await writeJson(host.baselineFile, baselineOf(report, baseline));
    for (const text of wideTexts(baselineOf(report, null))) host.err(`${text}\n`);
  }
  if (options.writePage && host.pageFile !== undefined) await writePage(report, host.pageFile);
  return report.holds && !isWorse ? 0 : 1;
}

type Inputs = {
  /** The report that is looked at instead of measuring. */
  readonly given: Report | null;
  /** The committed ratios. */
  readonly baseline: Baseline | null;
  /** What the run is held against: those, or what `--against` names. */
  readonly against: Baseline | null;
  readonly machine: Machine;
};

async function inputsOf({ from, against }: BenchOptions, host: BenchHost): Promise<FromFile<Inputs>> {
  const baseline = await baselineIn(host.baselineFile);
  if (!baseline.ok) return baseline;
  const given = from === null ? null : await reportIn(from);
  if (given?.ok === false) return given;
  const machine = given?.value.machine ?? thisMachine();
  const value = { given: given?.value ?? null, baseline: baseline.value, against: baseline.value, machine };
  if (against === null) return { ok: true, value };
  const other = await reportIn(against);
  if (!other.ok) return other;
  if (other.value.quick || value.given?.quick === true)
    return { ok: false, fault: 'the figures of --quick are too noisy to be compared' };
  return { ok: true, value: { ...value, against: baselineOf(other.value, null) } };
}

/** Holds a run against the baseline; what is slower, or may be, is measured once more before it counts, where that can be done. */
async function compare(
  report: Report,
  baseline: Baseline | null,
  remeasure: ((only: readonly string[]) => Promise<Report>) | null,
): Promise<Comparison | null> {
  if (baseline === null || report.quick) return null;
  const first = compareWithBaseline(report, baseline);
  const doubtful = doubtfulBenches(first);
  if (remeasure === null || doubtful.length === 0) return first;
  return confirmed(first, compareWithBaseline(await remeasure(doubtful), baseline));
}

/** Why what was asked for cannot be done with this run; null where it can. */
function faultOf(
  { from, only, updateBaseline, writePage: isWritten }: BenchOptions,
  { given, baseline, machine }: Inputs,
  all: readonly string[],
  { pageFile }: BenchHost,
): string | null {
  if (updateBaseline || isWritten) {
    if (given?.quick === true) return 'the figures of --quick are too noisy to be kept';
    if (given?.interrupted === true) return 'a run that was interrupted is not kept';
  }
  const measures = given?.benches ?? only;
  const isWhole = all.every((name) => measures.includes(name));
  // A run that has its page stays what it was, whatever benches there are by now.
  const hasPage = from !== null && pageFile !== undefined && resolve(from) === resolve(runFileOf(pageFile));
  if (isWritten && !isWhole && !hasPage) return '--write needs a run of every bench: a page is of one run';
  if (updateBaseline && !isWhole && baseline !== null && !sameMachine(machine, baseline.machine))
    return 'the baseline is of another machine: renew it with a run of every bench';
  return null;
}

function headOf(
  { version, seed, quick }: Pick<Report, 'version' | 'seed' | 'quick'>,
  { node, cpu, cores, loadAverage }: Machine,
): string {
  const load = loadAverage.toFixed(2);
  const mode = quick ? ', quick' : '';
  return `fairlead ${version}, Node ${node}, ${cpu}, ${cores} cores, load ${load}, seed ${seed}${mode}\n`;
}

async function keep(report: Report, options: BenchOptions, host: BenchHost): Promise<void> {
  const file = options.jsonFile ?? (options.from === null ? host.latestFile : undefined);
  if (file !== undefined) await writeJson(file, report);
}

function sayWhatDoesNotHold(report: Report, host: BenchHost): void {
  for (const { bench, name, reason } of report.skipped)
    host.err(`not measured: ${bench}: ${name}: ${reason}\n`);
  for (const { bench, message } of report.failures)
    host.err(`not measured: ${bench}: ${message.split('\n')[0]}\n`);
  for (const row of report.rows.filter(({ holds }) => holds === false))
    host.err(`does not hold: ${row.bench}: ${row.name} (${goalText(row)})\n`);
}

function sayComparison(comparison: Comparison, host: BenchHost): void {
  const { head, apart } = comparisonTexts(comparison);
  host.out(`\n${head}\n`);
  for (const verdict of comparison.verdicts) {
    const text = verdictText(verdict);
    if (text === null || verdict.kind === 'skipped') continue;
    const isBad = verdict.kind === 'slower' || verdict.kind === 'missing';
    (isBad ? host.err : host.out)(`${text}\n`);
  }
  if (apart !== null) host.out(`${apart}\n`);
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}
