import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { ask, httpModel, KEY, requestWith, textOf } from './asked.ts';
import { modelStub, openAiDelta, openAiStream, openAiUsage, stream } from './model-stub.ts';

const USAGE = {
  prompt_tokens: 120,
  completion_tokens: 30,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 100 },
  completion_tokens_details: { reasoning_tokens: 20 },
};

for (const size of [1, 7, 64, 100_000]) {
  test(`a text comes whole from a stream that is cut into pieces of ${size} bytes`, async (t) => {
    hygiene(t);
    const stub = await modelStub(t);
    const text = openAiStream(
      openAiDelta({ role: 'assistant', content: '' }),
      openAiDelta({ reasoning_content: 'Let me see. ' }),
      openAiDelta({ content: 'Grüße, 世' }),
      openAiDelta({ content: '界 🚀' }),
      openAiDelta({}, 'stop'),
      openAiUsage(USAGE),
    );
    stub.answers.push(stream(text, { size }));
    const { parts, fault } = await ask(httpModel('openai_compatible', `${stub.url}/v1`));
    assert.equal(fault, undefined);
    assert.equal(textOf(parts), 'Grüße, 世界 🚀');
    assert.equal(textOf(parts, 'reasoning'), 'Let me see. ');
    assert.deepEqual(parts.at(-1), {
      type: 'end',
      reason: 'stop',
      usage: { input: 120, output: 30, cached: 100, written: 0, reasoning: 20 },
    });
  });
}

test('a character whose halves come in two pieces is shown whole, and half a one as its mark', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  stub.answers.push(
    stream(
      // Escaped by the server, so that each half is a text of its own.
      `data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\ndata: {"choices":[{"delta":{"content":"\\ude80b\\ud83d"}}]}\n\n${openAiStream(openAiDelta({}, 'stop'))}`,
    ),
  );
  const { parts } = await ask(httpModel('openai_compatible', `${stub.url}/v1`));
  assert.deepEqual(
    parts.flatMap((part) => (part.type === 'text' ? [part.delta] : [])),
    ['a', '🚀b', '\ufffd'],
  );
});

test('calls come at the end, in their order, whatever order their pieces came in', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  const call = (index: number, part: object) => openAiDelta({ tool_calls: [{ index, ...part }] });
  stub.answers.push(
    stream(
      openAiStream(
        openAiDelta({ content: 'I look.' }),
        call(0, { id: 'c0', type: 'function', function: { name: 'read', arguments: '{"pa' } }),
        call(1, { id: 'c1', type: 'function', function: { name: 'list', arguments: '' } }),
        call(0, { function: { arguments: 'th":"a.txt"}' } }),
        call(1, { function: { arguments: '{"deep":' } }),
        call(1, { function: { arguments: 'true}' } }),
        openAiDelta({}, 'tool_calls'),
      ),
      { size: 11 },
    ),
  );
  const { parts } = await ask(httpModel('openai_compatible', `${stub.url}/v1`));
  assert.deepEqual(parts.slice(-3), [
    { type: 'call', id: 'c0', name: 'read', arguments: { path: 'a.txt' } },
    { type: 'call', id: 'c1', name: 'list', arguments: { deep: true } },
    { type: 'end', reason: 'calls', usage: null },
  ]);
});

test('a server that says stop after calls asks for them all the same', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  stub.answers.push(
    stream(
      openAiStream(
        openAiDelta({ tool_calls: [{ index: 0, id: 'c0', function: { name: 'now', arguments: '' } }] }),
        openAiDelta({}, 'stop'),
      ),
    ),
  );
  const { parts } = await ask(httpModel('openai_compatible', `${stub.url}/v1`));
  assert.deepEqual(parts, [
    { type: 'call', id: 'c0', name: 'now', arguments: {} },
    { type: 'end', reason: 'calls', usage: null },
  ]);
});

