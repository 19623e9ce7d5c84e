import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { benches as allBenches } from '../bench/benches/index.ts';
import { type Baseline, baselineOf, compareWithBaseline, verdictText } from '../bench/harness/baseline.ts';
import type { Bench } from '../bench/harness/bench.ts';
import { measurementOf } from '../bench/harness/measurement.ts';
import type { Machine, Report } from '../bench/harness/report.ts';
import { linesOf } from '../bench/harness/report-lines.ts';
import { differenceRow, limitRow, ratioRow, reportRow } from '../bench/harness/row.ts';
import { runBenches } from '../bench/harness/run-benches.ts';
import { fixedReport } from './bench/fixed-report.ts';

const { machine } = fixedReport;
const baseline = baselineOf(fixedReport, null);

/** The fixed report with another ratio, and its interval, in one row. */
function withRatio(name: string, ratio: number, ratioInterval: readonly [number, number]): Report {
  const rows = fixedReport.rows.map((row) => (row.name === name ? { ...row, ratio, ratioInterval } : row));
  return { ...fixedReport, rows };
}

function said(report: Report, against: Baseline = baseline) {
  const { holds, verdicts } = compareWithBaseline(report, against);
  return { holds, lines: verdicts.map(verdictText).filter((line) => line !== null) };
}

test('the baseline has the ratios of a run and how far they spread, without orders and plain times', () => {
  assert.deepEqual(baseline, {
    version: '0.1.0',
    startedAt: '2026-11-30T12:00:00.000Z',
    seed: 7,
    machine,
    rows: [
      { bench: 'calls', name: 'call against a pipe', ratio: 1.2, low: 1.15, high: 1.25 },
      { bench: 'admission', name: 'a hundred tools', ratio: 1.08, low: 1.05, high: 1.12 },
      { bench: 'peers', name: 'Fairlead, HTTP, against supergateway', ratio: 1.5, low: 1.4, high: 1.6 },
    ],
  });
});

test('the same ratios hold, and nothing is said of them', () => {
  assert.deepEqual(said(fixedReport), { holds: true, lines: [] });
});

test('a ratio is slower when its interval lies above that of the baseline by more than the tolerance', () => {
  // 1.25 and a quarter of it is 1.5625.
  assert.deepEqual(said(withRatio('call against a pipe', 1.6, [1.563, 1.7])), {
    holds: false,
    lines: ['slower than the baseline: calls: call against a pipe: 1.6 [1.56..1.7], was 1.2 [1.15..1.25]'],
  });
  // A median far above it, and a spread that reaches down to it: that is noise.
  assert.deepEqual(said(withRatio('call against a pipe', 1.9, [1.562, 2.4])), { holds: true, lines: [] });
});

test('a faster ratio is said and holds', () => {
  assert.deepEqual(said(withRatio('call against a pipe', 0.85, [0.8, 0.91])), {
    holds: true,
    lines: ['faster than the baseline: calls: call against a pipe: 0.85 [0.8..0.91], was 1.2 [1.15..1.25]'],
  });
});

test('on another machine a ratio may differ by half', () => {
  const elsewhere: Machine = { ...machine, cpu: 'another processor' };
  const at = (ratio: number) => ({
    ...withRatio('call against a pipe', ratio, [ratio, ratio]),
    machine: elsewhere,
  });
  const { isSameMachine, tolerance, holds } = compareWithBaseline(at(1.87), baseline);
  assert.deepEqual(
    { isSameMachine, tolerance, holds },
    { isSameMachine: false, tolerance: 0.5, holds: true },
  );
  assert.equal(compareWithBaseline(at(1.88), baseline).holds, false);
  assert.equal(compareWithBaseline(at(1.87), { ...baseline, machine: elsewhere }).holds, false);
});

test('a row that its bench no longer measures does not hold', () => {
  const rows = fixedReport.rows.filter(({ name }) => name !== 'a hundred tools');
  assert.deepEqual(said({ ...fixedReport, rows }), {
    holds: false,
    lines: ['in the baseline and not measured: admission: a hundred tools'],
  });
});

test('a row that could not be measured here is not missing, and neither is one whose bench did not run or failed', () => {
  const name = 'Fairlead, HTTP, against supergateway';
  const without = fixedReport.rows.filter((row) => row.bench !== 'peers');
  const skipped = [{ bench: 'peers', name, reason: 'npm ci failed' }];
  assert.deepEqual(said({ ...fixedReport, rows: without, skipped }), {
    holds: true,
    lines: [`not compared: peers: ${name}: npm ci failed`],
  });
  const fewer = { ...fixedReport, rows: without, benches: ['calls', 'admission', 'up'] };
  assert.deepEqual(said(fewer), { holds: true, lines: [] });
  const failures = [{ bench: 'peers', message: 'no such host' }];
  assert.deepEqual(said({ ...fixedReport, rows: without, failures }), { holds: true, lines: [] });
});

