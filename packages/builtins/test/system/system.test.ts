import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@fairlead/extension/testing';
import { system } from '../../src/system/system.ts';
import { fakePeer } from '../fake-peer.ts';

const peer = () => fakePeer({ workspace: '/' });

test('the time is the host’s, in UTC', async () => {
  await using h = await harness(system, { peer: peer(), nowMs: Date.UTC(2026, 1, 3, 4, 5, 6, 7) });
  assert.equal((await h.tools.get_time()).text, '2026-02-03T04:05:06.007Z');
});

test('expressions are calculated as they are written on paper', async () => {
  await using h = await harness(system, { peer: peer() });
  const results = {
    '(2 + 3) * 4^2': '80',
    '0.1 + 0.2': '0.3',
    '-2^2': '-4',
    '2^3^2': '512',
    '7 % 3': '1',
    '5! / 3!': '20',
    '2 pi': '6.2831853071796',
    'sin(pi / 6)': '0.5',
    'ln(e^2)': '2',
    'log(8, 2)': '3',
    'round(2.567, 2)': '2.57',
    'max(1, 7, 3) - min(4, 2)': '5',
    'mean(1, 2, 6)': '3',
    '1 / 0': 'Infinity',
    '3 > 2': 'true',
    '1 < 2 < 3': 'true',
    '2 > 3 ? 1 : 0': '0',
    '1e21 + 1': '1e+21',
    'factorial(200)': 'Infinity',
  };
  for (const [expression, text] of Object.entries(results))
    assert.deepEqual(
      await h.tools.calculate({ expression }),
      { certainty: 'completed', text, isError: false },
      expression,
    );
});

test('what is no expression says why', async () => {
  await using h = await harness(system, { peer: peer() });
  for (const [expression, reason] of [
    ['', 'it is empty'],
    ['  ', 'it is empty'],
    ['2 +', 'Unexpected end of expression (char 4)'],
    ['1'.repeat(1001), 'it is longer than 1000 characters'],
    ['sqrt(-1)', 'its result is no number'],
    ['0 / 0', 'its result is no number'],
    ['two + 2', 'it does not know two'],
    ['"a"', 'only numbers can be calculated with'],
    ['null', 'only numbers can be calculated with'],
    ['sin(1, 2, 3)', 'Too many arguments in function sinNumber (expected: 1, actual: 3)'],
  ] as const) {
    const { certainty, text, isError } = await h.tools.calculate({ expression });
    assert.deepEqual([certainty, isError], ['completed', true], expression);
    assert.equal(text, `expression_invalid: The expression is not one that can be calculated. (${reason})`);
  }
});

test('an expression cannot define, import, loop, make lists or reach the program around it', async () => {
  await using h = await harness(system, { peer: peer() });
  for (const expression of [
    'x = 3',
    'f(x) = x',
    '1; 2',
    '1:1000000000',
    '[1, 2]',
    '{a: 1}',
    'import({a: 1})',
    'createUnit("x")',
    'evaluate("1")',
    'parse("1")',
    'simplify("x")',
    'map([1], sqrt)',
    'combinations(1e9, 5e8)',
    'bellNumbers(1000)',
    'random()',
    'cos.constructor',
    'cos.constructor("return process")()',
    'toString()',
    'constructor',
    '__proto__',
    'hasOwnProperty(1)',
    'a.b',
    '1["constructor"]',
    'sqrt',
    'print("x", 1)',
  ]) {
    const { text } = await h.tools.calculate({ expression });
    assert.match(text, /^expression_invalid: /, expression);
  }
});

test('a deeply nested expression answers, and at once', async () => {
  await using h = await harness(system, { peer: peer() });
  const nested = (depth: number) => ({ expression: `${'('.repeat(depth)}1${')'.repeat(depth)}` });
  assert.equal((await h.tools.calculate(nested(50))).text, '1');
  assert.match((await h.tools.calculate(nested(499))).text, /^expression_invalid: .*(nested too deeply)|^1$/);
  const towers = await h.tools.calculate({ expression: `9${'^9'.repeat(400)}` });
  assert.equal(towers.text, 'Infinity');
  assert.match((await h.tools.calculate({ expression: '-'.repeat(1000) })).text, /^expression_invalid/);
});

test('a tool that is shown in short is described whole, one that may not be used not at all', async () => {
  const host = peer();
  await using h = await harness(system, { peer: host });
  assert.deepEqual(await h.tools.describe_tool({ name: 'shell' }), {
    certainty: 'completed',
    text: '## shell\n\nRuns a command.',
    isError: false,
  });
  assert.deepEqual(await h.tools.describe_tool({ name: 'nope' }), {
    certainty: 'completed',
    text: 'There is no tool of this name that you may use: nope',
    isError: true,
  });
  assert.deepEqual(host.asked[0], [
    'describeTool',
    { session: 'session-1', agent: 'agent-1', tool: 'describe_tool' },
    'shell',
  ]);
});