test('arguments that are no JSON object are told as text, which nobody can run', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  const texts = [
    '{"path": "a',
    '[1]',
    '"text"',
    'null',
    '{"a":1,"a":2}',
    `{"a":${'['.repeat(100)}${']'.repeat(100)}}`,
  ];
  for (const [index, text] of texts.entries())
    stub.answers.push(
      stream(
        openAiStream(
          openAiDelta({
            tool_calls: [{ index: 0, id: `c${index}`, function: { name: 'read', arguments: text } }],
          }),
          openAiDelta({}, 'tool_calls'),
        ),
      ),
    );
  const model = httpModel('openai_compatible', `${stub.url}/v1`);
  for (const [index, text] of texts.entries()) {
    const { parts } = await ask(model);
    assert.deepEqual(parts[0], { type: 'call', id: `c${index}`, name: 'read', unparsable: text });
  }
});

test('a call that the length cut is told with what came of it, and the reply says why it ended', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  stub.answers.push(
    stream(
      openAiStream(
        openAiDelta({
          tool_calls: [{ index: 0, id: 'c0', function: { name: 'write', arguments: '{"text":"lo' } }],
        }),
        openAiDelta({}, 'length'),
        openAiUsage({ prompt_tokens: 5, completion_tokens: 100 }),
      ),
    ),
  );
  const { parts } = await ask(httpModel('openai_compatible', `${stub.url}/v1`));
  assert.deepEqual(parts, [
    { type: 'call', id: 'c0', name: 'write', unparsable: '{"text":"lo' },
    { type: 'end', reason: 'length', usage: { input: 5, output: 100, cached: 0, written: 0, reasoning: 0 } },
  ]);
});

test('what the filter of a server withheld is told as such', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  stub.answers.push(stream(openAiStream(openAiDelta({ content: 'No' }), openAiDelta({}, 'content_filter'))));
  const { parts } = await ask(httpModel('openai_compatible', `${stub.url}/v1`));
  assert.deepEqual(parts.at(-1), { type: 'end', reason: 'filter', usage: null });
});

test('figures that are no counts are not taken', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  for (const usage of [
    { prompt_tokens: -1, completion_tokens: 3 },
    { prompt_tokens: 1.5, completion_tokens: 3 },
    { prompt_tokens: 1e300, completion_tokens: 3 },
  ])
    stub.answers.push(stream(openAiStream(openAiDelta({ content: 'x' }, 'stop'), openAiUsage(usage))));
  const model = httpModel('openai_compatible', `${stub.url}/v1`);
  for (let round = 0; round < 3; round += 1) {
    const { parts } = await ask(model);
    assert.deepEqual(parts.at(-1), { type: 'end', reason: 'stop', usage: null });
  }
});

test('a reply has at most 128 calls, with names of a length', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  const many = Array.from({ length: 129 }, (_, index) => ({
    index,
    id: `c${index}`,
    function: { name: 'now', arguments: '{}' },
  }));
  stub.answers.push(stream(openAiStream(openAiDelta({ tool_calls: many }), openAiDelta({}, 'tool_calls'))));
  const long = [{ index: 0, id: 'c', function: { name: 'n'.repeat(257), arguments: '{}' } }];
  stub.answers.push(stream(openAiStream(openAiDelta({ tool_calls: long }), openAiDelta({}, 'tool_calls'))));
  const model = httpModel('openai_compatible', `${stub.url}/v1`);
  for (let round = 0; round < 2; round += 1) {
    const { parts, fault } = await ask(model);
    assert.deepEqual([parts, fault?.code, fault?.retryable], [[], 'model_reply_invalid', true]);
  }
});