test('a new row is said and holds', () => {
  const older = { ...baseline, rows: baseline.rows.filter(({ bench }) => bench !== 'admission') };
  assert.deepEqual(said(fixedReport, older), {
    holds: true,
    lines: ['not in the baseline: admission: a hundred tools: 1.08 [1.05..1.12]'],
  });
});

test('a run of some benches renews theirs alone, and what could not be measured stays as it was', () => {
  const rows = withRatio('call against a pipe', 2, [1.9, 2.1]).rows.filter(({ bench }) => bench === 'calls');
  const skipped = [{ bench: 'peers', name: 'Fairlead, HTTP, against supergateway', reason: 'npm ci failed' }];
  const renewed = baselineOf({ ...fixedReport, rows, skipped, benches: ['calls', 'peers'] }, baseline);
  assert.deepEqual(
    renewed.rows.map(({ name, ratio }) => [name, ratio]),
    [
      ['a hundred tools', 1.08],
      ['Fairlead, HTTP, against supergateway', 1.5],
      ['call against a pipe', 2],
    ],
  );
});

test('a bench that failed keeps its ratios in a renewed baseline', () => {
  const rows = fixedReport.rows.filter(({ bench: of }) => of !== 'admission');
  const failures = [{ bench: 'admission', message: 'no such host' }];
  const renewed = baselineOf({ ...fixedReport, rows, failures }, baseline);
  assert.deepEqual(renewed.rows.map(({ name }) => name).sort(), [
    'Fairlead, HTTP, against supergateway',
    'a hundred tools',
    'call against a pipe',
  ]);
});

const bench = (...figures: number[]): Bench => ({
  name: 'calls',
  title: 'a call',
  async run() {
    const figure = figures.length > 1 ? figures.shift() : figures[0];
    const [call, pipe] = [figure ?? 0, 10].map((value) => measurementOf('call', 'µs', [[value], [value]]));
    assert.ok(call !== undefined && pipe !== undefined);
    return { measurements: [call], rows: [ratioRow('call against a pipe', call, pipe, 10)] };
  },
});

async function run(args: readonly string[], benches: readonly Bench[], baselineFile: string) {
  const text = { out: '', err: '' };
  const status = await runBenches(args, benches, {
    out: (more) => {
      text.out += more;
    },
    err: (more) => {
      text.err += more;
    },
    freshSeed: () => 1,
    signal: new AbortController().signal,
    baselineFile,
  });
  return { status, ...text };
}

test('a run writes the baseline, holds the next run against it, and ends with 1 for a slower one', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const file = join(folder, 'baseline.json');
  assert.equal((await run([], [bench(12)], file)).status, 0);
  assert.equal(existsSync(file), false);
  assert.equal((await run(['--update-baseline'], [bench(12)], file)).status, 0);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')).rows, [
    { bench: 'calls', name: 'call against a pipe', ratio: 1.2, low: 1.2, high: 1.2 },
  ]);

  const same = await run([], [bench(13)], file);
  assert.equal(same.status, 0);
  assert.match(
    same.out,
    /against the baseline of \d{4}-\d\d-\d\d \(this machine; 25 % beyond the spread of both\): 1 of 1 ratios the same/,
  );

  const json = join(folder, 'report.json');
  const slower = await run(['--json', json], [bench(16)], file);
  assert.equal(slower.status, 1);
  assert.match(slower.err, /^slower than the baseline: calls: call against a pipe: 1\.6 .*, was 1\.2 /m);
  assert.equal(JSON.parse(readFileSync(json, 'utf8')).comparison.holds, false);
  // It is measured again before that counts.
  const once = await run([], [bench(16, 12)], file);
  assert.equal(once.status, 0);
  assert.match(once.out, /^slower at first, and not again: calls: call against a pipe: 1\.6 .*, then 1\.2 /m);
  // A quick run is too noisy to be compared; a report that is there already can be.
  assert.equal((await run(['--quick'], [bench(16)], file)).status, 0);
  assert.equal((await run(['--from', json], [bench(1)], file)).status, 1);

  // Who renews it says that the new ratios are right.
  assert.equal((await run(['--from', json, '--update-baseline'], [bench(1)], file)).status, 0);
  assert.equal((await run([], [bench(16)], file)).status, 0);
});

