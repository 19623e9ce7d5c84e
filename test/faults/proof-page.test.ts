import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Adversary } from './adversary.ts';
import { Figures } from './figures.ts';
import { caught, controlOf } from './mutant-run.ts';
import { type PathName, planRound } from './plan.ts';
import { faultLines, mutantLines, withSection } from './proof-page.ts';
import type { Strike } from './strike.ts';

const PAGE = 'a\n<!-- faults: begin -->\n\nold\n\n<!-- faults: end -->\nb\n';

test('a command renews its own part of the page and nothing else', () => {
  assert.equal(
    withSection(PAGE, 'faults', ['x', 'y']),
    'a\n<!-- faults: begin -->\n\nx\ny\n\n<!-- faults: end -->\nb\n',
  );
  assert.throws(() => withSection(PAGE, 'mutants', []), /no part for mutants/);
});

test('figures add up over rounds, and what was not run is shown with its reason', () => {
  const figures = new Figures(7, undefined);
  const lived = { path: 'http', way: undefined, ran: false, runnerLivedOn: true } as const;
  const calls = [
    {
      certainty: 'completed',
      path: 'cli',
      way: undefined,
      end: 'known at once',
      ran: true,
      runnerLivedOn: false,
    },
    { certainty: 'outcome_unknown', end: 'settled', ...lived },
    { certainty: 'outcome_unknown', end: 'never known', ...lived },
    { certainty: 'outcome_unknown', end: 'never known', ...lived },
    { certainty: 'outcome_unknown', end: 'beyond its Runner', ...lived },
    { certainty: 'outcome_unknown', end: 'not recorded', ...lived },
  ] as const;
  const plan = planRound(7, 'kill-gateway');
  const strikes = [{ what: 'kill', fell: true }];
  const result = { plan, calls, faults: [], trace: [], strikes, later: new Map() };
  figures.add({ kind: 'ran', result, tookMs: 900, history: [7] });
  figures.add({ kind: 'not run', plan: planRound(8, 'fill-disk'), reason: 'no disk' });
  const page = faultLines(figures).join('\n');
  assert.match(page, /^Seed 7, 1 rounds, 6 calls\. Run on \d{4}-\d\d-\d\d, on \d+ × /);
  assert.match(page, /^\| `kill-gateway` \| 1 \| 1 \| 6 \| 1 \| 0 \| 5 \| 1 \| 900 \|$/m);
  assert.match(page, /^\| `fill-disk` \| not run: no disk \|/m);
  assert.match(
    page,
    /: 3\. Of these 1 were settled by\nthemselves once the link was back: 33\.3 %\. Not counted: 1 of/,
  );
  assert.match(page, /\nanswer in time, and 1 that stand in no journal\.\n/);
  assert.match(page, /\nCalls by path: http 5 \(0 ran\), mcp-http 0 \(0 ran\), .* cli 1 \(1 ran\)/);
  assert.equal(figures.isClean, false);
  assert.match(
    figures.summary().join('\n'),
    /never settled: call 2 of kill-gateway; again: npm run faults -- --seed 7/,
  );
});

test('a run that was continued says how many rounds were run when and where', () => {
  const [line] = faultLines(new Figures(7, undefined), [
    { at: '2026-01-02T03:04:05.006Z', machine: 'a', rounds: 30 },
    { at: '2026-01-03T03:04:05.006Z', machine: 'b', rounds: 0 },
    { at: '2026-01-04T03:04:05.006Z', machine: 'c', rounds: 70 },
  ]);
  assert.match(line ?? '', /\. Run in 2 parts: 30 on 2026-01-02, on a; 70 on 2026-01-04, on c\.$/);
});

test('where nothing was unknown, no share of it is said to have settled', () => {
  const figures = new Figures(7, undefined);
  assert.match(
    faultLines(figures).join('\n'),
    /: 0\. Of these 0 were settled by\nthemselves once the link was back: none\. Not counted: 0 of/m,
  );
  assert.equal(figures.summary()[1], 'unknown where the Runner lived on: 0, settled by themselves: 0 (none)');
});

