import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writePage } from '../page/write-page.ts';
import {
  type Baseline,
  baselineOf,
  type Comparison,
  compareWithBaseline,
  comparisonTexts,
  confirmed,
  sameMachine,
  slowerBenches,
  verdictText,
} from './baseline.ts';
import type { Bench } from './bench.ts';
import type { BenchHost } from './bench-host.ts';
import { type BenchOptions, benchUsage, parseBenchOptions } from './bench-options.ts';
import { durationText, secondsOf } from './duration.ts';
import { measure } from './measure.ts';
import { fairleadVersion, type Machine, type Report, thisMachine } from './report.ts';
import { reportOfLines } from './report-lines.ts';
import { goalText, rowTable } from './table.ts';

/**
 * Runs the benches that the command line asks for and returns the exit status: 0 every goal held and no ratio became worse, 1
 * one did not, or did, or a bench failed; 2 the command line is wrong.
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
  const baseline = await jsonOf<Baseline>(host.baselineFile);
  const given = options.from === null ? null : await reportIn(options.from);
  const machine = given?.machine ?? thisMachine();
  const fault =
    options.from !== null && given === null
      ? `there is no report in ${options.from}`
      : faultOf(options, given?.benches ?? options.only, names, { machine, baseline });
  if (fault !== null) {
    host.err(`${fault}\n`);
    return 2;
  }
  host.out(headOf(given ?? { ...options, version: fairleadVersion() }, machine));
  const measured = given ?? (await measure(benches, options, machine, host));
  host.out(`\n${rowTable(measured.rows)}`);
  host.out(`\n${durationText(secondsOf(measured.durations))} in all\n`);
  const remeasure = (only: readonly string[]) => measure(benches, { ...options, only }, machine, host);
  const comparison =
    baseline === null || measured.quick
      ? null
      : await compare(measured, baseline, given === null && !options.updateBaseline ? remeasure : null);
  const report: Report = { ...measured, comparison };
  await keep(report, options, host);
  sayWhatDoesNotHold(report, host);
  if (comparison !== null) sayComparison(comparison, host);
  const isWorse = comparison?.holds === false && !options.updateBaseline;
  if (host.signal.aborted) return 1;
  if (options.updateBaseline && host.baselineFile !== undefined)
    await writeJson(host.baselineFile, baselineOf(report, baseline));
  if (options.writePage && host.pageFile !== undefined) await writePage(report, host.pageFile);
  return report.holds && !isWorse ? 0 : 1;
}

/** Holds a run against the baseline; what is slower is measured once more, where that can be done, before it counts. */
async function compare(
  report: Report,
  baseline: Baseline,
  remeasure: ((only: readonly string[]) => Promise<Report>) | null,
): Promise<Comparison> {
  const first = compareWithBaseline(report, baseline);
  const slower = slowerBenches(first);
  if (remeasure === null || slower.length === 0) return first;
  return confirmed(first, compareWithBaseline(await remeasure(slower), baseline));
}

/** Why what was asked for cannot be done with this run; null where it can. */
function faultOf(
  options: BenchOptions,
  measures: readonly string[],
  all: readonly string[],
  { machine, baseline }: { readonly machine: Machine; readonly baseline: Baseline | null },
): string | null {
  const isWhole = all.every((name) => measures.includes(name));
  if (options.writePage && !isWhole) return '--write needs a run of every bench: a page is of one run';
  if (options.updateBaseline && !isWhole && baseline !== null && !sameMachine(machine, baseline.machine))
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

/** A report as `--json` writes it, or as the page has it beside it; null where there is none. One of an older run has no durations. */
async function reportIn(file: string): Promise<Report | null> {
  const report = file.endsWith('.jsonl')
    ? await readAs(file, reportOfLines)
    : await readAs(file, (text) => JSON.parse(text) as Report);
  return report === null ? null : { ...report, durations: report.durations ?? [] };
}

async function jsonOf<T>(file: string | undefined): Promise<T | null> {
  return file === undefined ? null : await readAs(file, (text) => JSON.parse(text) as T);
}

async function readAs<T>(file: string, parse: (text: string) => T): Promise<T | null> {
  try {
    return parse(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}
