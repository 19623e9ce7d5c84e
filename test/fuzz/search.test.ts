import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fairlead/testing';
import type { Failure, Judged } from './engine/judge.ts';
import { search } from './engine/search.ts';
import type { Target } from './engine/target.ts';

/** What a judge says of a text; each text reaches the branch of its length. */
type Says = (text: string) => string | null;

/** A search with a judge that is a function, and a clock that moves by one with each input. */
async function searched(
  says: Says,
  options: { corpus: readonly string[]; maxRuns?: number; isGuided?: boolean },
) {
  const told: string[] = [];
  let runs = 0;
  const judge = {
    judge: async (input: Uint8Array): Promise<Judged> => {
      runs += 1;
      const name = says(String(input));
      const failures = name === null ? [] : [{ name, message: name, input }];
      return { failures, features: [input.length] };
    },
    settle: async () => [],
    get runs() {
      return runs;
    },
  };
  const target: Target = {
    name: 'judged',
    holds: 'what the judge says',
    covers: [],
    form: 'bytes',
    maxBytes: 256,
    seeds: () => [],
    open: () => assert.fail('the judge has it'),
  };
  await search({
    target,
    judge,
    dice: seededRandom(1),
    words: [],
    corpus: options.corpus.map((text) => Buffer.from(text)),
    isGuided: options.isGuided ?? true,
    maxFailures: 8,
    budgetMs: 20,
    maxRuns: options.maxRuns ?? 1_000,
    shrinkTries: 200,
    now: () => runs,
    onFailure: ({ name, input }: Failure) => void told.push(`${name}: ${input}`),
  });
  return { told, runs };
}

test('the time for new inputs begins when the corpus has run, however long that took', async () => {
  const corpus = Array.from({ length: 50 }, (_, index) => `a${index}`);
  assert.equal((await searched(() => null, { corpus, isGuided: false })).runs, 70);
});

test('a fault is told before its input is made smaller, and again with the smallest', async () => {
  const { told } = await searched((text) => (text.includes('x') ? 'has x' : null), {
    corpus: ['aaxaa'],
    maxRuns: 0,
  });
  assert.deepEqual(told, ['has x: aaxaa', 'has x: x']);
});

test('what a smaller form of a failing input breaks instead is told too', async () => {
  const says: Says = (text) => (text.includes('xyz') ? 'has xyz' : text === 'bbx' ? 'is bbx' : null);
  const { told } = await searched(says, { corpus: ['bbxyz'], maxRuns: 0 });
  assert.deepEqual(told, ['has xyz: bbxyz', 'is bbx: bbx', 'has xyz: xyz', 'is bbx: bbx']);
});

test('what a smaller form of a new input breaks is told', async () => {
  let before = '';
  const says: Says = (text) => {
    const isHalf = text.length >= 16 && text.length === before.length >> 1 && before.endsWith(text);
    before = text;
    return isHalf ? 'is half' : null;
  };
  const { told } = await searched(says, { corpus: ['a'.repeat(40)] });
  assert.match(told[0] ?? '', /^is half: /);
});
