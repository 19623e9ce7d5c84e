import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetOf } from '../../src/context/budget.ts';
import { type Conversation, fit } from '../../src/context/fit.ts';
import { Measure } from '../../src/context/measure.ts';
import { type Piece, textPiece } from '../../src/context/piece.ts';
import { toolMessage } from '../../src/context/tool-message.ts';
import type { Message } from '../../src/models/model.ts';
import { TokenEstimate } from '../../src/models/token-estimate.ts';

/** A call with a result of so many bytes; 8 tokens and 4 bytes each for the name and its `{}`, and what the result takes. */
function step(call: string, bytes: number, certainty: 'completed' | 'outcome_unknown' = 'completed'): Piece {
  return {
    messages: [
      { role: 'assistant', text: '', calls: [{ id: call, name: 'look', arguments: {} }] },
      toolMessage({ call, tool: 'look', certainty, text: 'r'.repeat(bytes), isError: false }),
    ],
  };
}

const NOTHING: Conversation = { summary: [], history: [], asked: [], steps: [] };

function shown(conversation: Partial<Conversation>, room: number): readonly string[] {
  const { history, asked, steps } = fit(
    { ...NOTHING, ...conversation },
    room,
    new Measure(new TokenEstimate()),
  );
  return [...history, ...asked, ...steps].map(wordOf);
}

function wordOf(message: Message): string {
  if (message.role === 'assistant') return message.calls?.map(({ id }) => id).join() ?? message.text;
  if (message.role === 'user' || message.text.startsWith('[')) return message.text;
  return `${message.text.length}`;
}

const said = (text: string) => textPiece('user', text);

test('the oldest results lose their words before anything is dropped', () => {
  const history = [
    said('one'),
    step('a', 4000),
    said('two'),
    step('b', 4000),
    said('three'),
    step('c', 4000),
  ];
  const asked = [said('four')];
  assert.deepEqual(shown({ history, asked }, 10_000), [
    ...['one', 'a', '4000', 'two', 'b', '4000', 'three', 'c', '4000', 'four'],
  ]);
  const left = '[result of 4000 bytes left out]';
  assert.deepEqual(shown({ history, asked }, 2500), [
    'one',
    'a',
    left,
    'two',
    'b',
    '4000',
    'three',
    'c',
    '4000',
    'four',
  ]);
  assert.deepEqual(shown({ history, asked }, 2100), [
    'one',
    'a',
    left,
    'two',
    'b',
    left,
    'three',
    'c',
    '4000',
    'four',
  ]);
});

test('where that is not enough the oldest goes first, a call together with its result', () => {
  const history = [said('one'), step('a', 40), said('two'), step('b', 40)];
  const all = ['one', 'a', '40', 'two', 'b', '40', 'three'];
  const asked = [said('three')];
  assert.deepEqual(shown({ history, asked }, 106), all);
  assert.deepEqual(shown({ history, asked }, 105), all.slice(1));
  assert.deepEqual(shown({ history, asked }, 96), all.slice(3));
  assert.deepEqual(shown({ history, asked }, 57), all.slice(4));
  assert.deepEqual(shown({ history, asked }, 48), all.slice(6));
  assert.deepEqual(shown({ history, asked }, 1), ['three']);
});

test('a summary stays for longer than what came after it, and what is asked for longer than both', () => {
  const conversation = {
    summary: [said('summary')],
    history: [said('old'), said('older')],
    asked: [said('first'), said('second')],
  };
  assert.deepEqual(shown(conversation, 49), ['summary', 'old', 'older', 'first', 'second']);
  assert.deepEqual(shown(conversation, 48), ['summary', 'older', 'first', 'second']);
  assert.deepEqual(shown(conversation, 39), ['summary', 'first', 'second']);
  assert.deepEqual(shown(conversation, 29), ['first', 'second']);
  assert.deepEqual(shown(conversation, 19), ['second']);
});

test('the last message is always kept, whatever it costs', () => {
  assert.deepEqual(shown({ asked: [said('x'.repeat(400))] }, 10), ['x'.repeat(400)]);
  assert.deepEqual(shown({ history: [said('a'), said('x'.repeat(400))] }, 10), ['x'.repeat(400)]);
  assert.deepEqual(shown({ summary: [said('x'.repeat(400))] }, 10), ['x'.repeat(400)]);
});

test('a long turn keeps its task and its last step, and its last result for longest', () => {
  const asked = [said('do it')];
  const steps = [step('a', 4000), step('b', 4000), step('c', 4000)];
  const left = '[result of 4000 bytes left out]';
  assert.deepEqual(shown({ history: [said('old')], asked, steps }, 2102), [
    ...['old', 'do it', 'a', left, 'b', left, 'c', '4000'],
  ]);
  assert.deepEqual(shown({ history: [said('old')], asked, steps }, 1099), [
    'do it',
    'a',
    left,
    'b',
    left,
    'c',
    '4000',
  ]);
  assert.deepEqual(shown({ history: [said('old')], asked, steps }, 1064), ['do it', 'c', '4000']);
  assert.deepEqual(shown({ history: [said('old')], asked, steps }, 1038), ['do it', 'c', left]);
});

test('an unknown outcome is still said where the result is left out', () => {
  const { steps } = fit(
    { ...NOTHING, steps: [step('a', 4000, 'outcome_unknown'), step('b', 4000)] },
    1200,
    new Measure(new TokenEstimate()),
  );
  assert.deepEqual(steps[1], {
    role: 'tool',
    call: 'a',
    text: '[result of 4000 bytes left out]',
    error: true,
    note: '[outcome unknown: this call may have had its effect or not, in whole or in part; look before you repeat it]',
  });
});

test('a short result keeps its words: a line about it would hardly be shorter', () => {
  assert.deepEqual(shown({ history: [step('a', 2)], asked: [said('x')] }, 20), ['x']);
  assert.deepEqual(shown({ asked: [said('x')], steps: [step('a', 2)] }, 1), ['x', 'a', '2']);
});

test('it is told how much is left out: results that are shown without their words, and messages that are not shown', () => {
  const conversation = {
    ...NOTHING,
    history: [step('a', 4000), said('b'), step('c', 400)],
    asked: [said('d')],
  };
  const left = (room: number) => fit(conversation, room, new Measure(new TokenEstimate())).left;
  assert.deepEqual(left(10_000), { results: 0, entries: 0 });
  assert.deepEqual(left(400), { results: 1, entries: 0 });
  assert.deepEqual(left(9), { results: 0, entries: 5 });
});

test('the budget is the smaller of window and own bound, less the reply and a part that stays free', () => {
  assert.deepEqual(budgetOf({ contextWindow: 128_000, maxTokens: 8192 }), {
    input: 111_808,
    maxTokens: 8192,
  });
  assert.deepEqual(budgetOf({ contextWindow: 128_000, maxTokens: 8192 }, 32_000), {
    input: 22_000,
    maxTokens: 8192,
  });
  assert.deepEqual(budgetOf({ contextWindow: 8192, maxTokens: 8192 }, 1_000_000), {
    input: 5632,
    maxTokens: 2048,
  });
  assert.deepEqual(budgetOf({ contextWindow: 1, maxTokens: 8192 }), { input: 1, maxTokens: 1 });
});