/** A bench with a row of every kind: a ratio, a ratio without a goal, a difference, a limit, a time. */
const everyKind = (figure: number): Bench => ({
  name: 'added',
  title: 'since the baseline',
  async run() {
    const [is = never(), other = never()] = [figure, 10].map((value) =>
      measurementOf('a call', 'ms', [[value], [value]]),
    );
    const rows = [
      ratioRow('held', is, other, 100),
      reportRow('told', is, other),
      differenceRow('beyond', is, other, 8),
      limitRow('at most', is, 100),
      reportRow('a time', is),
    ];
    return { measurements: [is], rows };
  },
});

function never(): never {
  return assert.fail('a figure is missing');
}

test('a bench that the baseline did not have is said to be new, and is compared once the baseline was renewed', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'baseline.json');
  await run(['--update-baseline'], [bench(12)], file);
  const added = await run([], [bench(12), everyKind(12)], file);
  assert.equal(added.status, 0);
  assert.match(added.out, /: 1 of 4 ratios the same$/m);
  for (const name of ['held', 'told', 'beyond'])
    assert.match(added.out, new RegExp(`^not in the baseline: added: ${name}: 1\\.2 `, 'm'));
  assert.match(
    added.out,
    /^not compared, because they are no ratios: 2 rows \(1 held by their goals, 1 told\)$/m,
  );

  assert.equal((await run(['--update-baseline'], [bench(12), everyKind(12)], file)).status, 0);
  const slower = await run([], [bench(12), everyKind(17)], file);
  assert.equal(slower.status, 1);
  for (const name of ['held', 'told', 'beyond'])
    assert.match(slower.err, new RegExp(`^slower than the baseline: added: ${name}: 1\\.7 `, 'm'));
});

test('a difference or a time beyond its goal ends the run with 1, whatever the baseline says', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'baseline.json');
  assert.equal((await run(['--update-baseline'], [everyKind(19)], file)).status, 1);
  const same = await run([], [everyKind(19)], file);
  assert.equal(same.status, 1);
  assert.match(same.out, /: 3 of 3 ratios the same$/m);
  assert.equal(same.err, 'does not hold: added: beyond (difference ≤ 8 ms)\n');
});

test('a run that was kept beside its page is read again as a report is', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const kept = join(folder, 'run.jsonl');
  const ranges = { p50Range: [1, 1], ratioRange: null, differenceRange: null } as const;
  const rows = fixedReport.rows.map((row) => ({ ...row, ...ranges }));
  writeFileSync(kept, linesOf({ ...fixedReport, rows }));
  const { status, out } = await run(['--from', kept], [bench(1)], join(folder, 'baseline.json'));
  assert.equal(status, 1);
  assert.match(out, /^call against a pipe +24 +20 /m);
  assert.match(out, /^2 min 50 s in all$/m);
});

test('what cannot be kept is refused before anything is measured', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const file = join(folder, 'baseline.json');
  writeFileSync(file, JSON.stringify({ ...baseline, machine: { ...machine, cpu: 'another processor' } }));
  const never: Bench = {
    name: 'peers',
    title: 'never run',
    run: () => assert.fail('it was measured'),
  };
  const partly = await run(['--update-baseline', '--only', 'calls'], [bench(12), never], file);
  assert.deepEqual(partly, {
    status: 2,
    out: '',
    err: 'the baseline is of another machine: renew it with a run of every bench\n',
  });
  const gone = await run(['--from', join(folder, 'gone.json')], [never], file);
  assert.equal(gone.status, 2);
  assert.match(gone.err, /^there is no report in /);
  const report = join(folder, 'report.json');
  writeFileSync(report, JSON.stringify({ ...fixedReport, benches: ['calls'] }));
  const page = await run(['--from', report, '--write'], [bench(12), never], file);
  assert.deepEqual(
    [page.status, page.err],
    [2, '--write needs a run of every bench: a page is of one run\n'],
  );
});

test('the committed baseline is of benches that there are', () => {
  const committed = JSON.parse(readFileSync(join(repositoryRoot, 'bench/baseline.json'), 'utf8')) as Baseline;
  const names = allBenches.map(({ name }) => name);
  assert.deepEqual(
    committed.rows.filter((row) => !names.includes(row.bench)),
    [],
  );
  for (const { name, ratio, low, high } of committed.rows) assert.ok(low <= ratio && ratio <= high, name);
});
