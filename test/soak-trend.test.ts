import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fairlead/testing';
import { parseSoakCommand } from './soak/soak-options.ts';
import { bucketed, trendOf } from './soak/trend.ts';
import { exitStatusOf, judge, type Sample, verdictText } from './soak/verdict.ts';

const MIB = 1024 * 1024;
const MINUTE = 60_000;

/** Ten minutes of one series, a sample every 2.5 s. */
function samplesOf(name: string, valueAt: (minute: number, index: number) => number): Sample[] {
  return Array.from({ length: 241 }, (_, index) => {
    const atMs = index * 2_500;
    return { atMs, values: { [name]: valueAt(atMs / MINUTE, index) } };
  });
}

function verdictOn(name: string, valueAt: (minute: number, index: number) => number) {
  const [verdict] = judge(samplesOf(name, valueAt));
  assert.ok(verdict !== undefined);
  return verdict;
}

/** What a healthy heap looks like: it grows fast, then is a saw on an even floor, with jitter. */
function heap(seed: number): (minute: number, index: number) => number {
  const random = seededRandom(seed);
  return (minute, index) => {
    const started = 20 * MIB * Math.min(1, minute / 2);
    const saw = (index % 17) * 0.8 * MIB;
    return 80 * MIB + started + saw + random.below(2 * MIB);
  };
}

test('the slope of a line is found exactly, and a third of wild points does not turn it', () => {
  const line = Array.from({ length: 30 }, (_, index) => ({ atMs: index * MINUTE, value: 5 + 3 * index }));
  assert.deepEqual(trendOf(line), {
    slopePerMinute: 3,
    lowPerMinute: 3,
    highPerMinute: 3,
    minutes: 29,
    level: 48.5,
  });
  // Every fourth point is far off.
  const wild = line.map((point, index) => (index % 4 === 0 ? { ...point, value: 10_000 - index } : point));
  const { slopePerMinute } = trendOf(wild);
  assert.ok(slopePerMinute > 2 && slopePerMinute < 4, String(slopePerMinute));
});

test('with too few points nothing is known of the band, and a series is neither flat nor rising', () => {
  const { slopePerMinute, lowPerMinute, highPerMinute } = trendOf([
    { atMs: 0, value: 0 },
    { atMs: MINUTE, value: 100 },
  ]);
  assert.deepEqual([slopePerMinute, lowPerMinute, highPerMinute], [100, null, null]);
  assert.equal(trendOf([]).minutes, 0);
  const [verdict] = judge([{ atMs: 0, values: { 'host.descriptors': 5 } }]);
  assert.equal(verdict?.judgement, 'unknown');
});

test('stretches of time are brought to their middle or to their floor', () => {
  const points = [10, 30, 20, 5, 40, 60].map((value, index) => ({ atMs: index * 10, value }));
  assert.deepEqual(bucketed(points, 2, 'median'), [
    { atMs: 10, value: 20 },
    { atMs: 40, value: 40 },
  ]);
  assert.deepEqual(
    bucketed(points, 2, 'minimum').map(({ value }) => value),
    [10, 5],
  );
  assert.deepEqual(bucketed(points.slice(0, 1), 2, 'median'), points.slice(0, 1));
});

test('a healthy heap is flat, whatever its noise, although it grew at first', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const verdict = verdictOn('host.heapBytes', heap(seed));
    assert.equal(verdict.judgement, 'flat', `seed ${seed}: ${verdictText(verdict)}`);
  }
});

test('a heap whose floor rises by 2 MiB a minute is not flat, whatever its noise', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const healthy = heap(seed);
    const verdict = verdictOn('host.heapBytes', (minute, index) => healthy(minute, index) + minute * 2 * MIB);
    assert.equal(verdict.judgement, 'rises', `seed ${seed}: ${verdictText(verdict)}`);
  }
});

test('a host that keeps each session is not flat, nor one that keeps a tenth of it; one that keeps those of the last minute and 64 is', () => {
  const aMinute = 36;
  const random = seededRandom(1);
  for (let seed = 1; seed <= 20; seed += 1) {
    const healthy = heap(seed);
    const keeping = (bytes: number) =>
      verdictOn('host.heapBytes', (minute, index) => healthy(minute, index) + minute * aMinute * bytes);
    assert.equal(keeping(0.7 * MIB).judgement, 'rises');
    assert.equal(keeping(0.07 * MIB).judgement, 'rises');
    // It looks every half minute, so that up to one and a half go by.
    const flat = verdictOn('host.heapBytes', (minute, index) => {
      const newest = (1 + (minute % 0.5)) * aMinute + random.below(4);
      return healthy(minute, index) + 0.7 * MIB * Math.min(minute * aMinute, 64 + newest);
    });
    assert.equal(flat.judgement, 'flat', `seed ${seed}: ${verdictText(flat)}`);
  }
});

test('processes that are left behind are found, and those that are exchanged are not', () => {
  const random = seededRandom(1);
  const healthy = () => 7 + random.below(3);
  assert.equal(verdictOn('tree.processes', healthy).judgement, 'flat');
  assert.equal(
    verdictOn('tree.processes', (minute) => healthy() + Math.floor(minute / 2)).judgement,
    'rises',
  );
});