test('a fault is shown with the line that runs its round again, and the first one is kept', () => {
  const figures = new Figures(7, 'cut-link');
  const plan = planRound(9, 'cut-link');
  const fault = { kind: 'lost record', call: 1, text: 'x' } as const;
  const result = { plan, calls: [], faults: [fault], trace: ['a', 'b'], strikes: [], later: new Map() };
  figures.add({ kind: 'ran', result, tookMs: 1, history: [3, 9] });
  const again = [
    '  cut-link, apart; again: npm run faults -- --seed 9 --rounds 1 --only cut-link',
    '  with what its fleet had been through: npm run faults -- --seeds 3,9 --only cut-link',
  ];
  assert.deepEqual(figures.newLines(), ['FAULT lost record (call 1): x', ...again, '  a · b']);
  assert.deepEqual(figures.newLines(), []);
  assert.deepEqual(figures.first, { round: 1, adversary: 'cut-link', kinds: ['lost record'] });
  figures.end([{ fault: { kind: 'left behind', call: null, text: 'node' }, plan, history: [3, 9] }]);
  assert.deepEqual(figures.newLines(), ['FAULT left behind: node', ...again]);
  assert.equal(figures.faults, 2);
});

test('what is found only when a fleet has ended is found, and so is a fleet that could not be brought back', () => {
  const plan = planRound(9, 'cut-link');
  const atEnd = new Figures(7, undefined);
  atEnd.end([{ fault: { kind: 'double execution', call: null, text: 'x' }, plan, history: [9] }]);
  assert.deepEqual(atEnd.first, { round: 0, adversary: 'cut-link', kinds: ['double execution'] });
  assert.equal(atEnd.isClean, false);
  const broken = new Figures(7, undefined);
  broken.add({ kind: 'broken', plan, error: new Error('x'), history: [9] });
  assert.deepEqual(broken.first, { round: 1, adversary: 'cut-link', kinds: ['not restored'] });
  assert.equal(broken.isClean, false);
});

/** So many rounds of an adversary, in which what was to be done fell or did not. */
function attacked(rounds: number, adversary: Adversary, strikes: readonly Strike[]): Figures {
  const figures = new Figures(7, undefined);
  const result = {
    plan: planRound(9, adversary),
    calls: [],
    faults: [],
    trace: [],
    strikes: [],
    later: new Map(),
  };
  for (let round = 0; round < rounds; round += 1)
    figures.add({ kind: 'ran', result: { ...result, strikes }, tookMs: 1, history: [9] });
  return figures;
}

test('an adversary of which no attack fell in twenty rounds finds nothing, and that is found', () => {
  const missed = [
    { what: 'fill', fell: false },
    { what: 'free', fell: true },
  ];
  assert.equal(attacked(19, 'fill-disk', missed).isClean, true);
  const figures = attacked(20, 'fill-disk', missed);
  assert.equal(figures.isClean, false);
  assert.deepEqual(figures.neverFell, ['fill-disk in 20 rounds', 'fill, planned 20 times']);
  const summary = figures.summary().join('\n');
  assert.match(summary, /^struck as planned: fill-disk 0 of 20$/m);
  assert.match(summary, /^never fell: fill-disk in 20 rounds$/m);
  assert.equal(attacked(20, 'none', []).isClean, true);
});

test('a frame that is never attacked is found, also where its adversary attacks others', () => {
  const [cut, told] = [
    { what: 'frame request', fell: true },
    { what: 'frame told', fell: false },
  ];
  const figures = attacked(20, 'cut-link', [cut, told]);
  const once = planRound(9, 'cut-link');
  const result = { plan: once, calls: [], faults: [], trace: [], strikes: [cut], later: new Map() };
  figures.add({ kind: 'ran', result, tookMs: 1, history: [9] });
  assert.deepEqual(figures.neverFell, ['frame told, planned 20 times']);
  assert.equal(figures.isClean, false);
});

