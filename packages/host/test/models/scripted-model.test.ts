import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@fairlead/base';
import { manualClock } from '@fairlead/testing';
import type { Message, ModelFault, ModelPart } from '../../src/models/model.ts';
import { readScript } from '../../src/models/scripted/read-script.ts';
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts';
import { ask, requestWith, textOf } from './asked.ts';

function modelOf(scripts: Json, clock = manualClock()) {
  const read = readScript(Buffer.from(JSON.stringify({ format: 'fairlead-script-v1', scripts })));
  assert.ok(read.ok, JSON.stringify(read));
  return scriptedModel({ script: read.script, clock, requestTimeoutMs: 120_000 });
}

function gist(fault: ModelFault | undefined): Json {
  return fault === undefined ? null : [fault.code, fault.retryable, fault.free, fault.afterMs ?? null];
}

const NO_TOKENS = { input: 0, output: 0, cached: 0, written: 0, reasoning: 0 };

test('the place in the script is told by the turns and steps before, and nothing else', async () => {
  const model = modelOf({
    default: [
      {
        steps: [
          { text: 'a0', calls: [{ tool: 'now' }, { tool: 'list', arguments: { deep: true } }] },
          { text: 'a1' },
        ],
      },
      { steps: [{ text: 'b0' }] },
    ],
  });
  const say = async (turn: number, step: number) =>
    textOf((await ask(model, requestWith({ meta: { turn, step } }))).parts);
  assert.equal(await say(1, 0), 'b0');
  assert.equal(await say(0, 1), 'a1');
  assert.equal(await say(0, 0), 'a0');
  assert.equal(await say(0, 0), 'a0');
  const { parts } = await ask(model, requestWith({ meta: { turn: 0, step: 0 } }));
  assert.deepEqual(parts, [
    { type: 'text', delta: 'a0' },
    { type: 'call', id: 'script_0_0_0', name: 'now', arguments: {} },
    { type: 'call', id: 'script_0_0_1', name: 'list', arguments: { deep: true } },
    // A quarter of the bytes of the prompt, and of what was said.
    { type: 'end', reason: 'calls', usage: { ...NO_TOKENS, input: 2, output: 5 } },
  ]);
});

test('an agent and a worker have their own scripts, and the default where they have none', async () => {
  const model = modelOf({
    default: [{ steps: [{ text: 'default' }] }],
    'agent:ada': [{ steps: [{ text: 'ada' }] }],
    'worker:ant': [{ steps: [{ text: 'ant' }] }],
  });
  const say = async (meta: { agent: string; worker?: string }) =>
    textOf((await ask(model, requestWith({ meta }))).parts);
  assert.equal(await say({ agent: 'ada' }), 'ada');
  assert.equal(await say({ agent: 'bob' }), 'default');
  assert.equal(await say({ agent: 'ada', worker: 'ant' }), 'ant');
  assert.equal(await say({ agent: 'ada', worker: 'bee' }), 'default');
});

test('past the end of the script, or where the session does something else, the turn fails by the place', async () => {
  const model = modelOf({
    default: [
      {
        when: 'hello',
        steps: [
          { text: 'x', expect: { tools: ['now'], absent: ['shell'], last: 'hello' } },
          { text: 'y', expect: { last: 'noon' } },
        ],
      },
    ],
  });
  const tool = (name: string) => ({ name, description: '', schema: {} });
  const said = (text: string): Message[] => [{ role: 'user', text }];
  const cases: readonly (readonly [Parameters<typeof requestWith>[0], string, string])[] = [
    [{ meta: { turn: 1 } }, '/scripts/default/1', 'the script has no such turn'],
    [{ meta: { step: 2 } }, '/scripts/default/0/steps/2', 'the script has no such step'],
    [{ messages: said('hi') }, '/scripts/default/0/when', 'the last user text does not have it'],
    [{ messages: [] }, '/scripts/default/0/when', 'the last user text does not have it'],
    [{ messages: said('hello') }, '/scripts/default/0/steps/0/expect/tools/0', 'the tool is not offered'],
    [
      { messages: said('hello'), tools: [tool('now'), tool('shell')] },
      '/scripts/default/0/steps/0/expect/absent/0',
      'the tool is offered',
    ],
    [
      { messages: [...said('hello'), { role: 'assistant', text: 'y' }], tools: [tool('now')] },
      '/scripts/default/0/steps/0/expect/last',
      'the last message does not have it',
    ],
    [
      { messages: [], meta: { step: 1 } },
      '/scripts/default/0/steps/1/expect/last',
      'the last message does not have it',
    ],
  ];
  for (const [request, pointer, problem] of cases) {
    const { parts, fault } = await ask(model, requestWith(request));
    assert.deepEqual([parts, gist(fault)], [[], ['script_mismatch', false, true, null]]);
    assert.deepEqual(fault?.detail, { pointer, problem });
    assert.match(fault?.message ?? '', /^The script does not say this: .*\/scripts/);
  }
  const fits = await ask(model, requestWith({ messages: said('say hello'), tools: [tool('now')] }));
  assert.equal(textOf(fits.parts), 'x');
});

