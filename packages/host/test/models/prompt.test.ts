import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { plainHistory } from '../../src/models/ai-sdk/plain-history.ts';
import { promptOf } from '../../src/models/ai-sdk/prompt.ts';
import { safeWords, whatItSaid } from '../../src/models/ai-sdk/what-it-said.ts';
import type { Message } from '../../src/models/model.ts';
import { ask, httpModel, requestWith } from './asked.ts';
import { modelStub, openAiDelta, openAiStream, stream } from './model-stub.ts';

const CALLED: readonly Message[] = [
  { role: 'user', text: 'go' },
  {
    role: 'assistant',
    text: 'I look.',
    reasoning: [{ text: 'hm' }],
    calls: [
      { id: 'functions.read:0', name: 'read', arguments: { path: 'a' } },
      { id: 'functions.read:1', name: 'read', arguments: { path: 'b' } },
    ],
  },
  { role: 'tool', call: 'functions.read:0', text: 'A', structured: { n: 1 } },
  { role: 'tool', call: 'functions.read:1', text: 'gone', error: true },
  { role: 'tool', call: 'lost', text: 'whose?' },
];

test('calls of another back end get ids that every one takes, and their results the same', () => {
  const twice: readonly Message[] = [
    ...CALLED.slice(0, 4),
    { role: 'assistant', text: '', calls: [{ id: 'functions/read:0', name: 'list', arguments: {} }] },
    { role: 'tool', call: 'functions/read:0', text: 'B' },
    { role: 'assistant', text: '', calls: [{ id: '', name: 'list', arguments: {} }] },
    { role: 'tool', call: '', text: 'C' },
  ];
  const ids = promptOf(twice).map(({ role, content }) => [
    role,
    typeof content === 'string'
      ? content
      : content.flatMap((part) => ('toolCallId' in part ? [`${part.toolCallId} ${part.toolName}`] : [])),
  ]);
  assert.deepEqual(ids, [
    ['user', []],
    ['assistant', ['functions_read_0 read', 'functions_read_1 read']],
    ['tool', ['functions_read_0 read', 'functions_read_1 read']],
    ['assistant', ['functions_read_0_2 list']],
    ['tool', ['functions_read_0_2 list']],
    ['assistant', ['call list']],
    ['tool', ['call list']],
  ]);
});

test('neighbours of one role are one message; what calls is not gone on with', () => {
  const prompt = promptOf([
    { role: 'assistant', text: 'one' },
    { role: 'assistant', text: 'two' },
    { role: 'assistant', text: '', calls: [{ id: 'c', name: 'now', arguments: {} }] },
    { role: 'assistant', text: 'three' },
  ]);
  assert.deepEqual(
    prompt.map(({ content }) =>
      typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : part.type)),
    ),
    [['one', '\n\n', 'two', '\n\n', 'tool-call'], ['three']],
  );
});

test('without tools, the calls and results of before are words', async (t) => {
  assert.deepEqual(plainHistory(CALLED), [
    { role: 'user', text: 'go' },
    { role: 'assistant', text: 'I look.\n[calls read with {"path":"a"}]\n[calls read with {"path":"b"}]' },
    { role: 'user', text: '[read answered]\nA\n{"n":1}' },
    { role: 'user', text: '[read failed]\ngone' },
    { role: 'user', text: '[a tool answered]\nwhose?' },
  ]);
  hygiene(t);
  const stub = await modelStub(t);
  stub.answers.push(stream(openAiStream(openAiDelta({ content: 'ok' }, 'stop'))));
  await ask(httpModel('openai_compatible', stub.url), requestWith({ messages: CALLED }));
  assert.deepEqual(stub.requests[0]?.body['messages'], [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: 'I look.\n[calls read with {"path":"a"}]\n[calls read with {"path":"b"}]' },
    {
      role: 'user',
      content: '[read answered]\nA\n{"n":1}\n\n[read failed]\ngone\n\n[a tool answered]\nwhose?',
    },
  ]);
});

test('words of a back end keep what helps and lose what looks like a key', () => {
  const shown = (text: string) => safeWords(text, 'TheKey-of-this-backend');
  assert.equal(
    shown('model claude-sonnet-4-5-20250929 not found'),
    'model claude-sonnet-4-5-20250929 not found',
  );
  assert.equal(shown('keyboarding and skeletons are fine'), 'keyboarding and skeletons are fine');
  assert.equal(shown('TheKey-of-this-backend and sk-abc12345 are bad'), '[key] and [key] are bad');
  assert.equal(shown('token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0 is old'), 'token [key] is old');
  assert.equal(shown('Authorization: Basic dXNlcjpwYXNz'), 'Authorization: [key]');
  assert.equal(shown('id 9fA3bC7dE1gH5jK2mN8pQ4rS is unknown'), 'id [key] is unknown');
  assert.equal(shown('half \ud83d'), 'half \ufffd');
  assert.equal(shown(' \n\t '), undefined);
  assert.equal(safeWords('plain', undefined), 'plain');
});

test('the words of an error stand where servers put them, or nowhere', () => {
  const said = (body: string) => whatItSaid(body, undefined);
  assert.equal(said('{"error":{"message":"a"}}'), 'a');
  assert.equal(said('{"error":"b"}'), 'b');
  assert.equal(said('{"message":"c"}'), 'c');
  for (const body of ['{"error":{"code":1}}', '{"detail":"d"}', '"text"', 'null', '<p>', ''])
    assert.equal(said(body), undefined);
});
