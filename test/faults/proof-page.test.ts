import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Figures } from './figures.ts';
import { planRound } from './plan.ts';
import { faultLines, mutantLines, withSection } from './proof-page.ts';

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
  const lived = { path: 'http', runnerLivedOn: true } as const;
  const calls = [
    { certainty: 'completed', path: 'cli', end: 'known at once', runnerLivedOn: false },
    { certainty: 'outcome_unknown', end: 'settled', ...lived },
    { certainty: 'outcome_unknown', end: 'never known', ...lived },
  ] as const;
  const plan = planRound(7, 'kill-gateway');
  figures.add({ kind: 'ran', result: { plan, calls, faults: [], trace: [], later: new Map() }, tookMs: 900 });
  figures.add({ kind: 'not run', plan: planRound(8, 'fill-disk'), reason: 'no disk' });
  const page = faultLines(figures).join('\n');
  assert.match(page, /seed 7, 1 rounds, 3 calls/);
  assert.match(page, /^\| `kill-gateway` \| 1 \| 3 \| 1 \| 0 \| 2 \| 1 \| 900 \|$/m);
  assert.match(page, /^\| `fill-disk` \| not run: no disk \|/m);
  assert.match(page, /: 2\. Of these 1 were settled by\nthemselves once the link was back: 50\.0 %/);
  assert.equal(figures.isClean, false);
});

test('where nothing was unknown, no share of it is said to have settled', () => {
  const figures = new Figures(7, undefined);
  assert.match(
    faultLines(figures).join('\n'),
    /: 0\. Of these 0 were settled by\nthemselves once the link was back: none\.$/m,
  );
  assert.equal(figures.summary()[1], 'unknown where the Runner lived on: 0, settled by themselves: 0 (none)');
});

test('a fault is shown with the line that runs its round again, and the first one is kept', () => {
  const figures = new Figures(7, 'cut-link');
  const plan = planRound(9, 'cut-link');
  const fault = { kind: 'lost record', call: 1, text: 'x' } as const;
  figures.add({
    kind: 'ran',
    result: { plan, calls: [], faults: [fault], trace: ['a', 'b'], later: new Map() },
    tookMs: 1,
  });
  assert.deepEqual(figures.newLines(), [
    'FAULT lost record (call 1): x',
    '  cut-link, apart; again: npm run faults -- --seed 9 --rounds 1 --only cut-link',
    '  a · b',
  ]);
  assert.deepEqual(figures.newLines(), []);
  assert.deepEqual(figures.first, { round: 1, adversary: 'cut-link', kind: 'lost record' });
  figures.end([{ kind: 'left behind', call: null, text: 'node' }]);
  assert.deepEqual(figures.newLines(), ['FAULT left behind: node']);
  assert.equal(figures.faults, 2);
});

test('a lie that was not caught is shown as such', () => {
  const caughtBy = { round: 3, adversary: 'cut-link', kind: 'double execution' } as const;
  const lines = mutantLines(
    [
      { name: 'a', lie: 'one', caughtBy, output: '' },
      { name: 'b', lie: 'two', caughtBy: null, output: '' },
    ],
    'a machine',
  );
  assert.match(lines[0] ?? '', /Caught: 1 of 2\.$/);
  assert.deepEqual(lines.slice(-2), ['| one | 3 | `cut-link` | double execution |', '| two | never | | |']);
});
