import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import fc from 'fast-check';
import { KeptRun } from './kept-run.ts';
import { planRound } from './plan.ts';
import type { FoundAtEnd, SeriesRound } from './series.ts';

const HERE = { at: '2026-01-02T03:04:05.006Z', machine: 'a machine' };
const FRESH = { seed: 40, rounds: 6 };

function open(file: string, given: Partial<Parameters<typeof KeptRun.open>[1]> = {}): KeptRun {
  const run = KeptRun.open(file, { sources: 's', ...given }, FRESH, HERE);
  if ('refused' in run) assert.fail(run.refused);
  return run;
}

function fileOf(t: TestContext): string {
  return join(temporaryFolder(t), 'run.json');
}

function ran(seed: number): SeriesRound {
  const plan = planRound(seed, 'kill-plugin');
  const call = {
    certainty: 'completed',
    path: 'http',
    end: 'known at once',
    ran: true,
    runnerLivedOn: false,
  } as const;
  const result = {
    plan,
    calls: [call],
    faults: [],
    trace: [],
    strikes: [{ what: 'kill', fell: true }],
    later: new Map(),
  };
  return { kind: 'ran', result, tookMs: 5, history: [seed] };
}

test('a run that is continued has run each round once, and adds up to the same as one that was not', (t) => {
  const file = fileOf(t);
  const first = open(file);
  const taken = [first.take(), first.take(), first.take()];
  assert.deepEqual(taken, [40, 41, 42]);
  for (const seed of taken) first.ran(seed as number, ran(seed as number));
  first.ended([40, 42], []);
  first.keep();
  assert.equal(first.isWhole, false);

  const second = open(file);
  assert.equal(second.figures.rounds, 2);
  const rest: number[] = [];
  for (let seed = second.take(); seed !== undefined; seed = second.take()) {
    rest.push(seed);
    second.ran(seed, ran(seed));
  }
  assert.deepEqual(rest, [41, 43, 44, 45]);
  second.ended(rest, []);
  second.keep();
  assert.equal(second.isWhole, true);
  assert.deepEqual(
    second.sittings.map(({ rounds }) => rounds),
    [2, 4],
  );

  const whole = open(fileOf(t));
  for (let seed = whole.take(); seed !== undefined; seed = whole.take()) whole.ran(seed, ran(seed));
  whole.ended([40, 41, 42, 43, 44, 45], []);
  assert.deepEqual({ ...second.figures.toJSON(), at: '' }, { ...whole.figures.toJSON(), at: '' });
});

test('a round whose fleet has not ended when a run is cut short is run again: something may be found only then', (t) => {
  const file = fileOf(t);
  const run = open(file);
  run.ran(run.take() as number, ran(40));
  run.keep();
  assert.equal(run.figures.rounds, 0);
  assert.equal(open(file).take(), 40);
});

test('what was found before a run was cut short is not forgotten when it goes on', (t) => {
  const file = fileOf(t);
  const run = open(file);
  run.ran(run.take() as number, ran(40));
  const fault = { kind: 'double execution', call: null, text: 'it ran again' } as const;
  const found: FoundAtEnd = { fault, plan: planRound(40, 'kill-plugin'), history: [40] };
  run.ended([40], [found]);
  run.keep();
  const { figures } = open(file);
  assert.equal(figures.isClean, false);
  assert.deepEqual(figures.first?.kinds, ['double execution']);
  assert.match(figures.summary().join('\n'), /double execution 1/);
});

test('wherever a run is cut short and however often, each round counts once', (t) => {
  const step = fc.record({ takes: fc.nat({ max: 4 }), ends: fc.nat({ max: 4 }), isCut: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const file = fileOf(t);
      let run = open(file);
      const counted: number[] = [];
      let pending: number[] = [];
      const end = (seeds: readonly number[]) => {
        run.ended(seeds, []);
        counted.push(...seeds);
      };
      for (const { takes, ends, isCut } of steps) {
        for (let take = 0; take < takes; take += 1) {
          const seed = run.take();
          if (seed === undefined) break;
          run.ran(seed, ran(seed));
          pending.push(seed);
        }
        end(pending.splice(0, ends));
        run.keep();
        if (!isCut) continue;
        run = open(file);
        pending = [];
      }
      end(pending);
      for (let seed = run.take(); seed !== undefined; seed = run.take()) {
        run.ran(seed, ran(seed));
        end([seed]);
      }
      assert.ok(run.isWhole);
      assert.deepEqual(counted.sort(), [40, 41, 42, 43, 44, 45]);
      assert.equal(run.figures.rounds, FRESH.rounds);
    }),
    { numRuns: 60 },
  );
});

test('a file of other sources, of another run or of something else is refused, and stays as it is', (t) => {
  const file = fileOf(t);
  open(file).keep();
  const kept = readFileSync(file, 'utf8');
  for (const [given, why] of [
    [{ sources: 'other' }, /of other sources/],
    [{ seed: 41 }, /has --seed 40/],
    [{ rounds: 7 }, /has --rounds 6/],
    [{ only: 'none' }, /has --only left out/],
  ] as const) {
    const run = KeptRun.open(file, { sources: 's', ...given }, FRESH, HERE);
    assert.match('refused' in run ? run.refused : 'taken', why);
  }
  assert.equal(readFileSync(file, 'utf8'), kept);
  assert.equal(open(file, FRESH).figures.rounds, 0);
  for (const text of ['', 'null', '{"version":2}', '[]']) {
    writeFileSync(file, text);
    const run = KeptRun.open(file, { sources: 's' }, FRESH, HERE);
    assert.match('refused' in run ? run.refused : 'taken', /no run that can be continued/);
  }
  const folder = KeptRun.open(temporaryFolder(t), { sources: 's' }, FRESH, HERE);
  assert.match('refused' in folder ? folder.refused : 'taken', /cannot be read/);
});