test('what is asked: messages joined as every server takes them, tools declared, the key in its header alone', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  stub.answers.push(stream(openAiStream(openAiDelta({ content: 'ok' }, 'stop'))));
  await ask(
    httpModel('openai_compatible', `${stub.url}/v1`),
    requestWith({
      maxTokens: 321,
      messages: [
        { role: 'system', text: 'You are A.' },
        { role: 'system', text: 'Be brief.' },
        { role: 'user', text: 'one' },
        { role: 'user', text: 'two' },
        { role: 'assistant', text: '' },
        {
          role: 'assistant',
          text: 'I look.',
          reasoning: [{ text: 'hm' }],
          calls: [
            { id: 'c0', name: 'read', arguments: { path: 'a' } },
            { id: 'c1', name: 'list', arguments: {} },
          ],
        },
        { role: 'tool', call: 'c0', text: 'content', structured: { lines: 1 } },
        { role: 'tool', call: 'c1', text: 'denied', error: true },
        { role: 'system', text: 'late' },
      ],
      tools: [{ name: 'read', description: 'Reads', schema: { type: 'object', properties: {} } }],
    }),
  );
  const [request] = stub.requests;
  assert.deepEqual(
    [request?.method, request?.path, request?.headers.authorization],
    ['POST', '/v1/chat/completions', `Bearer ${KEY}`],
  );
  assert.deepEqual(request?.body, {
    model: 'tiny',
    max_tokens: 321,
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: 'auto',
    tools: [
      {
        type: 'function',
        function: { name: 'read', description: 'Reads', parameters: { type: 'object', properties: {} } },
      },
    ],
    messages: [
      { role: 'system', content: 'You are A.\n\nBe brief.' },
      { role: 'user', content: 'one\n\ntwo' },
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'hm',
        tool_calls: [
          { id: 'c0', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
          { id: 'c1', type: 'function', function: { name: 'list', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c0', content: 'content\n{"lines":1}' },
      { role: 'tool', tool_call_id: 'c1', content: 'denied' },
      { role: 'user', content: 'late' },
    ],
  });
});

test('a server without a key is asked without one, and without tools none are named', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  stub.answers.push(stream(openAiStream(openAiDelta({ content: 'ok' }, 'stop'))));
  const { aiSdkModel } = await import('../../src/models/ai-sdk/ai-sdk-model.ts');
  const { systemClock } = await import('@fairlead/base');
  const model = aiSdkModel({
    type: 'openai_compatible',
    model: 'tiny',
    baseUrl: stub.url,
    env: {},
    fetch: globalThis.fetch,
    clock: systemClock(),
    requestTimeoutMs: 1000,
  });
  const { parts } = await ask(model);
  assert.equal(textOf(parts), 'ok');
  const [request] = stub.requests;
  assert.deepEqual(
    [request?.headers.authorization, Object.keys(request?.body ?? {}).includes('tools')],
    [undefined, false],
  );
});

test('the one server that refuses max_tokens gets the name that it knows', async () => {
  const bodies: string[] = [];
  const { aiSdkModel } = await import('../../src/models/ai-sdk/ai-sdk-model.ts');
  const { systemClock } = await import('@fairlead/base');
  const model = aiSdkModel({
    type: 'openai_compatible',
    model: 'tiny',
    baseUrl: 'https://api.openai.com/v1',
    env: {},
    fetch: async (_input, init) => {
      bodies.push(String(init?.body));
      return new Response(openAiStream(openAiDelta({ content: 'ok' }, 'stop')), {
        headers: { 'content-type': 'text/event-stream' },
      });
    },
    clock: systemClock(),
    requestTimeoutMs: 1000,
  });
  const { parts } = await ask(model);
  assert.equal(textOf(parts), 'ok');
  const { max_tokens: old, max_completion_tokens: fresh } = JSON.parse(bodies[0] ?? '{}');
  assert.deepEqual([old, fresh], [undefined, 100]);
});

test('what a server wants back with a call comes with it, and goes back', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  const signed = [
    {
      index: 0,
      id: 'c0',
      function: { name: 'now', arguments: '{}' },
      extra_content: { google: { thought_signature: 'SIG' } },
    },
  ];
  stub.answers.push(
    stream(openAiStream(openAiDelta({ tool_calls: signed }), openAiDelta({}, 'tool_calls'))),
    stream(openAiStream(openAiDelta({ content: 'ok' }, 'stop'))),
  );
  const model = httpModel('openai_compatible', `${stub.url}/v1`);
  const { parts } = await ask(model);
  const [call] = parts;
  assert.ok(call?.type === 'call' && 'arguments' in call);
  const { type: _, ...kept } = call;
  await ask(
    model,
    requestWith({
      tools: [{ name: 'now', description: '', schema: { type: 'object' } }],
      messages: [
        { role: 'user', text: 'when' },
        { role: 'assistant', text: '', calls: [kept] },
        { role: 'tool', call: 'c0', text: 'noon' },
      ],
    }),
  );
  const messages = stub.requests[1]?.body['messages'] as { tool_calls?: unknown }[];
  assert.deepEqual(messages[1]?.tool_calls, [
    {
      id: 'c0',
      type: 'function',
      function: { name: 'now', arguments: '{}' },
      extra_content: { google: { thought_signature: 'SIG' } },
    },
  ]);
});
