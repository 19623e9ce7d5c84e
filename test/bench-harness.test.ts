import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, pidIsAlive, temporaryFolder, waitFor } from '@fairlead/testing';
import type { Bench } from '../bench/harness/bench.ts';
import { parseBenchOptions } from '../bench/harness/bench-options.ts';
import { ChildSet } from '../bench/harness/child-set.ts';
import { closedLoop } from '../bench/harness/closed-loop.ts';
import { within } from '../bench/harness/deadline.ts';
import { benchEnvironment } from '../bench/harness/environment.ts';
import { firstLine } from '../bench/harness/first-line.ts';
import { interleave } from '../bench/harness/interleave.ts';
import { measurementOf, type Unit } from '../bench/harness/measurement.ts';
import { differenceRow, orderRow, ratioRow, reportRow } from '../bench/harness/row.ts';
import { runBenches } from '../bench/harness/run-benches.ts';
import { median, medianInterval, quantile, rounded, spreadOf } from '../bench/harness/statistics.ts';
import { goalText, measurementTable, rowTable } from '../bench/harness/table.ts';

const never = new AbortController().signal;
const oneRound = (unit: Unit, ...figures: number[]) =>
  measurementOf(
    'figure',
    unit,
    figures.map((figure) => [figure]),
  );

test('a median is the middle value, or the mean of the middle two, whatever the order', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([10, 1, 4, 2]), 3);
  assert.equal(median([7]), 7);
  assert.throws(() => median([]), RangeError);
});

test('a quantile is the smallest value that the share does not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.equal(quantile(hundred, 0.99), 99);
  assert.equal(quantile(hundred, 0.5), 50);
  assert.equal(quantile([3, 1, 2], 1), 3);
  assert.equal(quantile([3, 1, 2], 0), 1);
  assert.throws(() => quantile([], 0.5), RangeError);
});

test('an interval holds the median with 95 per cent, by ranks alone', () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => (index * 7) % count);
  assert.deepEqual(medianInterval([3]), [3, 3]);
  assert.deepEqual(medianInterval([5, 1, 4, 2, 3]), [1, 5]);
  assert.deepEqual(medianInterval(upTo(6)), [0, 5]);
  assert.deepEqual(medianInterval(upTo(10)), [1, 8]);
  assert.deepEqual(medianInterval(upTo(40)), [13, 26]);
  assert.deepEqual(medianInterval(upTo(60)), [21, 38]);
  assert.throws(() => medianInterval([]), RangeError);
});

test('a spread has the middle and both ends, and figures are cut to what the noise allows', () => {
  assert.deepEqual(spreadOf([4, 2, 30]), { p50: 4, min: 2, max: 30 });
  assert.deepEqual([12.345, 123.6, 0.00123456, 99.96].map(rounded), [12.3, 124, 0.00123, 100]);
});

test('the figure of a round is the median of its samples, and p99 looks at the samples of all rounds', () => {
  const measured = measurementOf('a', 'µs', [
    [1, 2, 90],
    [3, 4, 5],
    [8, 6, 7],
  ]);
  assert.deepEqual(measured, {
    name: 'a',
    unit: 'µs',
    p50: 4,
    min: 2,
    max: 7,
    perRound: [2, 4, 7],
    p95: 90,
    p99: 90,
    samples: 9,
  });
  assert.equal(oneRound('ms', 5, 6, 7).p99, null);
});

test('variants run in turn, A B C A B C, after rounds that do not count', async () => {
  const order: string[] = [];
  const rounds: number[] = [];
  const variant = <Name extends string>(name: Name, figure: number) => ({
    unit: 'ms' as const,
    async round(round: number) {
      order.push(`${name}${round}`);
      return { [name]: [figure + round] } as Record<Name, number[]>;
    },
  });
  const measured = await interleave([variant('a', 10), variant('b', 20), variant('c', 30)], {
    rounds: 2,
    warmUpRounds: 1,
    signal: never,
    onRound: (round) => rounds.push(round),
  });
  assert.equal(order.join(' '), 'a-1 b-1 c-1 a0 b0 c0 a1 b1 c1');
  assert.deepEqual(rounds, [-1, 0, 1]);
  assert.deepEqual(measured.b.perRound, [20, 21]);
  assert.equal(measured.c.p50, 30.5);
});

test('one variant may give several figures of the same round', async () => {
  const both = {
    unit: 'ms' as const,
    round: async (round: number) => ({ whole: [10 + round, 14 + round, 12 + round], part: [round] }),
  };
  const { whole, part } = await interleave([both], { rounds: 3, warmUpRounds: 0, signal: never });
  assert.deepEqual(whole.perRound, [12, 13, 14]);
  assert.equal(whole.samples, 9);
  assert.deepEqual(part.perRound, [0, 1, 2]);
});