test('when looks at all that the user said last; a tail behind it is no other user', async () => {
  const model = modelOf({ default: [{ when: 'hello', steps: [{ text: 'x' }] }] });
  const messages: Message[] = [
    { role: 'assistant', text: 'before' },
    { role: 'user', text: 'hello' },
    { role: 'user', text: 'It is noon.' },
  ];
  assert.equal(textOf((await ask(model, requestWith({ messages }))).parts), 'x');
});

test('arguments take values of earlier results, whatever ids the calls have by now', async () => {
  const model = modelOf({
    default: [
      {
        steps: [
          { calls: [{ tool: 'other' }, { as: 'found', tool: 'describe' }] },
          {
            calls: [
              {
                as: 'called',
                tool: 'call',
                arguments: { binding: { $from: 'found', pointer: '/structured/tools/0/id' } },
              },
            ],
          },
          {
            calls: [
              {
                tool: 'note',
                arguments: {
                  all: [{ $from: 'called', pointer: '' }],
                  text: { $from: 'found', pointer: '/text' },
                },
              },
            ],
          },
        ],
      },
    ],
  });
  const messages: Message[] = [
    { role: 'user', text: 'before' },
    { role: 'assistant', text: '', calls: [{ id: 'old', name: 'describe', arguments: {} }] },
    { role: 'tool', call: 'old', text: 'of another turn' },
    { role: 'user', text: 'go' },
    {
      role: 'assistant',
      text: '',
      calls: [
        { id: 'call_1', name: 'other', arguments: {} },
        { id: 'call_2', name: 'describe', arguments: {} },
      ],
    },
    { role: 'tool', call: 'call_1', text: 'other' },
    { role: 'tool', call: 'call_2', text: 'described', structured: { tools: [{ id: 'bind_9' }] } },
  ];
  const second = await ask(model, requestWith({ messages, meta: { step: 1 } }));
  assert.deepEqual(second.parts[0], {
    type: 'call',
    id: 'script_0_1_0',
    name: 'call',
    arguments: { binding: 'bind_9' },
  });
  const later: Message[] = [
    ...messages,
    { role: 'assistant', text: '', calls: [{ id: 'call_3', name: 'call', arguments: {} }] },
    { role: 'tool', call: 'call_3', text: 'no', error: true },
    { role: 'user', text: 'a tail' },
  ];
  const third = await ask(model, requestWith({ messages: later, meta: { step: 2 } }));
  assert.deepEqual(third.parts[0], {
    type: 'call',
    id: 'script_0_2_0',
    name: 'note',
    arguments: { all: [{ text: 'no', error: true }], text: 'described' },
  });
});

