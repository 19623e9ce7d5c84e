import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { ask, httpModel, KEY, requestWith, textOf } from './asked.ts';
import {
  anthropicBlock,
  anthropicEnd,
  anthropicStart,
  anthropicStream,
  modelStub,
  stream,
} from './model-stub.ts';

const TOOL = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });
const JSON_DELTA = (text: string) => ({ type: 'input_json_delta', partial_json: text });

for (const size of [1, 13, 100_000]) {
  test(`thoughts, a text and two calls come whole from a stream in pieces of ${size} bytes`, async (t) => {
    hygiene(t);
    const stub = await modelStub(t);
    const text = anthropicStream(
      anthropicStart({
        input_tokens: 20,
        cache_read_input_tokens: 70,
        cache_creation_input_tokens: 10,
        output_tokens: 1,
      }),
      { type: 'ping' },
      ...anthropicBlock(
        0,
        { type: 'thinking', thinking: '' },
        { type: 'thinking_delta', thinking: 'Hm. ' },
        { type: 'signature_delta', signature: 'SIG' },
      ),
      ...anthropicBlock(
        1,
        { type: 'text', text: '' },
        { type: 'text_delta', text: 'Grüße, ' },
        { type: 'text_delta', text: '世界 🚀' },
      ),
      ...anthropicBlock(2, TOOL('toolu_0', 'read'), JSON_DELTA('{"pa'), JSON_DELTA('th":"a.txt"}')),
      ...anthropicBlock(3, TOOL('toolu_1', 'now')),
      ...anthropicEnd('tool_use', { output_tokens: 25 }),
    );
    stub.answers.push(stream(text, { size }));
    const { parts, fault } = await ask(httpModel('anthropic', `${stub.url}/v1`));
    assert.equal(fault, undefined);
    assert.equal(textOf(parts), 'Grüße, 世界 🚀');
    assert.deepEqual(
      parts.filter((part) => part.type === 'reasoning'),
      [
        { type: 'reasoning', delta: 'Hm. ' },
        { type: 'reasoning', delta: '', metadata: { anthropic: { signature: 'SIG' } } },
      ],
    );
    assert.deepEqual(parts.slice(-3), [
      { type: 'call', id: 'toolu_0', name: 'read', arguments: { path: 'a.txt' } },
      { type: 'call', id: 'toolu_1', name: 'now', arguments: {} },
      {
        type: 'end',
        reason: 'calls',
        usage: { input: 100, output: 25, cached: 70, written: 10, reasoning: 0 },
      },
    ]);
  });
}

test('a call that the length cut has what came of it as text, also where its block never ended', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  const block = anthropicBlock(0, TOOL('toolu_0', 'write'), JSON_DELTA('{"text":"lo'));
  for (const blocks of [block, block.slice(0, -1)])
    stub.answers.push(stream(anthropicStream(anthropicStart(), ...blocks, ...anthropicEnd('max_tokens'))));
  const model = httpModel('anthropic', `${stub.url}/v1`);
  for (let round = 0; round < 2; round += 1) {
    const { parts } = await ask(model);
    assert.deepEqual(parts, [
      { type: 'call', id: 'toolu_0', name: 'write', unparsable: '{"text":"lo' },
      {
        type: 'end',
        reason: 'length',
        usage: { input: 12, output: 5, cached: 0, written: 0, reasoning: 0 },
      },
    ]);
  }
});

test('every reason to stop is one of four', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  const reasons = { end_turn: 'stop', stop_sequence: 'stop', max_tokens: 'length', refusal: 'filter' };
  for (const reason of Object.keys(reasons))
    stub.answers.push(
      stream(
        anthropicStream(
          anthropicStart(),
          ...anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'x' }),
          ...anthropicEnd(reason),
        ),
      ),
    );
  const model = httpModel('anthropic', `${stub.url}/v1`);
  for (const expected of Object.values(reasons)) {
    const end = (await ask(model)).parts.at(-1);
    assert.equal(end?.type === 'end' ? end.reason : end, expected);
  }
});

test('what is asked: the key in its own header, marks for the cache, thoughts with what signs them', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  stub.answers.push(
    stream(
      anthropicStream(
        anthropicStart(),
        ...anthropicBlock(0, { type: 'text', text: '' }),
        ...anthropicEnd('end_turn'),
      ),
    ),
  );
  await ask(
    httpModel('anthropic', `${stub.url}/v1`),
    requestWith({
      messages: [
        { role: 'system', text: 'You are A.' },
        { role: 'user', text: 'one' },
        {
          role: 'assistant',
          text: 'I look.',
          reasoning: [{ text: 'Hm.', metadata: { anthropic: { signature: 'SIG' } } }],
          calls: [{ id: 'toolu_0', name: 'read', arguments: { path: 'a' } }],
        },
        { role: 'tool', call: 'toolu_0', text: 'no such file', error: true },
      ],
      tools: [{ name: 'read', description: 'Reads', schema: { type: 'object' } }],
    }),
  );
  const [request] = stub.requests;
  assert.deepEqual(
    [request?.path, request?.headers['x-api-key'], request?.headers.authorization],
    ['/v1/messages', KEY, undefined],
  );
  const { messages, system, tools, max_tokens: most } = request?.body ?? {};
  assert.equal(most, 100);
  assert.deepEqual(tools, [{ name: 'read', description: 'Reads', input_schema: { type: 'object' } }]);
  assert.deepEqual(system, [{ type: 'text', text: 'You are A.', cache_control: { type: 'ephemeral' } }]);
  assert.deepEqual(messages, [
    { role: 'user', content: [{ type: 'text', text: 'one' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'SIG' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'toolu_0', name: 'read', input: { path: 'a' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_0',
          content: 'no such file',
          is_error: true,
          cache_control: { type: 'ephemeral' },
        },
      ],
    },
  ]);
});

test('an error in the stream ends the attempt: overloaded may come back, a bad request may not', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  const error = (type: string) => ({ type: 'error', error: { type, message: `${type} for ${KEY}` } });
  const begun = [
    anthropicStart(),
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half ' } },
  ];
  stub.answers.push(
    stream(anthropicStream(...begun, error('overloaded_error'))),
    stream(anthropicStream(error('overloaded_error'))),
    stream(anthropicStream(error('invalid_request_error'))),
    stream(anthropicStream(...begun, error('rate_limit_error'))),
  );
  const model = httpModel('anthropic', `${stub.url}/v1`);
  const told = [];
  for (let round = 0; round < 4; round += 1) {
    const { fault } = await ask(model);
    told.push([fault?.code, fault?.retryable, fault?.free, fault?.detail]);
  }
  assert.deepEqual(told, [
    ['model_unavailable', true, false, { status: 529, said: 'overloaded_error for [key]' }],
    ['model_unavailable', true, false, { status: 529, said: 'overloaded_error for [key]' }],
    ['model_request_refused', false, false, { status: 400, said: 'invalid_request_error for [key]' }],
    ['model_rate_limited', true, false, { status: 429, said: 'rate_limit_error for [key]' }],
  ]);
});
