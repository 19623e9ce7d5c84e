import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lateExecutions } from './late-executions.ts';

const LATER = new Map([
  ['r1-0', { kind: 'double execution' }],
  ['r1-1', { kind: 'false not_started' }],
  ['r1-2', { kind: null }],
] as const);

const found = (name: string, times = 1) => {
  const entries = Array.from({ length: times }, (_none, index) => ({
    name,
    answer: 'x',
    file: `${name}+${index}`,
  }));
  return lateExecutions(new Map([[name, entries]]), LATER).map(({ fault: { kind, text } }) => [kind, text]);
};

test('a call that runs after its round is what its round had made of it', () => {
  assert.deepEqual(found('r1-0'), [['double execution', 'r1-0 ran after its round']]);
  assert.deepEqual(found('r1-1'), [['false not_started', 'r1-1 ran after its round']]);
  assert.deepEqual(found('r1-2'), []);
});

test('a call of which nothing was known runs twice after its round, and that is a lie all the same', () => {
  assert.deepEqual(found('r1-2', 2), [['double execution', 'r1-2 ran 2 times after its round']]);
  assert.deepEqual(found('r1-1', 2), [['double execution', 'r1-1 ran 2 times after its round']]);
});

test('an execution that no round asked for is found, also one by an agent without an order', () => {
  const [fault] = found('caller-0-0');
  assert.deepEqual(fault, ['double execution', 'caller-0-0 ran, and no round knows of it']);
});