test('a value that is not there is a mismatch, not an empty argument', async () => {
  const model = (pointer: string) =>
    modelOf({
      default: [
        {
          steps: [
            { calls: [{ as: 'a', tool: 'x' }] },
            { calls: [{ tool: 'y', arguments: { list: [{ $from: 'a', pointer }] } }] },
          ],
        },
      ],
    });
  const asked: Message[] = [{ role: 'assistant', text: '', calls: [{ id: 'c', name: 'x', arguments: {} }] }];
  const answered: Message[] = [
    ...asked,
    { role: 'tool', call: 'c', text: 't', structured: { list: [1], 'a/b~': 2 } },
  ];
  const run = (pointer: string, messages: Message[]) =>
    ask(model(pointer), requestWith({ messages, meta: { step: 1 } }));
  for (const [pointer, messages] of [
    ['/structured/nothing', answered],
    ['/structured/list/1', answered],
    ['/structured/list/01', answered],
    ['/structured/toString', answered],
    ['/text/0', answered],
    ['/text', asked],
    ['/text', []],
  ] as const) {
    const { fault } = await run(pointer, [...messages]);
    assert.deepEqual(fault?.detail, {
      pointer: '/scripts/default/0/steps/1/calls/0/arguments',
      problem: 'a result that it refers to is not there',
    });
  }
  const found = await run('/structured/a~1b~0', answered);
  assert.deepEqual(found.parts[0]?.type === 'call' && found.parts[0], {
    type: 'call',
    id: 'script_0_1_0',
    name: 'y',
    arguments: { list: [2] },
  });
});

test('each attempt has its fault, and the ones after them succeed', async () => {
  const model = modelOf({
    default: [
      {
        steps: [
          {
            text: 'héllo wörld',
            faults: [{ status: 429, after_secs: 2 }, { status: 500 }, { status: 400 }, 'cut', 'garbage'],
          },
        ],
      },
    ],
  });
  const told: Json[] = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const { parts, fault } = await ask(model, requestWith({ meta: { attempt } }));
    told.push([textOf(parts), gist(fault)]);
  }
  assert.deepEqual(told, [
    ['', ['model_rate_limited', true, true, 2000]],
    ['', ['model_unavailable', true, true, null]],
    ['', ['model_request_refused', false, true, null]],
    ['héllo ', ['model_stream_broken', true, false, null]],
    ['', ['model_reply_invalid', true, false, null]],
    ['héllo wörld', null],
  ]);
});

test('a hang lasts until the timeout of the back end, or until it is cancelled', async () => {
  const clock = manualClock();
  const model = modelOf({ default: [{ steps: [{ text: 'x', faults: ['hang', 'hang'] }] }] }, clock);
  const first = ask(model, requestWith());
  await clock.advance(119_999);
  assert.equal(clock.pendingTimers, 1);
  await clock.advance(1);
  assert.deepEqual(gist((await first).fault), ['model_timeout', true, false, null]);
  const abort = new AbortController();
  const second = ask(model, requestWith({ signal: abort.signal, meta: { attempt: 1 } }));
  await clock.advance(1);
  abort.abort();
  assert.deepEqual(gist((await second).fault), ['model_cancelled', false, false, null]);
  assert.equal(clock.pendingTimers, 0);
});

test('text comes in pieces of whole characters, each after its wait', async () => {
  const clock = manualClock();
  const model = modelOf({ default: [{ steps: [{ text: 'a🚀bcd', chunk: 2, delay_ms: 100 }] }] }, clock);
  const seen: (readonly [number, string])[] = [];
  const parts: ModelPart[] = [];
  const read = (async () => {
    for await (const part of model.stream(requestWith())) {
      parts.push(part);
      if (part.type === 'text') seen.push([clock.monotonicMs(), part.delta]);
    }
  })();
  for (let round = 0; round < 4; round += 1) await clock.advance(100);
  await read;
  assert.deepEqual(seen, [
    [100, 'a🚀'],
    [200, 'bc'],
    [300, 'd'],
  ]);
  const abort = new AbortController();
  const cancelled = ask(model, requestWith({ signal: abort.signal }));
  await clock.advance(100);
  abort.abort();
  const { parts: before, fault } = await cancelled;
  assert.deepEqual([textOf(before), fault?.code], ['a🚀', 'model_cancelled']);
});

test('usage is what the script says, and an empty step is an empty reply', async () => {
  const usage = { input: 1000, output: 200, cached: 400, written: 100, reasoning: 50 };
  const model = modelOf({ default: [{ steps: [{ usage: { ...usage } }, {}] }] });
  assert.deepEqual((await ask(model, requestWith())).parts, [{ type: 'end', reason: 'stop', usage }]);
  assert.deepEqual((await ask(model, requestWith({ messages: [], meta: { step: 1 } }))).parts, [
    { type: 'end', reason: 'stop', usage: NO_TOKENS },
  ]);
});