test('of many unknown outcomes nearly all must settle, of few all but one', () => {
  const figures = (settled: number, open: number) => {
    const figures = new Figures(7, undefined);
    Object.assign(figures.lived, { unknown: settled + open, settled });
    return figures.settlesEnough;
  };
  assert.deepEqual(
    [figures(3, 1), figures(3, 2), figures(19, 1), figures(18, 2)],
    [true, false, true, false],
  );
});

test('a lie that was not caught is shown as such', () => {
  const caughtBy = { round: 3, adversary: 'cut-link', kind: 'double execution' } as const;
  const lines = mutantLines(
    [
      { name: 'a', lie: 'one', caughtBy, output: '' },
      { name: 'b', lie: 'two', caughtBy: null, output: '' },
    ],
    { machine: 'a machine', control: 300, notRun: ['fill-disk: no disk'] },
  );
  assert.match(
    lines.join('\n'),
    /Caught: 1 of 2\. In the tree as it is,\nwithout a lie, the same 300 rounds found nothing\. Not run: fill-disk: no disk\.$/m,
  );
  assert.deepEqual(lines.slice(-2), ['| one | 3 | `cut-link` | double execution |', '| two | never | | |']);
});

test('a lie is caught only as something that it does', () => {
  const output =
    'x\nfirst found: {"round":3,"adversary":"cut-link","kinds":["contradiction","lost record"]}\n';
  assert.deepEqual(caught(output, ['double execution', 'lost record']), {
    round: 3,
    adversary: 'cut-link',
    kind: 'lost record',
  });
  assert.equal(caught(output, ['double execution']), null);
  assert.equal(caught('nothing', ['double execution']), null);
});

const callsOf = (path: PathName, ran: readonly boolean[]) =>
  ran.map(
    (each) =>
      ({ certainty: 'not_started', path, end: 'known at once', ran: each, runnerLivedOn: false }) as const,
  );

test('a path on which twenty calls and none of them ran is found, whatever was told', () => {
  const figures = (count: number, ran: number) => {
    const figures = new Figures(7, undefined);
    const calls = callsOf(
      'routine',
      Array.from({ length: count }, (_none, call) => call < ran),
    );
    const result = {
      plan: planRound(9, 'cut-link'),
      calls,
      faults: [],
      trace: [],
      strikes: [],
      later: new Map(),
    };
    figures.add({ kind: 'ran', result, tookMs: 1, history: [9] });
    return figures;
  };
  const idle = figures(20, 0);
  assert.equal(idle.isClean, false);
  assert.deepEqual(idle.first, { round: 1, adversary: 'cut-link', kinds: ['never ran'] });
  assert.match(idle.summary().join('\n'), /^no call ran by the path routine$/m);
  for (const [count, ran] of [
    [19, 0],
    [20, 1],
  ] as const)
    assert.equal(figures(count, ran).isClean, true);
});

test('unknown outcomes that do not settle are found by the rounds that had them', () => {
  const figures = new Figures(7, undefined);
  const open = {
    certainty: 'outcome_unknown',
    path: 'http',
    end: 'never known',
    ran: true,
    runnerLivedOn: true,
  } as const;
  const result = {
    plan: planRound(9, 'cut-link'),
    calls: [open],
    faults: [],
    trace: [],
    strikes: [],
    later: new Map(),
  };
  const add = () => figures.add({ kind: 'ran', result, tookMs: 1, history: [9] });
  add();
  assert.equal(figures.first, null);
  add();
  assert.deepEqual(figures.first, { round: 2, adversary: 'cut-link', kinds: ['not settled'] });
});

test('a suite that does not run is not said to have found something in the tree without a lie', () => {
  const found = 'not run: fill-disk: no disk\nfirst found: {"round":3}\n';
  assert.deepEqual(controlOf(found, 1), { kind: 'found', notRun: ['fill-disk: no disk'], output: found });
  assert.equal(controlOf('usage: npm run faults', 2).kind, 'failed');
  assert.equal(controlOf('', null).kind, 'failed');
  assert.equal(controlOf('seed 1, 300 rounds', 0).kind, 'clean');
});