test('figures of one variant may have units of their own, and none goes without', async () => {
  const options = { rounds: 1, warmUpRounds: 0, signal: never };
  const round = async () => ({ call: [10], rate: [90] });
  const { call, rate } = await interleave([{ unit: { call: 'µs', rate: '1/s' }, round }], options);
  assert.deepEqual([call.unit, rate.unit], ['µs', '1/s']);
  const unnamed = { unit: { call: 'µs' } as Record<'call' | 'rate', Unit>, round };
  await assert.rejects(interleave([unnamed], options), { message: 'the figure rate has no unit' });
});

test('a closed loop makes every call once on its lanes, and its rate is of all of them', async () => {
  const calls: number[][] = [[], [], []];
  let inFlight = 0;
  let most = 0;
  const { samplesUs, perSecond } = await closedLoop({ calls: 30, inFlight: 3 }, async (index, lane) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await new Promise(setImmediate);
    inFlight -= 1;
    calls[lane]?.push(index);
  });
  assert.equal(samplesUs.length, 30);
  assert.equal(most, 3);
  assert.ok(perSecond > 0 && samplesUs.every((sample) => sample > 0));
  assert.deepEqual(
    [...new Set(calls.flat())].sort((a, b) => a - b),
    Array.from({ length: 30 }, (_, i) => i),
  );
  assert.ok(calls.every((lane) => lane.length > 0));
});

test('an interrupted measurement stops before its next variant', async () => {
  const stop = new AbortController();
  let ran = 0;
  const variant = {
    unit: 'ms' as const,
    async round() {
      ran += 1;
      stop.abort(new Error('interrupted'));
      return { a: [1] };
    },
  };
  await assert.rejects(interleave([variant, variant], { rounds: 9, warmUpRounds: 0, signal: stop.signal }), {
    message: 'interrupted',
  });
  assert.equal(ran, 1);
});

test('a ratio goal holds up to its bound, and the ratio is that of the two medians', () => {
  const row = ratioRow('call', oneRound('µs', 30, 45, 33), oneRound('µs', 20, 30, 30), 1.1);
  assert.deepEqual(row, {
    name: 'call',
    p50: 33,
    unit: 'µs',
    baseline: 30,
    ratio: 1.1,
    difference: 3,
    goal: 1.1,
    goalOf: 'ratio',
    holds: true,
    p50Range: [30, 45],
    baselineRange: [20, 30],
    ratioRange: [1.1, 1.5],
    differenceRange: [3, 15],
    ratioInterval: [1.1, 1.5],
    rounds: 3,
  });
  assert.equal(ratioRow('call', oneRound('µs', 34), oneRound('µs', 30), 1.1).holds, false);
});

test('a difference goal holds up to its bound, in the unit of the figures', () => {
  const row = differenceRow('admission', oneRound('ms', 60, 68, 70), oneRound('ms', 60, 60, 60), 8);
  assert.equal(row.difference, 8);
  assert.equal(row.holds, true);
  assert.equal(goalText(row), 'difference ≤ 8 ms');
  assert.equal(differenceRow('admission', oneRound('ms', 69), oneRound('ms', 60), 8).holds, false);
});

test('an order holds only when it held in every round', () => {
  const held = orderRow('registered first', oneRound('ms', 5, 9), oneRound('ms', 6, 90));
  assert.equal(held.holds, true);
  assert.equal(goalText(held), 'before, in every round');
  assert.equal(orderRow('registered first', oneRound('ms', 5, 90), oneRound('ms', 600, 90)).holds, false);
});

test('a reported figure promises nothing, with or without one to set it against', () => {
  const alone = reportRow('memory', oneRound('MiB', 60, 62, 61));
  assert.deepEqual(
    [alone.p50, alone.baseline, alone.ratio, alone.goal, alone.holds],
    [61, null, null, null, null],
  );
  const beside = reportRow('memory', oneRound('MiB', 60), oneRound('MiB', 40));
  assert.deepEqual([beside.baseline, beside.ratio, beside.goal, beside.holds], [40, 1.5, null, null]);
});

test('figures of different rounds or units are never compared', () => {
  assert.throws(() => ratioRow('x', oneRound('ms', 1, 2), oneRound('ms', 1), 1), RangeError);
  assert.throws(() => differenceRow('x', oneRound('ms', 1), oneRound('µs', 1), 1), RangeError);
});

