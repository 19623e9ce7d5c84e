import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fairlead/testing';
import { type FuzzOptions, fuzzTarget } from './engine/fuzz-target.ts';
import { instrument } from './engine/instrument.ts';
import { mutateJson } from './engine/mutate-json.ts';
import { shrink } from './engine/shrink.ts';
import { target as magic } from './toys/magic.target.ts';
import { target as order } from './toys/order.target.ts';
import { target as spoilt } from './toys/spoilt.target.ts';
import { target as strays } from './toys/strays.target.ts';

const toys = { magic, order, spoilt, strays };

/** A search of a planted fault; it ends by its number of inputs, so that a seed decides all of it. */
function search(name: keyof typeof toys, options: Partial<FuzzOptions>) {
  const module = new URL(`./toys/${name}.target.ts`, import.meta.url).href;
  return fuzzTarget({
    target: toys[name],
    module,
    corpus: [],
    seed: 1,
    budgetMs: 120_000,
    maxFailures: 1,
    ...options,
  });
}

test('a fault behind three bytes is found by its coverage, and made as small as it can be', async () => {
  for (const seed of [2, 5]) {
    const { failures, ended } = await search('magic', { seed, maxRuns: 120_000 });
    assert.equal(ended, 'well');
    assert.deepEqual(
      failures.map(({ name, input }) => [name, Buffer.from(input).toString('hex')]),
      [['the magic was said', '46c321']],
    );
  }
});

test('without guidance the same search does not find it', async () => {
  const { failures, kept } = await search('magic', { seed: 2, maxRuns: 120_000, isGuided: false });
  assert.deepEqual([failures, kept], [[], 0]);
});

test('a fault in the structure of a value is found, and the value keeps only what it needs', async () => {
  const { failures } = await search('order', { seed: 1, maxRuns: 100_000 });
  const [failure] = failures;
  assert.equal(failure?.name, 'a count is not negative');
  const { items } = JSON.parse(Buffer.from(failure.input).toString()) as { items: unknown[] };
  assert.equal(items.length, 3);
  assert.ok(failure.input.length <= 32, Buffer.from(failure.input).toString());
});

test('an input that hangs is named and made smaller, and its thread is ended', async () => {
  const { failures, ended } = await search('spoilt', { corpus: [Buffer.from('xHx')], hangMs: 1_000 });
  assert.equal(ended, 'hung');
  assert.deepEqual(
    failures.map(({ name, input }) => [name, Buffer.from(input).toString()]),
    [['hang', 'H']],
  );
});

test('an input that takes all memory is named and made smaller', async () => {
  const { failures, ended } = await search('spoilt', { corpus: [Buffer.from('xMx')], heapMb: 32 });
  assert.equal(ended, 'memory');
  assert.deepEqual(
    failures.map(({ name, input }) => [name, Buffer.from(input).toString()]),
    [['memory', 'M']],
  );
});

test('what was found before an input hangs, and while it is made smaller, is told with the hang', async () => {
  const corpus = ['aTa', 'xHR'].map((text) => Buffer.from(text));
  const { failures } = await search('spoilt', { corpus, hangMs: 1_000 });
  assert.deepEqual(
    failures.map(({ name, input }) => [name, Buffer.from(input).toString()]),
    [
      ['TypeError outside', 'T'],
      ['stray RangeError outside', 'R'],
      ['hang', 'H'],
    ],
  );
});

test('inputs that are waited for together each have what they rejected', async () => {
  const { failures } = await search('strays', { seed: 1, maxRuns: 65, maxFailures: 8 });
  assert.deepEqual(failures.map(({ name, input }) => [name, input.length]).sort(), [
    ['stray RangeError outside', 2],
    ['stray TypeError outside', 3],
  ]);
});

test('an error, a rejection that nobody waits for, and too much processor time are told apart', async () => {
  const corpus = ['aTa', 'aRa', 'aSa'].map((text) => Buffer.from(text));
  const { failures } = await search('spoilt', { corpus, maxRuns: 0, maxFailures: 8 });
  assert.deepEqual(
    failures.map(({ name, input }) => [name, Buffer.from(input).toString()]),
    [
      ['TypeError outside', 'T'],
      ['stray RangeError outside', 'R'],
      ['slow', 'S'],
    ],
  );
});

test('each branch of a file has a counter, and its lines keep their places', () => {
  const source = [
    'export function f(a: number): string {',
    "  if (a > 1) return a > 2 ? 'x' : 'y';",
    "  for (const b of [a]) while (b > 9) throw new Error('z' as string);",
    "  switch (a) { case 0: return ''; default: break; }",
    "  try { return (() => a && 'c')() || 'd'; } catch { return 'e'; }",
    '}',
  ].join('\n');
  let sites = 0;
  const counted = instrument(source, 'f.ts', () => sites++);
  assert.equal(sites, 13);
  assert.equal(counted.match(/__fuzzCounters\[\d+\]\+\+/g)?.length, 13);
  assert.doesNotMatch(counted, /: number|as string/);
  assert.match(counted, /sourceMappingURL=data:/);
});

test('an input shrinks to what still fails, and never beyond its number of tries', async () => {
  const fails = async (input: Uint8Array) => String(Buffer.from(input)).includes('needle');
  const hay = Buffer.from(`${'hay '.repeat(200)}needle${' hay'.repeat(200)}`);
  assert.equal(String(await shrink(hay, { form: 'text', maxTries: 2_000, fails })), 'needle');
  let asked = 0;
  const counted = (input: Uint8Array) => {
    asked += 1;
    return fails(input);
  };
  assert.ok((await shrink(hay, { form: 'text', maxTries: 5, fails: counted })).length < hay.length);
  assert.equal(asked, 5);
});

test('a fault of a target that cannot even be opened is told, and not taken for an input', async () => {
  const module =
    'data:text/javascript,export const target = { open: async () => { throw new Error("not open") } }';
  await assert.rejects(search('magic', { module, maxRuns: 1 }), /not open/);
});

test('whatever a text is, its changes are texts, also where it nests deeper than a value can be copied', () => {
  const dice = seededRandom(1);
  const deep = Buffer.from(`${'['.repeat(20_000)}1${']'.repeat(20_000)}`);
  const inputs = [
    deep,
    Buffer.from('{"value":1}'),
    Buffer.from('1'),
    Buffer.from('no json'),
    Buffer.alloc(0),
  ];
  for (const input of inputs)
    for (let time = 0; time < 200; time += 1) {
      const changed = mutateJson(input, { dice, words: ['value'], other: () => dice.pick(inputs) });
      assert.ok(changed.length < 4_000_000);
    }
});
