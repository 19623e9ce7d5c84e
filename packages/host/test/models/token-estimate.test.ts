import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message, ModelTool } from '../../src/models/model.ts';
import { TokenEstimate } from '../../src/models/token-estimate.ts';
import { toolText } from '../../src/models/tool-text.ts';
import { WholeCharacters } from '../../src/models/whole-characters.ts';

const MESSAGES: readonly Message[] = [
  { role: 'system', text: '1234' },
  { role: 'user', text: 'é' },
  {
    role: 'assistant',
    text: '',
    reasoning: [{ text: '12345678' }],
    calls: [{ id: 'not counted', name: 'list', arguments: { a: 1 } }],
  },
  { role: 'tool', call: 'not counted', text: 'ok', structured: { a: 1 } },
];
const TOOLS: readonly ModelTool[] = [{ name: 'list', description: 'Lists', schema: { type: 'object' } }];

test('without a tokenizer a quarter of the bytes counts, and what is around each message and tool', () => {
  const estimate = new TokenEstimate();
  assert.deepEqual(
    MESSAGES.map((message) => estimate.ofMessage(message)),
    // Eight each, and: 4 bytes; 2; 8 and 4 and 7; "ok", a line, 7.
    [9, 9, 13, 11],
  );
  assert.equal(estimate.ofPrompt(MESSAGES, TOOLS), 42 + 15 + 1 + 2 + 5);
});

test('with it, its words count; a long text goes to it in pieces', async () => {
  const pieces: number[] = [];
  const estimate = new TokenEstimate(async () => (text) => {
    pieces.push(text.length);
    return 1;
  });
  await estimate.load();
  assert.equal(estimate.ofText('x'.repeat(1100)), 3);
  assert.deepEqual(pieces, [512, 512, 76]);
  assert.equal(estimate.ofText(''), 0);
});

test('the encoding is there, and takes marks of a chat and runs of one letter as text', async () => {
  const estimate = new TokenEstimate();
  await estimate.load();
  assert.equal(estimate.ofText('hello world'), 2);
  assert.ok(estimate.ofText('<|endoftext|>') > 1);
  // It may know again what it has counted: each letter is new to it.
  const cost = (letter: string, units: number): number => {
    const before = process.threadCpuUsage();
    estimate.ofText(letter.repeat(units));
    return process.threadCpuUsage(before).user;
  };
  cost('b', 8192);
  const short = Math.max(cost('c', 8192), 10_000);
  const long = cost('a', 65_536);
  // Eight times the text; in one piece it takes more than thirty times as long.
  assert.ok(long < 16 * short, `${long} µs, and ${short} µs for an eighth`);
  assert.equal(estimate.ofText('a'.repeat(65_536)), 8192);
});

test('a tokenizer that cannot be loaded is no fault, and is asked for again', async () => {
  let attempts = 0;
  const estimate = new TokenEstimate(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('too many open files');
    return (text) => text.length;
  });
  await estimate.load();
  assert.equal(estimate.ofText('12345'), 2);
  await estimate.load();
  await estimate.load();
  assert.equal(estimate.ofText('12345'), 5);
  assert.equal(attempts, 2);
});

test('what is structured stands below the text, unless the text says it already', () => {
  const of = (text: string, structured?: { readonly a: number }) =>
    toolText({ role: 'tool', call: 'c', text, ...(structured === undefined ? {} : { structured }) });
  assert.equal(of('plain'), 'plain');
  assert.equal(of('', { a: 1 }), '{"a":1}');
  assert.equal(of('plain', { a: 1 }), 'plain\n{"a":1}');
  assert.equal(of(' { "a": 1 }', { a: 1 }), ' { "a": 1 }');
  assert.equal(of('{ "a": 2 }', { a: 1 }), '{ "a": 2 }\n{"a":1}');
  assert.equal(of('{ no json', { a: 1 }), '{ no json\n{"a":1}');
});

test('half a character waits for its other half, and is a mark where none comes', () => {
  const text = new WholeCharacters();
  assert.deepEqual(
    [
      text.push('a\ud83d'),
      text.push('\ude80\ud83d'),
      text.push('x'),
      text.push('\ude80'),
      text.push('\ud83d'),
      text.end(),
    ],
    ['a', '🚀', '\ufffdx', '\ufffd', '', '\ufffd'],
  );
  assert.equal(text.end(), '');
});
