import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMutantOptions } from './mutant-options.ts';

const read = (...args: string[]) => readMutantOptions(args, ['retry', 'timeout']);

test('all lies are planted in the same rounds unless others are asked for', () => {
  const usual = { seed: 1, rounds: 300, names: ['retry', 'timeout'], jobs: 1, write: false };
  assert.deepEqual(read(), usual);
  assert.deepEqual(read('--write', '--jobs', '2'), { ...usual, jobs: 2, write: true });
  assert.deepEqual(read('--only', 'timeout,retry', '--seed', '7', '--rounds', '9'), {
    ...usual,
    seed: 7,
    rounds: 9,
  });
});

for (const [args, wrong] of [
  [['--only', 'retry,nobody'], 'no lie is called nobody'],
  [['--jobs', '17'], '--jobs is 1 to 16, and not 17'],
  [['--jobs', '0'], '--jobs is 1 to 16, and not 0'],
  [['--rounds', '0'], '--rounds is 1 or more, and not 0'],
  [['--seed', 'x'], '--seed is a whole number, and not x'],
  [
    ['--write', '--seed', '2'],
    '--write shows all lies in 300 rounds from seed 1: without --only, --rounds and --seed',
  ],
] as const)
  test(`a command line that cannot be meant is refused in a sentence: ${args.join(' ')}`, () => {
    assert.deepEqual(read(...args), { wrong });
  });

test('a flag that does not exist is named', () => {
  const options = read('--unknown');
  assert.ok('wrong' in options);
  assert.match(options.wrong, /--unknown/);
});
