import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { benches as allBenches } from '../bench/benches/index.ts';
import { type Baseline, baselineOf } from '../bench/harness/baseline.ts';
import type { Bench } from '../bench/harness/bench.ts';
import { compareWithBaseline, confirmed, verdictText } from '../bench/harness/comparison.ts';
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
});

test('a ratio far above that of the baseline is said where its interval is too wide to tell, and is not the same', () => {
  const line = 'slower than the baseline, or too unsteady to tell: calls: call against a pipe:';
  assert.deepEqual(said(withRatio('call against a pipe', 1.9, [1.562, 2.4])), {
    holds: true,
    lines: [`${line} 1.9 [1.56..2.4], was 1.2 [1.15..1.25]`],
  });
  // A kept interval that is wide hides nothing either: three times worse.
  const wide = baselineOf(withRatio('call against a pipe', 11, [8.06, 29.7]), null);
  assert.deepEqual(said(withRatio('call against a pipe', 30, [10, 31]), wide), {
    holds: true,
    lines: [`${line} 30 [10..31], was 11 [8.06..29.7]`],
  });
  // A quarter more than 1.2 is 1.5.
  assert.deepEqual(said(withRatio('call against a pipe', 1.49, [1.2, 2.4])).lines, []);
  assert.equal(said(withRatio('call against a pipe', 1.51, [1.2, 2.4])).lines.length, 1);
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

test('what was slower or unclear counts as slower only if it lies above the baseline twice and clear of it once', () => {
  const clear = withRatio('call against a pipe', 1.9, [1.8, 2]);
  const unclear = withRatio('call against a pipe', 1.9, [1.2, 2.4]);
  const twice = (first: Report, second: Report) => {
    const { verdicts, holds } = confirmed(
      compareWithBaseline(first, baseline),
      compareWithBaseline(second, baseline),
    );
    return [verdicts[0]?.kind, holds];
  };
  assert.deepEqual(twice(clear, clear), ['slower', false]);
  assert.deepEqual(twice(clear, unclear), ['slower', false]);
  assert.deepEqual(twice(unclear, clear), ['slower', false]);
  assert.deepEqual(twice(unclear, unclear), ['unclear', true]);
  assert.deepEqual(twice(clear, fixedReport), ['unsteady', true]);
  assert.deepEqual(twice(unclear, fixedReport), ['unsteady', true]);
  const failures = [{ bench: 'calls', message: 'no such host' }];
  assert.deepEqual(twice(clear, { ...fixedReport, failures }), ['slower', false]);
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

async function run(
  args: readonly string[],
  benches: readonly Bench[],
  baselineFile: string,
  signal = new AbortController().signal,
) {
  const text = { out: '', err: '' };
  const status = await runBenches(args, benches, {
    out: (more) => {
      text.out += more;
    },
    err: (more) => {
      text.err += more;
    },
    freshSeed: () => 1,
    signal,
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

/** A bench whose rounds have these ratios, in each run the next of them. */
const rounds = (...runs: (readonly number[])[]): Bench => ({
  name: 'calls',
  title: 'a call',
  async run() {
    const ratios = (runs.length > 1 ? runs.shift() : runs[0]) ?? [];
    const measured = (of: (ratio: number) => number) =>
      measurementOf(
        'call',
        'µs',
        ratios.map((ratio) => [of(ratio)]),
      );
    const row = reportRow(
      'call alone',
      measured((ratio) => ratio * 10),
      measured(() => 10),
    );
    return { measurements: [], rows: [row] };
  },
});

test('a ratio three times worse within wide intervals is measured again and said, and no renewal keeps it silently', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'baseline.json');
  const kept = await run(['--update-baseline'], [rounds([8, 11, 30])], file);
  assert.deepEqual(
    [kept.status, kept.err],
    [0, 'kept, and too wide to hold much against: calls: call alone: 11 [8..30]\n'],
  );
  const steady = await run(['--update-baseline'], [rounds([10, 11, 15])], file);
  assert.equal(steady.err, '');
  await run(['--update-baseline'], [rounds([8, 11, 30])], file);
  const twice = await run([], [rounds([10, 30, 31])], file);
  assert.equal(twice.status, 0);
  assert.match(
    twice.out,
    /^slower than the baseline, or too unsteady to tell: calls: call alone: 30 \[10\.\.31\], was 11 \[8\.\.30\]$/m,
  );
  assert.match(twice.out, /: 0 of 1 ratios the same$/m);
  const once = await run([], [rounds([10, 30, 31], [9, 11, 12])], file);
  assert.match(
    once.out,
    /^slower at first, and not again: calls: call alone: 30 \[10\.\.31\], then 11 \[9\.\.12\]$/m,
  );
});

test('two runs of today are held against each other, whatever the committed baseline says', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const file = join(folder, 'baseline.json');
  const [before, after] = ['before.json', 'after.json'].map((name) => join(folder, name));
  assert.ok(before !== undefined && after !== undefined);
  await run(['--update-baseline'], [bench(30)], file);
  await run(['--json', before], [bench(12)], file);
  // Against the committed 3 it would be faster.
  const measured = await run(['--json', after, '--against', before], [bench(16)], file);
  const line = /^slower than the baseline: calls: call against a pipe: 1\.6 .*, was 1\.2 /m;
  assert.equal(measured.status, 1);
  assert.match(measured.err, line);
  // It is measured again before that counts.
  assert.equal((await run(['--against', before], [bench(16, 12)], file)).status, 0);
  const again = await run(['--from', after, '--against', before], [bench(1)], file);
  assert.equal(again.status, 1);
  assert.match(again.err, line);
  assert.equal((await run(['--from', after], [bench(1)], file)).status, 0);

  await run(['--quick', '--json', before], [bench(12)], file);
  for (const args of [
    ['--from', after, '--against', before],
    ['--from', before, '--against', after],
  ]) {
    const quick = await run(args, [bench(1)], file);
    assert.deepEqual([quick.status, quick.err], [2, 'the figures of --quick are too noisy to be compared\n']);
  }
});

test('a file that holds no report, or no baseline, is named in a sentence', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const file = join(folder, 'baseline.json');
  const [text, other, lines, report] = ['a.json', 'b.json', 'c.jsonl', 'd.json'].map((at) =>
    join(folder, at),
  );
  assert.ok(text !== undefined && other !== undefined && lines !== undefined && report !== undefined);
  writeFileSync(text, 'p50: 12');
  writeFileSync(other, JSON.stringify(baseline));
  writeFileSync(lines, 'null\n');
  writeFileSync(report, JSON.stringify(fixedReport));
  for (const wrong of [text, other, lines, folder])
    for (const args of [
      ['--from', wrong],
      ['--from', report, '--against', wrong],
      ['--against', wrong],
    ]) {
      const { status, out, err } = await run(args, [bench(1)], file);
      assert.deepEqual([status, out], [2, ''], args.join(' '));
      assert.match(err, /^there is no report in .+: .+\n$/);
      assert.ok(err.includes(wrong), err);
    }
  writeFileSync(file, '<<<<<<< HEAD\n');
  const { status, out, err } = await run([], [bench(1)], file);
  assert.deepEqual([status, out], [2, '']);
  assert.match(err, /^there is no baseline in /);
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
  // As in the run of 2026-11-30, of which the rounds were not kept.
  const ranges = { p50Range: undefined, ratioRange: undefined, differenceRange: undefined };
  const rows = fixedReport.rows.map((row) => ({ ...row, ...ranges })) as unknown as Report['rows'];
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
  const quick = join(folder, 'quick.json');
  await run(['--quick', '--json', quick], [bench(12)], file);
  for (const how of ['--update-baseline', '--write']) {
    const { status, err } = await run(['--from', quick, how], [bench(12)], file);
    assert.deepEqual([status, err], [2, 'the figures of --quick are too noisy to be kept\n'], how);
  }
});

test('a run that was interrupted is no whole one: what it did not come to failed, and none of it is kept', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const file = join(folder, 'baseline.json');
  await run(['--update-baseline'], [bench(12), everyKind(12)], file);
  const stop = new AbortController();
  const interrupting: Bench = {
    ...bench(12),
    async run(context) {
      stop.abort(new Error('interrupted by SIGINT'));
      return await bench(12).run(context);
    },
  };
  const json = join(folder, 'report.json');
  const stopped = await run(['--json', json], [interrupting, everyKind(12)], file, stop.signal);
  assert.equal(stopped.status, 1);
  assert.match(stopped.err, /^not measured: added: interrupted before it began$/m);
  const report = JSON.parse(readFileSync(json, 'utf8')) as Report;
  assert.deepEqual(report.failures, [{ bench: 'added', message: 'interrupted before it began' }]);
  assert.deepEqual([report.interrupted, report.holds], [true, false]);
  const kept = readFileSync(file, 'utf8');
  for (const how of ['--update-baseline', '--write']) {
    const { status, err } = await run(['--from', json, how], [bench(12), everyKind(12)], file);
    assert.deepEqual([status, err], [2, 'a run that was interrupted is not kept\n'], how);
  }
  assert.equal(readFileSync(file, 'utf8'), kept);
  assert.deepEqual(baselineOf(report, JSON.parse(kept) as Baseline).rows.length, 4);
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