test('descriptors that come in bursts are flat, one that is left every minute is not', () => {
  const random = seededRandom(2);
  const bursts = () => 40 + (random.below(10) === 0 ? 30 : random.below(6));
  assert.equal(verdictOn('mcp.descriptors', bursts).judgement, 'flat');
  assert.equal(verdictOn('mcp.descriptors', (minute) => bursts() + minute).judgement, 'rises');
});

test('processes that begin to be left behind in the last quarter are found, though the slope of all is 0', () => {
  const late = verdictOn('tree.processes', (minute) => 7 + Math.floor(10 * Math.max(0, minute - 7.5)));
  assert.equal(late.judgement, 'rises');
  assert.equal(late.roseAtLeast, 0);
  assert.match(
    verdictText(late),
    /^RISES {2}tree\.processes: .*; it began at 7 and ended \d+ higher, 4 allowed$/,
  );
});

test('descriptors that are left at one moment are found, whenever that is', () => {
  for (const stepMinute of [4, 5, 7, 9]) {
    const step = verdictOn('host.descriptors', (minute) => 40 + (minute < stepMinute ? 0 : 1_000));
    assert.equal(step.judgement, 'rises', `at minute ${stepMinute}: ${verdictText(step)}`);
  }
});

test('counts that jump about are flat, whatever their noise', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const random = seededRandom(seed);
    const processes = verdictOn('tree.processes', () => 7 + random.below(4));
    assert.equal(processes.judgement, 'flat', `seed ${seed}: ${verdictText(processes)}`);
    const descriptors = verdictOn(
      'host.descriptors',
      () => 40 + (random.below(5) === 0 ? 30 : random.below(8)),
    );
    assert.equal(descriptors.judgement, 'flat', `seed ${seed}: ${verdictText(descriptors)}`);
  }
});

test('what falls, and what rose before it was judged, is flat', () => {
  assert.equal(verdictOn('database.logBytes', (minute) => (20 - minute) * MIB).judgement, 'flat');
  assert.equal(verdictOn('database.logBytes', (minute) => Math.min(minute, 3) * 100 * MIB).judgement, 'flat');
});

test('a slower leak is found by a longer run: the allowance is for all of it', () => {
  const minutes = (count: number) =>
    Array.from({ length: 200 }, (_, index) => {
      const minute = (index * count) / 200;
      return { atMs: minute * MINUTE, values: { 'runner.anonymousBytes': 50 * MIB + minute * MIB } };
    });
  assert.equal(judge(minutes(10))[0]?.judgement, 'flat');
  assert.equal(judge(minutes(60))[0]?.judgement, 'rises');
});

test('only series of which there are samples are judged', () => {
  assert.deepEqual(judge(samplesOf('load.actions', (minute) => minute * 1_000)), []);
  assert.deepEqual(judge([]), []);
});

test('a verdict says which series, how steep, and how much is allowed', () => {
  const rising = verdictOn('tree.processes', (minute) => 10 + minute * 2);
  assert.equal(
    verdictText(rising),
    'RISES  tree.processes: 23, +2 a minute; at least 13.6 in 6.8 minutes, 1 allowed',
  );
  const flat = verdictOn('host.residentBytes', () => 100 * MIB);
  assert.equal(verdictText(flat), 'flat   host.residentBytes: 100.00 MiB, +0.00 MiB a minute');
});

test('a soak ends with 0 only where every series was flat and nothing went wrong', () => {
  const rising = verdictOn('tree.processes', (minute) => 10 + minute * 2);
  const flat = verdictOn('host.threads', () => 12);
  assert.equal(exitStatusOf({ verdicts: [flat, flat], faults: [] }), 0);
  assert.equal(exitStatusOf({ verdicts: [flat, rising], faults: [] }), 1);
  assert.equal(exitStatusOf({ verdicts: [flat], faults: ['the host ended with 1'] }), 1);
});

test('the command line says how long, and a wrong one is refused with the usage', () => {
  const parse = (...args: string[]) => parseSoakCommand(args, () => 9);
  assert.deepEqual(parse('--minutes', '10'), {
    ok: true,
    command: { minutes: 10, seed: 9, samplesFile: null, only: null, counter: null },
  });
  const all = ['--seed', '3', '--samples', 'a.jsonl', '--only', 'session', '--counter', 'leaks.mjs'];
  assert.deepEqual(parse('--minutes', '0.5', ...all), {
    ok: true,
    command: { minutes: 0.5, seed: 3, samplesFile: 'a.jsonl', only: 'session', counter: 'leaks.mjs' },
  });
  for (const wrong of [
    [],
    ['--minutes', '0'],
    ['--minutes', 'ten'],
    ['--minutes', '1441'],
    ['--minutes', '1', '--seed', '-1'],
    ['--minutes', '1', '--samples', ''],
    ['--minutes', '1', '--counter', ''],
    ['--hours', '1'],
  ]) {
    const parsed = parse(...wrong);
    assert.equal(parsed.ok, false, wrong.join(' '));
    assert.match(parsed.ok ? '' : parsed.message, /usage: npm run soak -- --minutes M/);
  }
});