test('the tables line up and say what does not hold', () => {
  const slow = ratioRow('slow', oneRound('µs', 300), oneRound('µs', 100), 1.5);
  const rows = [slow, reportRow('memory', oneRound('MiB', 61.23))];
  assert.equal(
    rowTable(rows),
    [
      'result   p50  baseline  unit     ratio      difference         goal  holds',
      'slow     300       100    µs  3 [3..3]  200 [200..200]  ratio ≤ 1.5     NO',
      'memory  61.2         -   MiB         -               -            -      -',
      '',
    ].join('\n'),
  );
  assert.equal(
    measurementTable([measurementOf('pipe', 'µs', [[1, 2, 3]])]),
    [
      'variant  p50  unit  lowest..highest round  p95  p99  rounds  samples',
      'pipe       2    µs                   2..2    3    3       1        3',
      '',
    ].join('\n'),
  );
});

test('the command line chooses benches in their own order, and a wrong one is refused with the usage', () => {
  const parse = (...args: string[]) => parseBenchOptions(args, ['calls', 'http', 'help'], () => 7);
  assert.deepEqual(parse(), {
    ok: true,
    options: {
      only: ['calls', 'http', 'help'],
      jsonFile: null,
      quick: false,
      seed: 7,
      withPeers: true,
      from: null,
      against: null,
      updateBaseline: false,
      writePage: false,
    },
  });
  const given = ['--only', 'help, calls', '--json', 'out.json', '--quick', '--seed', '42', '--no-peers'];
  assert.deepEqual(parse(...given), {
    ok: true,
    options: {
      only: ['calls', 'help'],
      jsonFile: 'out.json',
      quick: true,
      seed: 42,
      withPeers: false,
      from: null,
      against: null,
      updateBaseline: false,
      writePage: false,
    },
  });
  const kept = parse('--from', 'report.json', '--update-baseline', '--write');
  assert.deepEqual(kept.ok && [kept.options.from, kept.options.updateBaseline, kept.options.writePage], [
    'report.json',
    true,
    true,
  ]);
  for (const wrong of [
    ['--only', 'cals'],
    ['--seed', '1.5'],
    ['--seed', '-1'],
    ['--json', ''],
    ['--fast'],
    ['--quick', '--update-baseline'],
    ['--quick', '--write'],
    ['--only', 'http', '--write'],
    ['--from', 'report.json', '--only', 'http'],
    ['--from', ''],
    ['--against', ''],
    ['--against', 'report.json', '--quick'],
    ['--against', 'report.json', '--update-baseline'],
    ['--against', 'report.json', '--write'],
    ['calls'],
  ]) {
    const parsed = parse(...wrong);
    assert.equal(parsed.ok, false, wrong.join(' '));
    assert.match(parsed.ok ? '' : parsed.message, /usage: npm run bench/);
  }
});

const bench = (name: string, figure: number, goal: number): Bench => ({
  name,
  title: `the bench ${name}`,
  async run(context) {
    const { a, b } = await interleave(
      [
        { unit: 'µs', round: async () => ({ a: [figure] }) },
        { unit: 'µs', round: async () => ({ b: [10] }) },
      ],
      context.plan(3, 2, 1),
    );
    return { measurements: [a, b], rows: [ratioRow(`${name} against b`, a, b, goal)] };
  },
});

async function run(args: readonly string[], benches: readonly Bench[], signal: AbortSignal = never) {
  const text = { out: '', err: '' };
  const status = await runBenches(args, benches, {
    out: (more) => {
      text.out += more;
    },
    err: (more) => {
      text.err += more;
    },
    freshSeed: () => 11,
    signal,
  });
  return { status, ...text };
}

test('a run whose goals hold ends with 0, and its JSON has every row with its figures', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'bench.json');
  const { status, out } = await run(['--json', file, '--seed', '5', '--quick'], [bench('calls', 15, 1.5)]);
  assert.equal(status, 0);
  assert.match(out, /calls against b +15 +10 +µs +1\.5/);
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(Object.keys(report), [
    'version',
    'startedAt',
    'seed',
    'quick',
    'benches',
    'machine',
    'holds',
    'rows',
    'measurements',
    'skipped',
    'failures',
    'durations',
    'comparison',
  ]);
  assert.deepEqual(
    report.durations.map(({ bench: name }: { bench: string }) => name),
    ['calls'],
  );
  assert.match(out, /^\(calls took \d+ s\)$/m);
  assert.match(out, /^\d+ s in all$/m);
  assert.equal(report.seed, 5);
  assert.equal(report.quick, true);
  assert.equal(report.holds, true);
  assert.equal(report.machine.node, process.version);
  const { name, p50, unit, baseline, ratio, goal, holds, rounds } = report.rows[0];
  assert.deepEqual(
    { name, p50, unit, baseline, ratio, goal, holds, rounds },
    {
      name: 'calls against b',
      p50: 15,
      unit: 'µs',
      baseline: 10,
      ratio: 1.5,
      goal: 1.5,
      holds: true,
      rounds: 2,
    },
  );
  assert.deepEqual(
    report.measurements.map((measured: { bench: string; name: string }) => [measured.bench, measured.name]),
    [
      ['calls', 'a'],
      ['calls', 'b'],
    ],
  );
});

test('a quick run warms up once at most, a whole one as often as its bench says', async () => {
  const counted = async (args: readonly string[]) => {
    const rounds: number[] = [];
    const counting: Bench = {
      name: 'calls',
      title: 'counts',
      async run(context) {
        const round = async (number: number) => {
          rounds.push(number);
          return { a: [1] };
        };
        const { a } = await interleave([{ unit: 'µs', round }], context.plan(4, 2, 3));
        return { measurements: [a], rows: [] };
      },
    };
    await run(args, [counting]);
    return rounds;
  };
  assert.deepEqual(await counted(['--quick']), [-1, 0, 1]);
  assert.deepEqual(await counted([]), [-3, -2, -1, 0, 1, 2, 3]);
});

test('a goal that does not hold ends the run with 1 and is named, after all benches ran', async (t) => {
  hygiene(t);
  const { status, out, err } = await run([], [bench('calls', 16, 1.5), bench('help', 10, 1.5)]);
  assert.equal(status, 1);
  assert.match(err, /does not hold: calls: calls against b \(ratio ≤ 1\.5\)/);
  assert.doesNotMatch(err, /does not hold: help/);
  assert.match(out, /help against b/);
});

test('a bench that throws fails the run, and what it started is ended and removed', async (t) => {
  const left = hygiene(t);
  let pid: number | undefined;
  const broken: Bench = {
    name: 'broken',
    title: 'leaves a process and a file',
    async run(context) {
      const child = context.children.start(process.execPath, [
        '-e',
        'console.log("ready"); setInterval(() => {}, 1000)',
      ]);
      await firstLine(child, 'the child');
      pid = child.pid;
      throw new Error('no such measure');
    },
  };
  const file = join(temporaryFolder(t), 'bench.json');
  const { status, err } = await run(['--json', file], [broken, bench('help', 10, 1.5)]);
  assert.equal(status, 1);
  assert.match(err, /broken could not be measured: Error: no such measure/);
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(report.failures, [{ bench: 'broken', message: 'no such measure' }]);
  assert.equal(report.holds, false);
  assert.equal(report.rows.length, 1);
  assert.notEqual(pid, undefined);
  assert.deepEqual(
    left.leftovers().filter((line) => line.startsWith('process')),
    [],
  );
});

test('an interrupted run starts no further bench and does not end with 0', async (t) => {
  hygiene(t);
  const stop = new AbortController();
  const stopping: Bench = {
    name: 'stopping',
    title: 'interrupts',
    async run() {
      stop.abort(new Error('interrupted'));
      return { measurements: [], rows: [] };
    },
  };
  const { status, out } = await run([], [stopping, bench('help', 10, 1.5)], stop.signal);
  assert.equal(status, 1);
  assert.doesNotMatch(out, /help against b/);
});

test('a wrong command line ends with 2 and measures nothing', async () => {
  const { status, out, err } = await run(['--only', 'nothing'], [bench('calls', 10, 1.5)]);
  assert.equal(status, 2);
  assert.equal(out, '');
  assert.match(err, /no bench is named "nothing"/);
});

test('a child that ends before its first line, or never says one, is an error and not a wait', async (t) => {
  hygiene(t);
  await using children = new ChildSet();
  const ended = children.start(process.execPath, ['-e', 'process.exit(4)']);
  await assert.rejects(firstLine(ended, 'the server'), {
    message: 'the server ended (4) before it was ready',
  });
  const silent = children.start(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await assert.rejects(within(firstLine(silent, 'the server'), 20, 'a silent server'), {
    message: 'a silent server took more than 20 ms',
  });
  await children.end(silent, 'SIGTERM');
  assert.equal(silent.signalCode, 'SIGTERM');
});

test('what a child started is ended with it', async (t) => {
  hygiene(t);
  await using children = new ChildSet();
  const shell = children.start('/bin/sh', ['-c', 'sleep 60 & echo $!; wait']);
  const sleeper = Number(await firstLine(shell, 'the shell'));
  assert.equal(pidIsAlive(sleeper), true);
  await children.end(shell);
  await waitFor(() => !pidIsAlive(sleeper), { what: 'the end of what the child started' });
});

test('measured programs do not get what npm, Node and Fairlead act upon', () => {
  assert.deepEqual(
    benchEnvironment({
      PATH: '/bin',
      HOME: '/root',
      npm_config_cache: 'x',
      NODE_OPTIONS: '--inspect',
      FAIRLEAD_TOKEN: 'x',
      NOTHING: undefined,
    }),
    { PATH: '/bin', HOME: '/root' },
  );
});
